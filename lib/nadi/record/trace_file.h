// A trace that grows while its program runs: what has been flushed survives the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nadi::record {

class TraceFile {
 public:
  /// Creates or empties the file. Throws Error(kInput) where it cannot.
  explicit TraceFile(std::string path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// The text to append to; call write_out() from time to time.
  std::string& text() { return text_; }
  /// Hands the text to the system.
  void write_out();
  /// The reason why the file could not be written to; empty = it could.
  const std::string& problem() const { return problem_; }
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string path_, text_, problem_;
  int file_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace nadi::record
