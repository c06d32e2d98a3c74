#include "nadi/emit/temporary_path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace nadi {
namespace {

namespace fs = std::filesystem;

/// Of this process, by path: what they will become.
struct Registry {
  std::mutex mutex;
  std::map<fs::path, fs::path> targets;
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

/// PID.N and the ending behind the beginning.
bool is_number_of_process(std::string_view rest) {
  const auto digits = [&] {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(end);
    return end > 0;
  };
  if (!digits() || !rest.starts_with('.')) return false;
  rest.remove_prefix(1);
  return digits() && (rest == ".part" || rest == ".parts");
}

/// A writer holds a lock as long as it lives, on any machine that shares the folder.
bool is_in_use(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return true;
  const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return !is_free;
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

void remove_leftovers(const fs::path& target, Registry& all) {
  const fs::path folder = target.parent_path();
  auto known = all.leftovers.find(folder);
  if (known == all.leftovers.end())
    known = all.leftovers.emplace(folder, temporary_looking(folder)).first;
  const std::string beginning = beginning_for(target);
  std::erase_if(known->second, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    if (!name.starts_with(beginning) ||
        !is_number_of_process(std::string_view(name).substr(beginning.size())) ||
        all.targets.contains(path) || is_in_use(path))
      return false;
    std::error_code ignored;
    fs::remove_all(path, ignored);
    return true;
  });
}

}  // namespace

TemporaryPath::TemporaryPath(const fs::path& target, const std::string& ending) : target_(target) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::error_code ignored;  // who creates the file says what is wrong
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), ignored);
  remove_leftovers(target, all);
  path_ = target.parent_path() / (beginning_for(target) + std::to_string(::getpid()) + "." +
                                  std::to_string(all.counter++) + ending);
  all.targets.emplace(path_, target_);
}

TemporaryPath::~TemporaryPath() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.targets.erase(path_);
}

void TemporaryPath::lock(int descriptor) { (void)::flock(descriptor, LOCK_EX | LOCK_NB); }

std::vector<std::string> remove_temporary_paths() {
  Registry& all = registry();
  all.mutex.lock();  // and keeps it: nobody shall make another
  std::vector<std::string> targets;
  for (const auto& [path, target] : all.targets) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    if (!all.targets.contains(target.parent_path())) targets.push_back(target.string());
  }
  return targets;
}

}  // namespace nadi
