// Names of files and folders that are being written, and what killed runs left of them.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace nadi {

/// A name of its own beside a file that will appear: ".NAME.PID.N.part". While the object lives the
/// path is known to remove_temporary_paths(). What runs that were killed left of the same file is
/// removed: paths so named that no process has locked.
class TemporaryPath {
 public:
  /// Names a path beside `target`; makes the folders in which it will lie. `ending`: ".part".
  /// `name`: how the user called the output.
  TemporaryPath(const std::filesystem::path& target, const std::string& ending,
                const std::string& name);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The error that kept the folders from being made; none = they are there.
  std::error_code folder_error() const { return folder_error_; }
  /// Says that the output is in its place: from here on it counts as written.
  void set_placed();
  /// Marks the path, open as `descriptor`, as in use for other processes as long as that is open;
  /// false = another process took it for a leftover before, and it is gone.
  bool lock(int descriptor) const;

 private:
  std::filesystem::path path_;
  std::error_code folder_error_;
};

/// Removes what runs that were killed left of files PREFIX.<anything> and of their folders.
void remove_leftovers_of(const std::filesystem::path& prefix);

/// As long as one lives remove_temporary_paths() waits: for what is made at a temporary path, which
/// would else come after the removal, and for moves into place, of which all or none shall happen.
/// Both are short.
class RemovalHeldBack {
 public:
  RemovalHeldBack();
  ~RemovalHeldBack();
  RemovalHeldBack(const RemovalHeldBack&) = delete;
  RemovalHeldBack& operator=(const RemovalHeldBack&) = delete;
};

/// Names a file, or the prefix of files, that this run shall write. "-", "" and what is there but
/// no regular file (a pipe, /dev/null) is nothing that can stay away.
void expect_output(const std::string& name);

/// Removes all that lies at temporary paths of this process, for good: who makes one afterwards
/// waits for ever. For a process that is about to end. Gives the outputs that will not appear:
/// those expected first, in that order, then others that were begun.
std::vector<std::string> remove_temporary_paths();

}  // namespace nadi
