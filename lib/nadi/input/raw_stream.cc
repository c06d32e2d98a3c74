#include "nadi/input/raw_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "nadi/base/error.h"

namespace nadi {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  std::string remedy = "Check the path";
  if (error == EACCES) remedy = "Check the permissions of the file and its folders";
  if (error == EISDIR) remedy = "Name one trace file in it";
  throw Error(ErrorCode::kInput, path, std::string("cannot be read: ") + std::strerror(error),
              remedy);
}

}  // namespace

RawFile::RawFile(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = STDIN_FILENO;
    path_ = "standard input";
    return;
  }
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) refuse(path_, errno);
  struct stat status {};
  const bool known = ::fstat(file_, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(file_);
    refuse(path_, EISDIR);
  }
  if (known && S_ISREG(status.st_mode)) total = static_cast<std::uint64_t>(status.st_size);
}

RawFile::~RawFile() {
  if (file_ > STDIN_FILENO) ::close(file_);
}

std::size_t RawFile::read_some(std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(file_, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) refuse(path_, errno);
  }
}

std::string_view RawStream::peek(std::size_t size) {
  while (ahead_.size() < size) {
    const std::size_t before = ahead_.size();
    ahead_.resize(size);
    const std::size_t got = read_some({ahead_.data() + before, size - before});
    ahead_.resize(before + got);
    if (got == 0) break;
  }
  return ahead_;
}

std::size_t RawStream::read(std::span<char> into) {
  std::size_t got = std::min(into.size(), ahead_.size() - ahead_used_);
  if (got > 0) {
    std::memcpy(into.data(), ahead_.data() + ahead_used_, got);
    ahead_used_ += got;
  } else {
    got = read_some(into);
  }
  consumed += got;
  return got;
}

}  // namespace nadi
