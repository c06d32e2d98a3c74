#include "nadi/converters/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "nadi/base/error.h"

namespace nadi::cli {

namespace {

void write_to_stdout(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return;
  throw Error(ErrorCode::kInput, "standard output",
              std::string("cannot be written (") + std::strerror(errno) + ")", "Is the disk full?");
}

}  // namespace

void write_output(const std::string& path, const std::function<void(const ByteSink&)>& write) {
  if (path.empty() || path == "-") {
    write(write_to_stdout);
    return;
  }
  AtomicFile file(path);
  write(file.sink());
  file.commit();
}

void write_output(const std::string& path, std::string_view bytes) {
  write_output(path, [bytes](const ByteSink& sink) { sink(bytes); });
}

}  // namespace nadi::cli
