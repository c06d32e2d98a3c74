#include "nadi/converters/picture/draw_with_graphviz.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "nadi/base/error.h"
#include "nadi/emit/atomic_file.h"

extern char** environ;

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "dot";
constexpr const char* kInstall = "Install graphviz, or write .dot and lay it out elsewhere";

/// A folder that goes away.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (fs::temp_directory_path() / "nadi_picture_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw Error(ErrorCode::kInput, pattern,
                  std::string("cannot be made (") + std::strerror(errno) + ")",
                  "Set TMPDIR to a folder that can be written");
    path_ = pattern;
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `dot -TFORMAT -o OUT IN`, its complaints into a file; gives its exit status.
int run_dot(const std::string& format, const fs::path& in, const fs::path& out,
            const fs::path& complaints) {
  std::string words[] = {kProgram, "-T" + format, "-o", out.string(), in.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints.c_str(),
                                     O_WRONLY | O_CREAT, 0600);
  // What interrupts this process ends the child, whoever watches for it here.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, kProgram, &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw Error(ErrorCode::kInput, "dot",
                std::string("cannot be run (") + std::strerror(error) + ")", kInstall);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string draw_with_graphviz(std::string_view dot, const std::string& format) {
  const Workplace workplace;
  write_file(workplace / "in.dot", dot);
  const int status =
      run_dot(format, workplace / "in.dot", workplace / "out", workplace / "complaints");
  if (status != 0) {
    constexpr std::size_t kMostShown = 200;
    throw Error(ErrorCode::kInput, "dot",
                "failed: " + bytes_of(workplace / "complaints").substr(0, kMostShown), kInstall);
  }
  return bytes_of(workplace / "out");
}

}  // namespace nadi
