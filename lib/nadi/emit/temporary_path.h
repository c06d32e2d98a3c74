// Names of files and folders that are being written, and what killed runs left of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nadi {

/// A name of its own beside a file that will appear: ".NAME.PID.N.part". While the object lives the
/// path is known to remove_temporary_paths(). What runs that were killed left of the same file is
/// removed: paths so named that no process has locked.
class TemporaryPath {
 public:
  /// Names a path beside `target`; makes the folders in which it will lie. `ending`: ".part".
  TemporaryPath(const std::filesystem::path& target, const std::string& ending);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Tells other processes that the path, open as `descriptor`, is in use as long as that is open.
  static void lock(int descriptor);

 private:
  std::filesystem::path path_, target_;
};

/// Removes all that lies at temporary paths of this process, for good: who makes one afterwards
/// waits for ever. For a process that is about to end. Gives the files that will not appear.
std::vector<std::string> remove_temporary_paths();

}  // namespace nadi
