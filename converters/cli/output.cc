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
#include "nadi/converters/cli/log.h"

namespace nadi::cli {

namespace {

void write_to_stdout(std::string_view bytes) {
  if (give_to_program(bytes)) return;
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

std::string name_of_input(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::string_view kEndings[] = {".gz",      ".zst",   ".xz",   ".bz2", ".lz4",
                                           ".tar",     ".tgz",   ".json", ".pt",  ".zip",
                                           ".pftrace", ".trace", ".et"};
  std::error_code none;
  const bool is_folder = fs::is_directory(path, none);
  std::string name =
      (is_folder ? fs::absolute(path / fs::path("x"), none).lexically_normal().parent_path()
                 : fs::path(path))
          .filename()
          .string();
  name.erase(0, name.rfind(':') + 1);  // of an archive's member
  for (bool has_ending = !is_folder; has_ending;) {
    has_ending = false;
    for (const std::string_view ending : kEndings)
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.resize(name.size() - ending.size());
        has_ending = true;
      }
  }
  return name.empty() || name == "-" ? "nadi" : name;
}

std::string prefix_of_input(const std::string& path) {
  std::string name = name_of_input(path);
  const std::size_t dot = name.find_last_not_of("0123456789");
  if (dot != std::string::npos && dot > 0 && name[dot] == '.' && dot + 1 < name.size())
    name.resize(dot);
  return name;
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
