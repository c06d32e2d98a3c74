#include "nadi/converters/archive/stale_outputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "nadi/chakra/rank_name.h"
#include "nadi/converters/archive/output_names.h"

namespace nadi {

namespace fs = std::filesystem;

std::vector<std::string> find_stale_outputs(const std::string& prefix,
                                            const std::vector<std::string>& written) {
  const std::string stem = fs::path(prefix).filename().string();
  const std::set<std::string_view> known(written.begin(), written.end());
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(prefix), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    const std::optional<RankName> parts = rank_name_of_graph(file);
    if (!parts || parts->prefix != stem) continue;
    const std::string name = prefix + file.substr(stem.size());
    if (!known.contains(name)) found.emplace_back(parts->rank, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  names.reserve(found.size());
  for (auto& [rank, name] : found) names.push_back(std::move(name));
  return names;
}

}  // namespace nadi
