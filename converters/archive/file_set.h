// Several files that appear together or not at all: written in a folder beside, then moved.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nadi/emit/temporary_path.h"

namespace nadi {

class FileSet {
 public:
  /// Files will be PREFIX.<ending>. `name`: what messages call them, where that is not the prefix;
  /// empty: files that the user did not ask for. Throws Error(kInput) where nothing can be written
  /// beside them.
  explicit FileSet(const std::string& prefix, const std::optional<std::string>& name = {});
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  /// Adds the file that becomes PREFIX.<ending> and returns the path at which to write it.
  std::filesystem::path add(const std::string& ending);
  /// PREFIX.<ending> of an earlier output goes away when all files are put in place.
  void drop(const std::string& ending) { dropped_.push_back(ending); }
  /// Puts all files in place, in the order added. Throws Error(kInput) if that fails; files put
  /// in place before are taken away again, files dropped stay. An interrupt waits until all are
  /// there. Call once, last.
  void commit();

 private:
  std::error_code make_folder(const std::string& name);

  std::string prefix_;
  std::optional<TemporaryPath> folder_;
  int descriptor_ = -1;  // of the folder, locked
  std::vector<std::string> endings_, dropped_;
};

}  // namespace nadi
