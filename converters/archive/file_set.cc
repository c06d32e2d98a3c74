#include "nadi/converters/archive/file_set.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "nadi/base/error.h"

namespace nadi {

namespace fs = std::filesystem;

FileSet::FileSet(const std::string& prefix, const std::optional<std::string>& name)
    : prefix_(prefix) {
  constexpr int kMostAttempts = 100;
  std::error_code error = std::make_error_code(std::errc::file_exists);
  for (int attempt = 0; attempt < kMostAttempts && error == std::errc::file_exists; ++attempt)
    error = make_folder(name.value_or(prefix));
  if (!error) return;
  folder_.reset();
  throw Error(ErrorCode::kInput, name.value_or("").empty() ? prefix : *name,
              "no file can be written there (" + error.message() + ")",
              "Write to a folder you may write to");
}

/// Says why it cannot be made; file_exists where another process has it or takes it away.
std::error_code FileSet::make_folder(const std::string& name) {
  const RemovalHeldBack held_back;  // from the name on until the folder is there
  folder_.emplace(prefix_, ".parts", name);
  std::error_code error = folder_->folder_error();
  const bool is_new = !error && fs::create_directory(folder_->path(), error);
  if (error) return error;
  if (!is_new) return std::make_error_code(std::errc::file_exists);
  descriptor_ = ::open(folder_->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 && errno != ENOENT) {
    error = {errno, std::generic_category()};
    std::error_code ignored;
    fs::remove(folder_->path(), ignored);
    return error;
  }
  if (descriptor_ >= 0 && folder_->lock(descriptor_)) return {};
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  return std::make_error_code(std::errc::file_exists);
}

FileSet::~FileSet() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  fs::remove_all(folder_->path(), ignored);
}

fs::path FileSet::add(const std::string& ending) {
  endings_.push_back(ending);
  return folder_->path() / ("out." + ending);
}

void FileSet::commit() {
  const RemovalHeldBack held_back;
  std::vector<fs::path> placed;
  for (const std::string& ending : endings_) {
    const fs::path target = prefix_ + "." + ending;
    std::error_code error;
    fs::rename(folder_->path() / ("out." + ending), target, error);
    if (error) {
      std::error_code ignored;
      for (const fs::path& path : placed) fs::remove(path, ignored);
      throw Error(ErrorCode::kInput, target.string(),
                  "cannot be put in place (" + error.message() + ")", "Write to another folder");
    }
    placed.push_back(target);
  }
  for (const std::string& ending : dropped_) {
    std::error_code ignored;  // what is no file that can be removed is no earlier output
    fs::remove(prefix_ + "." + ending, ignored);
  }
  folder_->set_placed();
}

}  // namespace nadi
