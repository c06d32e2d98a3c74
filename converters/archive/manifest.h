// PREFIX.manifest.jsonl: a line for each rank of a job that was converted, or could not be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/report.h"

namespace nadi {

/// A file, by what shows whether it has changed.
struct FileRecord {
  std::string path;
  std::uint64_t size = 0;        ///< bytes as they lie there
  std::int64_t modified_ns = 0;  ///< since 1970
  std::string checksum;          ///< `xxh128sum`; empty = not known

  /// The same but for the checksum.
  bool looks_like(const FileRecord& other) const {
    return path == other.path && size == other.size && modified_ns == other.modified_ns;
  }
};

/// A trace, and what the first look at it said.
struct InputRecord {
  FileRecord file;
  TracePeek peek;
};

/// A line of a manifest.
struct RankRecord {
  std::int64_t rank = 0;
  std::string version, options;     ///< that decide what is written
  std::vector<InputRecord> inputs;  ///< host trace (if there is one), device trace
  FileRecord output;                ///< of a rank that was converted
  std::string error;                ///< of one that could not be; empty = it was converted
  ConvertReport report;             ///< of a rank that was converted
};

std::string manifest_line(const RankRecord& record);
/// Nothing where the line is cut, or is none of a manifest. Reports are most of a line.
enum class WithReport : std::uint8_t { kYes, kNo };
std::optional<RankRecord> parse_manifest_line(std::string_view line,
                                              WithReport with_report = WithReport::kYes);

/// Lines are appended as ranks end, each in one write, so that a run which is killed leaves all but
/// perhaps the last of them; of several lines of a rank the last counts. finish() puts them in
/// order.
class Manifest {
 public:
  /// Reads what is there, if anything. Throws Error(kInput) where it cannot be read.
  explicit Manifest(std::string path);
  ~Manifest();
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;
  /// Makes the file, keeps other runs from it, and reads it again; false = another run has it.
  /// Where the file system knows no locks nobody is kept from it. Without it only reading is
  /// allowed.
  bool try_lock();
  /// The same; throws Error(kInput) where another run has it.
  void lock();

  const std::string& path() const { return path_; }
  /// The line of a rank; nothing where there is none.
  std::optional<RankRecord> find(std::int64_t rank) const;
  /// Calls take for each rank, in order.
  void visit(const std::function<void(RankRecord)>& take,
             WithReport with_report = WithReport::kYes) const;
  /// The same of those that were converted.
  void visit_converted(const std::function<void(RankRecord)>& take,
                       WithReport with_report = WithReport::kYes) const;
  /// Throws Error(kInput) where it cannot be written.
  void append(const RankRecord& record);
  /// Adds the line that another manifest has of the rank, unless it is here already.
  void append_from(const Manifest& other, std::int64_t rank);
  /// Takes a rank away, in memory; the file follows with finish().
  void forget(std::int64_t rank) { is_in_order_ = lines_.erase(rank) == 0 && is_in_order_; }
  void forget_all() {
    is_in_order_ = is_in_order_ && lines_.empty();
    lines_.clear();
  }
  bool has(std::int64_t rank) const { return lines_.contains(rank); }
  /// Writes the lines that count, by rank, whole or not at all; with none the file goes.
  void finish();

 private:
  struct LineSpan {
    std::uint64_t offset = 0, size = 0;
  };
  std::string line_at(const LineSpan& span) const;
  void read();
  void append_line(std::int64_t rank, const std::string& line);
  enum class Locking : std::uint8_t { kDone, kReplaced, kHeld };
  Locking open_and_lock();

  std::string path_;
  int file_ = -1;  // open for reading; -1 = there is none
  std::map<std::int64_t, LineSpan> lines_;
  int lock_ = -1;              // the file, open and locked; -1 = it is not
  std::uint64_t end_ = 0;      // of the file
  bool is_in_order_ = true;    // finish() would change nothing
  bool ends_in_line_ = false;  // that was cut
};

}  // namespace nadi
