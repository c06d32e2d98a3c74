#include "nadi/converters/archive/file_set.h"

#include <fcntl.h>
#include <unistd.h>

#include "nadi/base/error.h"

namespace nadi {

namespace fs = std::filesystem;

FileSet::FileSet(const std::string& prefix, const std::string& name)
    : prefix_(prefix), folder_(prefix, ".parts", name.empty() ? prefix : name) {
  std::error_code error;
  const bool is_made = fs::create_directory(folder_.path(), error);
  if (folder_.folder_error()) error = folder_.folder_error();
  if (!is_made)
    throw Error(ErrorCode::kInput, name.empty() ? prefix : name,
                "no file can be written there (" +
                    (error ? error.message() : std::string("File exists")) + ")",
                "Write to a folder you may write to");
  descriptor_ = ::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ >= 0) TemporaryPath::lock(descriptor_);
}

FileSet::~FileSet() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  fs::remove_all(folder_.path(), ignored);
}

fs::path FileSet::add(const std::string& ending) {
  endings_.push_back(ending);
  return folder_.path() / ("out." + ending);
}

void FileSet::commit() {
  const RemovalHeldBack held_back;
  std::vector<fs::path> placed;
  for (const std::string& ending : endings_) {
    const fs::path target = prefix_ + "." + ending;
    std::error_code error;
    fs::rename(folder_.path() / ("out." + ending), target, error);
    if (error) {
      std::error_code ignored;
      for (const fs::path& path : placed) fs::remove(path, ignored);
      throw Error(ErrorCode::kInput, target.string(),
                  "cannot be put in place (" + error.message() + ")", "Write to another folder");
    }
    placed.push_back(target);
  }
  folder_.set_placed();
}

}  // namespace nadi
