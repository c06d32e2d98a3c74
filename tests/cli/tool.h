// Runs the tool as a user's shell would, and says what came out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nadi {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  std::string out;     ///< standard output
  std::string err;     ///< standard error
};

/// `arguments` as typed after "nadi" in a shell, in the folder `in`; standard input is empty unless
/// the arguments redirect it.
Outcome run_tool(const std::string& arguments, const std::filesystem::path& in = ".");

/// A folder of its own for one test, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file of the folder and gives its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;
  /// Names of the files in it, sorted, separated by blanks.
  std::string listing() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace nadi
