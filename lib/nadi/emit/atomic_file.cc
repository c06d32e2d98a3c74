#include "nadi/emit/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "nadi/base/error.h"

namespace nadi {
namespace {

const char* remedy_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "The disk is full: free space there or write to another folder";
    case ENOENT:
    case ENOTDIR:
      return "Check the folder: one of its names is a file, or cannot be made";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Write to a folder you may write to";
    case EISDIR:
      return "Name a file, not a folder";
    case EFBIG:
      return "The file would exceed the size limit there (ulimit -f)";
    case EPIPE:
      return "The reader of the pipe has gone";
    default:
      return "Write to another folder";
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path), target_(path) {
  if (const Compression packed = compression_of(path.string()); packed != Compression::kNone)
    compressor_.emplace(packed, [this](std::string_view bytes) { write_plain(bytes); });
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) {
    const auto resolved = std::filesystem::weakly_canonical(path, ignored);
    if (!ignored) target_ = resolved;
  }
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("cannot be written", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened for writing", errno);
    return;
  }
  open_temporary();
  if (exists) (void)::fchmod(descriptor_, status.st_mode & 07777);
}

void AtomicFile::open_temporary() {
  const RemovalHeldBack held_back;  // from the name on until the file is there
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_.emplace(target_, ".part", path_.string());
    descriptor_ = ::open(temporary_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
    if (descriptor_ >= 0 && temporary_->lock(descriptor_)) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    errno = EEXIST;
  }
  const std::error_code folder = temporary_->folder_error();
  const int error = folder ? folder.value() : errno;
  temporary_.reset();
  fail("cannot be created", error);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::string_view bytes) {
  size_ += bytes.size();
  if (compressor_)
    compressor_->write(bytes);
  else
    write_plain(bytes);
}

void AtomicFile::write_plain(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      const int error = errno;
      discard();
      fail("cannot be written", error);
    }
    written_ += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  if (compressor_) compressor_->finish();
  // Closing shows what could not be written. The lock must last until the file is in its place:
  // another process would take it for a leftover.
  const int locked = temporary_ ? ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0) : -1;
  const int closed = ::close(descriptor_);
  const int close_error = errno;
  descriptor_ = locked;
  if (closed != 0) {
    discard();
    fail("cannot be written", close_error);
  }
  if (!temporary_) return;
  const RemovalHeldBack held_back;
  if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
    const int error = errno;
    discard();
    fail("cannot be put in place", error);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  temporary_->set_placed();
  temporary_.reset();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (temporary_) ::unlink(temporary_->path().c_str());
  temporary_.reset();
}

void AtomicFile::fail(const char* doing, int error) const {
  throw Error(
      ErrorCode::kInput, path_.string(),
      doing + (written_ == 0 ? std::string() : " after " + std::to_string(written_) + " bytes") +
          " (" + std::strerror(error) + ")",
      remedy_for(error));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace nadi
