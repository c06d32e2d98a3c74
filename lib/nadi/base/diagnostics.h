// A table of what went wrong but not fatally: kind, severity, count, first places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

enum class Severity : std::uint8_t {
  kInfo,     ///< worth knowing; nothing is wrong
  kWarning,  ///< a guess was made or something looks odd; no data was lost
  kLoss,     ///< data was lost or repaired; --strict turns it into an error
};

struct Diagnostic {
  std::string kind;  ///< stable, kebab-case: "broken-json", "sync-unresolved"
  Severity severity = Severity::kInfo;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first kMaxPlaces places, as text for people
};

/// Travels beside the data through every stage; not thread-safe, one per thread, then merged.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxPlaces = 3;

  /// Adds count findings of a kind; the place is kept only while fewer than kMaxPlaces are known.
  void report(std::string_view kind, Severity severity, std::string_view place,
              std::uint64_t count = 1);
  /// True while a place given to report(kind, …) would be kept: lets hot loops skip formatting.
  bool wants_place(std::string_view kind) const;
  /// Appends all of other's findings to this table.
  void merge(const Diagnostics& other);
  /// Puts `where` before the places of a kind, of which there may be none.
  void name_places(std::string_view kind, std::string_view where);
  /// In order of first report.
  const std::vector<Diagnostic>& table() const { return table_; }
  std::uint64_t count(std::string_view kind) const;
  bool has_loss() const;

 private:
  std::vector<Diagnostic> table_;
};

std::string_view to_string(Severity severity);

}  // namespace nadi
