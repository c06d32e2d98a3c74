#include "nadi/emit/temporary_path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>

namespace nadi {
namespace {

namespace fs = std::filesystem;

/// Of this process.
struct Registry {
  std::recursive_mutex mutex;
  std::map<fs::path, std::string> outputs;  ///< by temporary path: the output's name; "" = placed
  std::vector<std::string> expected, placed;
  std::map<fs::path, std::vector<fs::path>> leftovers;  ///< by folder, looked for once
  unsigned counter = 0;
};

Registry& registry() {
  static Registry* const the_one = new Registry;  // outlives all files
  return *the_one;
}

/// ".NAME." of all temporary paths of a file.
std::string beginning_for(const fs::path& target) {
  return "." + target.filename().string().substr(0, 200) + ".";
}

/// PID.N and the ending, at the end of the name.
bool ends_as_temporary(std::string_view name) {
  const auto take = [&](std::string_view ending) {
    const bool is_there = name.ends_with(ending);
    if (is_there) name.remove_suffix(ending.size());
    return is_there;
  };
  const auto take_number = [&] {
    const std::size_t before = name.size();
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name.size() < before && take(".");
  };
  return (take(".parts") || take(".part")) && take_number() && take_number();
}

/// Removes what lies there unless a writer has locked it, on any machine that shares the folder.
/// Whoever has just made it waits for the lock, finds it gone and makes another.
bool remove_unused(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  std::error_code ignored;
  if (is_free) fs::remove_all(path, ignored);
  ::close(descriptor);
  return is_free;
}

/// Hidden paths of a folder that end as temporary ones do.
std::vector<fs::path> temporary_looking(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ends;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, ends), end;
       !ends && entry != end; entry.increment(ends)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') && (name.ends_with(".part") || name.ends_with(".parts")))
      found.push_back(folder / name);
  }
  return found;
}

/// Removes those of the folder whose names fit and that nobody uses.
template <class Fits>
void remove_leftovers(const fs::path& folder, Registry& all, const Fits& fits) {
  auto known = all.leftovers.find(folder);
  if (known == all.leftovers.end())
    known = all.leftovers.emplace(folder, temporary_looking(folder)).first;
  std::erase_if(known->second, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    return ends_as_temporary(name) && fits(name) && !all.outputs.contains(path) &&
           remove_unused(path);
  });
}

void remove_leftovers_of_file(const fs::path& target, Registry& all) {
  const std::string beginning = beginning_for(target);
  remove_leftovers(target.parent_path(), all, [&](const std::string& name) {
    const auto is_dot = [](char c) { return c == '.'; };
    return name.starts_with(beginning) &&
           std::count_if(name.begin() + static_cast<std::ptrdiff_t>(beginning.size()), name.end(),
                         is_dot) == 2;  // PID.N.part
  });
}

/// True where the name given is of the output, or is the prefix of it.
bool is_name_of(const std::string& name, const std::string& output) {
  if (!output.starts_with(name)) return false;
  return output.size() == name.size() || name.ends_with('/') || output[name.size()] == '.';
}

/// A file that has an expected name of its own says nothing of a prefix it shares.
bool is_written(const std::string& expected, const Registry& all) {
  return std::any_of(all.placed.begin(), all.placed.end(), [&](const std::string& placed) {
    return placed == expected ||
           (is_name_of(expected, placed) &&
            std::find(all.expected.begin(), all.expected.end(), placed) == all.expected.end());
  });
}

std::vector<std::string> unwritten(const Registry& all) {
  std::vector<std::string> names;
  for (const std::string& name : all.expected)
    if (!is_written(name, all) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  for (const auto& [path, output] : all.outputs) {
    const bool is_part = all.outputs.contains(path.parent_path());
    const bool is_named = std::any_of(names.begin(), names.end(),
                                      [&, &o = output](const auto& n) { return is_name_of(n, o); });
    if (!is_part && !is_named && !output.empty()) names.push_back(output);
  }
  return names;
}

/// Removes a folder in which other threads still make files: under another name nobody finds it.
void remove_folder(const fs::path& folder, Registry& all) {
  const std::string stem = folder.stem().stem().string();  // ".NAME.PID" of ".NAME.PID.N.parts"
  const fs::path moved =
      folder.parent_path() / (stem + "." + std::to_string(all.counter++) + ".parts");
  std::error_code error;
  fs::rename(folder, moved, error);
  constexpr int kMostAttempts = 100;  // a file that was being made may come in between
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    fs::remove_all(moved, error);
    if (!error) break;
  }
}

}  // namespace

TemporaryPath::TemporaryPath(const fs::path& target, const std::string& ending,
                             const std::string& name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  // Who creates the file says what is wrong.
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), folder_error_);
  remove_leftovers_of_file(target, all);
  path_ = target.parent_path() / (beginning_for(target) + std::to_string(::getpid()) + "." +
                                  std::to_string(all.counter++) + ending);
  all.outputs.emplace(path_, name);
}

TemporaryPath::~TemporaryPath() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.outputs.erase(path_);
}

void TemporaryPath::set_placed() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string& output = all.outputs[path_];
  if (!all.outputs.contains(path_.parent_path())) all.placed.push_back(output);
  output.clear();
}

bool TemporaryPath::lock(int descriptor) const {
  // Without an answer the file system has no locks, and nobody else takes this path for unused.
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat opened {
  }, there{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

void remove_leftovers_of(const fs::path& prefix) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::string beginning = beginning_for(prefix);
  remove_leftovers(prefix.parent_path(), all,
                   [&](const std::string& name) { return name.starts_with(beginning); });
}

RemovalHeldBack::RemovalHeldBack() { registry().mutex.lock(); }
RemovalHeldBack::~RemovalHeldBack() { registry().mutex.unlock(); }

void expect_output(const std::string& name) {
  std::error_code is_missing;
  if (name.empty() || name == "-") return;
  if (fs::exists(name, is_missing) && !fs::is_regular_file(name, is_missing)) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.expected.push_back(name);
}

std::vector<std::string> remove_temporary_paths() {
  Registry& all = registry();
  all.mutex.lock();  // and keeps it: nobody shall make another
  for (const auto& [path, output] : all.outputs) {
    std::error_code is_missing;
    if (fs::is_directory(path, is_missing))
      remove_folder(path, all);
    else
      fs::remove(path, is_missing);
  }
  return unwritten(all);
}

}  // namespace nadi
