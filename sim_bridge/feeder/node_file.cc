#include "nadi/sim_bridge/feeder/node_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "nadi/base/error.h"

namespace nadi {

namespace {

constexpr std::size_t kWriteBytes = 1 << 20;
constexpr const char* kOtherFolder =
    "Name a folder with more room (FeederOptions::tmp, else TMPDIR), or unpack the graph";

// Removed at once: what has no name cannot stay behind.
int open_nameless(const std::filesystem::path& folder) {
  std::string path = (folder / "nadi-graph-XXXXXX").string();
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

}  // namespace

NodeFile NodeFile::open(const std::string& path) {
  const NodeFile unopened(-1, path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) unopened.fail("opened", errno, "Check the path and its permissions");
  return {descriptor, path};
}

NodeFile NodeFile::temporary(std::filesystem::path folder) {
  if (folder.empty()) {
    std::error_code none;
    folder = std::filesystem::temp_directory_path(none);
    if (none) folder = "/tmp";
  }
  const NodeFile unopened(-1, "a temporary file in " + folder.string());
  const int descriptor = open_nameless(folder);
  if (descriptor < 0)
    unopened.fail("created", errno,
                  "Name a folder that can be written to (FeederOptions::tmp, else TMPDIR)");
  return {descriptor, unopened.name_};
}

NodeFile::NodeFile(NodeFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      unwritten_(std::move(other.unwritten_)) {}

NodeFile& NodeFile::operator=(NodeFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(unwritten_, other.unwritten_);
  return *this;
}

NodeFile::~NodeFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t NodeFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("examined", errno, "");
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t NodeFile::read_at(std::uint64_t offset, char* bytes, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count =
        ::pread(descriptor_, bytes + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", errno, "");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void NodeFile::append(std::string_view bytes) {
  unwritten_ += bytes;
  if (unwritten_.size() >= kWriteBytes) flush();
}

void NodeFile::flush() {
  std::string_view rest = unwritten_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("written", count < 0 ? errno : ENOSPC, kOtherFolder);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  unwritten_.clear();
}

void NodeFile::fail(const char* doing, int error, const std::string& remedy) const {
  throw Error(ErrorCode::kInput, name_,
              std::string("cannot be ") + doing + ": " + std::generic_category().message(error),
              remedy);
}

}  // namespace nadi
