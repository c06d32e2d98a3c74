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
  Finding kind;  ///< the worst, where two kinds have the name
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first kMaxPlaces places, as text for people
};

/// Puts a place into the words of those whom it is shown to.
using WordPlace = std::string (*)(std::string_view place);
/// As it was reported, with settings by the library's names.
inline std::string in_library_words(std::string_view place) { return std::string(place); }

/// Travels beside the data through every stage; not thread-safe, one per thread, then merged.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxPlaces = 3;

  Diagnostics() = default;
  /// Of one trace beside another, which this names: "host trace".
  explicit Diagnostics(std::string_view trace) : trace_(trace) {}

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
  /// Adds the findings of a row of another table.
  void add(const Diagnostic& found);
  /// Adds all of other's findings to this table.
  void merge(const Diagnostics& other);
  /// The same, with "PLACE: " before each place.
  void merge_of(std::string_view place, const Diagnostics& other);
  /// In order of first report.
  const std::vector<Diagnostic>& table() const { return table_; }
  /// Of all kinds of that kind's name.
  std::uint64_t count(Finding kind) const;
  bool has_loss() const;
  /// The trace whose reader reports here; empty = there is no other, or the file is named instead.
  const std::string& trace() const { return trace_; }

 private:
  bool wants_place(Finding kind) const;
  Diagnostic& row_of(Finding kind);

  std::string trace_;
  std::vector<Diagnostic> table_;
};

}  // namespace nadi
