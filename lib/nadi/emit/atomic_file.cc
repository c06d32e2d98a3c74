#include "nadi/emit/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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
      return "Create the folder first";
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
  static std::atomic<unsigned> counter{0};
  const std::string name = target_.filename().string();
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ =
        target_.parent_path() / ("." + name.substr(0, 200) + "." + std::to_string(::getpid()) +
                                 "." + std::to_string(counter++) + ".part");
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_.clear();
  fail("cannot be created", error);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      const int error = errno;
      discard();
      fail("cannot be written", error);
    }
    size_ += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  const int closed = ::close(descriptor_);
  const int close_error = errno;
  descriptor_ = -1;
  if (closed != 0) {
    discard();
    fail("cannot be written", close_error);
  }
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    discard();
    fail("cannot be put in place", error);
  }
  temporary_.clear();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(const char* doing, int error) const {
  throw Error(ErrorCode::kInput, path_.string(),
              doing + (size_ == 0 ? std::string() : " after " + std::to_string(size_) + " bytes") +
                  " (" + std::strerror(error) + ")",
              remedy_for(error));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace nadi
