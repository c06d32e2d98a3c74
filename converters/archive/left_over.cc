#include "nadi/converters/archive/left_over.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>

namespace nadi {
namespace {

namespace fs = std::filesystem;

/// Of "<stem>.<rank>.et", without padding; -1 = another name.
std::int64_t rank_in(std::string_view name, std::string_view stem) {
  constexpr std::string_view kEnding = ".et";
  if (!name.starts_with(stem) || !name.ends_with(kEnding)) return -1;
  name.remove_prefix(stem.size());
  if (name.size() < kEnding.size() + 2 || name.front() != '.') return -1;
  const std::string_view digits = name.substr(1, name.size() - 1 - kEnding.size());
  std::int64_t rank = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  const bool is_plain = error == std::errc{} && rank >= 0 && std::to_string(rank) == digits;
  return is_plain ? rank : -1;
}

}  // namespace

std::vector<std::string> find_left_over(const std::string& prefix,
                                        const std::vector<std::string>& written) {
  const fs::path path(prefix);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string stem = path.filename().string();
  std::map<std::int64_t, std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::int64_t rank = rank_in(entry->path().filename().string(), stem);
    const std::string name = prefix + "." + std::to_string(rank) + ".et";
    if (rank >= 0 && std::find(written.begin(), written.end(), name) == written.end())
      found[rank] = name;
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (auto& [rank, name] : found) names.push_back(std::move(name));
  return names;
}

}  // namespace nadi
