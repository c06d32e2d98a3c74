#include "nadi/converters/cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "nadi/base/error.h"

namespace nadi::cli {

namespace {

void write_to_stdout(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return;
  throw Error(ErrorCode::kInput, "standard output",
              std::string("cannot be written (") + std::strerror(errno) + ")", "Is the disk full?");
}

}  // namespace

bool reader_of_stdout_has_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return std::ferror(stdout) != 0 && ::poll(&output, 1, 0) == 1 &&
         (output.revents & (POLLERR | POLLHUP)) != 0;
}

void end_without_reader() {
  (void)remove_temporary_paths();
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  std::signal(SIGPIPE, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  std::raise(SIGPIPE);
  std::abort();  // not reached
}

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

void require_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code is_missing;  // then it is another file
    if (std::filesystem::equivalent(output, input, is_missing) &&
        std::filesystem::is_regular_file(output, is_missing))
      throw Error(ErrorCode::kUsage, output, "is an input and would be overwritten",
                  "Choose another name for the output");
  }
}

}  // namespace nadi::cli
