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

/// Read from standard input by peek_standard_input, and not yet given.
std::string& standard_input_ahead() {
  static std::string ahead;
  return ahead;
}

std::size_t read_file(int file, const std::string& name, std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(file, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) refuse(name, errno);
  }
}

}  // namespace

std::string_view peek_standard_input(std::size_t most_bytes) {
  std::string& ahead = standard_input_ahead();
  while (ahead.size() < most_bytes) {
    const std::size_t before = ahead.size();
    ahead.resize(most_bytes);
    const std::size_t got =
        read_file(STDIN_FILENO, "standard input", std::span(ahead).subspan(before));
    ahead.resize(before + got);
    if (got == 0) break;
  }
  return ahead;
}

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
  std::string& ahead = standard_input_ahead();
  if (file_ != STDIN_FILENO || ahead.empty()) return read_file(file_, path_, into);
  const std::size_t got = std::min(into.size(), ahead.size());
  std::memcpy(into.data(), ahead.data(), got);
  ahead.erase(0, got);
  return got;
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
