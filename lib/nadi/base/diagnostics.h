// A table of what went wrong without ending the work: kind, count, first places.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/finding.h"

namespace nadi {

/// All findings of one name.
struct Diagnostic {
  Finding kind;  ///< of the first, where two kinds have the name
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first kMaxPlaces places, as text for people
};

/// Travels beside the data through every stage; not thread-safe, one per thread, then merged.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxPlaces = 3;

  /// Adds count findings of a kind; the place is kept only while fewer than kMaxPlaces are known.
  void report(Finding kind, std::string_view place, std::uint64_t count = 1);
  /// The same; place() is called only where its text is kept, for hot loops.
  template <std::invocable Place>
  void report(Finding kind, const Place& place) {
    if (wants_place(kind))
      report(kind, std::string_view(place()));
    else
      report(kind, std::string_view());
  }
  /// Appends all of other's findings to this table.
  void merge(const Diagnostics& other);
  /// Puts `where` before the places of a kind, of which there may be none.
  void name_places(Finding kind, std::string_view where);
  /// Takes back all findings of a kind, which another source has settled.
  void forget(Finding kind);
  /// Puts edit(place) in the stead of every place.
  void edit_places(std::string (*edit)(std::string_view place));
  /// In order of first report.
  const std::vector<Diagnostic>& table() const { return table_; }
  /// Of all kinds of that kind's name.
  std::uint64_t count(Finding kind) const;
  bool has_loss() const;

 private:
  bool wants_place(Finding kind) const;
  Diagnostic& row_of(Finding kind);

  std::vector<Diagnostic> table_;
};

}  // namespace nadi
