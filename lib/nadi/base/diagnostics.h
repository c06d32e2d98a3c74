// A table of what went wrong without ending the work: kind, severity, count, first places.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostic_kinds.h"

namespace nadi {

struct Diagnostic {
  std::string_view kind;  ///< a name of kDiagnosticKinds
  Severity severity = Severity::kInfo;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first kMaxPlaces places, as text for people
};

/// Travels beside the data through every stage; not thread-safe, one per thread, then merged.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxPlaces = 3;

  /// Adds count findings of a kind; the place is kept only while fewer than kMaxPlaces are known.
  void report(DiagnosticKind kind, std::string_view place, std::uint64_t count = 1);
  /// The same; place() is called only where its text is kept, for hot loops.
  template <std::invocable Place>
  void report(DiagnosticKind kind, const Place& place) {
    if (wants_place(kind))
      report(kind, std::string_view(place()));
    else
      report(kind, std::string_view());
  }
  /// Appends all of other's findings to this table.
  void merge(const Diagnostics& other);
  /// Puts `where` before the places of a kind, of which there may be none.
  void name_places(DiagnosticKind kind, std::string_view where);
  /// Takes back all findings of a kind, which another source has settled.
  void forget(DiagnosticKind kind);
  /// Puts edit(place) in the stead of every place.
  void edit_places(std::string (*edit)(std::string_view place));
  /// In order of first report.
  const std::vector<Diagnostic>& table() const { return table_; }
  std::uint64_t count(DiagnosticKind kind) const;
  bool has_loss() const;

 private:
  bool wants_place(DiagnosticKind kind) const;
  Diagnostic& row_of(std::string_view kind, Severity severity);

  std::vector<Diagnostic> table_;
};

}  // namespace nadi
