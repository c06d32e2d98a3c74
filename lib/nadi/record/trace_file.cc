#include "nadi/record/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "nadi/base/error.h"

namespace nadi::record {
namespace {

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

TraceFile::TraceFile(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw Error(ErrorCode::kInput, path_, "cannot be created: " + reason(),
                "Record into a folder that exists and can be written to");
}

TraceFile::~TraceFile() {
  if (file_ >= 0) ::close(file_);
}

void TraceFile::write_out() {
  for (std::size_t at = 0; at < text_.size() && problem_.empty();) {
    const ssize_t written = ::write(file_, text_.data() + at, text_.size() - at);
    if (written >= 0) {
      at += static_cast<std::size_t>(written);
      bytes_ += static_cast<std::uint64_t>(written);
    } else if (errno != EINTR) {
      problem_ = reason();
    }
  }
  text_.clear();
}

}  // namespace nadi::record
