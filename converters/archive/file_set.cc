#include "nadi/converters/archive/file_set.h"

#include <unistd.h>

#include <atomic>

#include "nadi/base/error.h"

namespace nadi {

namespace fs = std::filesystem;

FileSet::FileSet(const std::string& prefix) : prefix_(prefix) {
  static std::atomic<unsigned> counter{0};
  const fs::path path(prefix);
  folder_ = path.parent_path() /
            ("." + path.filename().string().substr(0, 200) + "." + std::to_string(::getpid()) +
             "." + std::to_string(counter++) + ".parts");
  std::error_code error;
  if (!fs::create_directory(folder_, error))
    throw Error(ErrorCode::kInput, prefix,
                "no file can be written there (" +
                    (error ? error.message() : std::string("File exists")) + ")",
                "Create the folder first, or write to one you may write to");
}

FileSet::~FileSet() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path FileSet::add(const std::string& ending) {
  endings_.push_back(ending);
  return folder_ / ("out." + ending);
}

void FileSet::commit() {
  std::vector<fs::path> placed;
  for (const std::string& ending : endings_) {
    const fs::path target = prefix_ + "." + ending;
    std::error_code error;
    fs::rename(folder_ / ("out." + ending), target, error);
    if (error) {
      std::error_code ignored;
      for (const fs::path& path : placed) fs::remove(path, ignored);
      throw Error(ErrorCode::kInput, target.string(),
                  "cannot be put in place (" + error.message() + ")", "Write to another folder");
    }
    placed.push_back(target);
  }
}

}  // namespace nadi
