#include "nadi/diff/stream_pairs.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace nadi {
namespace {

constexpr double kLeastStreamLikeness = 0.25;

/// The rows of one name on one stream.
struct StreamEntry {
  std::string_view name, stream;
  std::uint64_t rows = 0;
  double share = 0;  ///< of the stream's rows
};

/// Of streams that are alike the one with the smaller number goes first.
std::tuple<std::size_t, std::string_view> stream_order(std::string_view stream) {
  return {stream.size(), stream};
}

/// By name; of one name the stream that has it most often first.
std::vector<StreamEntry> entries_of(const StreamRows& side) {
  std::vector<std::uint64_t> all(side.streams.size());
  for (const auto& [key, rows] : side.rows) all[key >> 32] += rows;
  std::vector<StreamEntry> entries;
  for (const auto& [key, rows] : side.rows) {
    const auto stream = static_cast<StringId>(key >> 32);
    const auto name = static_cast<StringId>(static_cast<std::uint32_t>(key));
    entries.push_back({side.names[name], side.streams[stream], rows,
                       static_cast<double>(rows) / static_cast<double>(all[key >> 32])});
  }
  std::sort(entries.begin(), entries.end(), [](const StreamEntry& a, const StreamEntry& b) {
    if (a.name != b.name) return a.name < b.name;
    if (a.rows != b.rows) return a.rows > b.rows;
    return stream_order(a.stream) < stream_order(b.stream);
  });
  return entries;
}

struct StreamLikeness {
  std::string_view control, test;
  double likeness = 0;
};

/// A likeness per name that two streams share.
std::vector<StreamLikeness> shared_names(const std::vector<StreamEntry>& control,
                                         const std::vector<StreamEntry>& test) {
  std::vector<StreamLikeness> shared;
  const auto names_end = [](const std::vector<StreamEntry>& entries, std::size_t from) {
    std::size_t end = from;
    while (end < entries.size() && entries[end].name == entries[from].name) ++end;
    return end;
  };
  for (std::size_t c = 0, t = 0; c < control.size() && t < test.size();) {
    const std::size_t control_end = names_end(control, c), test_end = names_end(test, t);
    const int order = control[c].name.compare(test[t].name);
    for (; order == 0 && c < control_end && t < test_end; ++c, ++t)
      shared.push_back(
          {control[c].stream, test[t].stream, std::min(control[c].share, test[t].share)});
    if (order <= 0) c = control_end;
    if (order >= 0) t = test_end;
  }
  return shared;
}

/// Candidates of a likeness of kLeastStreamLikeness and more, the most alike first.
std::vector<StreamLikeness> candidates(const StreamRows& control, const StreamRows& test) {
  std::vector<StreamLikeness> shared = shared_names(entries_of(control), entries_of(test));
  const auto streams = [](const StreamLikeness& pair) {
    return std::tuple(stream_order(pair.control), stream_order(pair.test));
  };
  std::stable_sort(shared.begin(), shared.end(),
                   [&](const auto& a, const auto& b) { return streams(a) < streams(b); });
  std::vector<StreamLikeness> pairs;
  for (const StreamLikeness& one : shared) {
    if (pairs.empty() || streams(pairs.back()) != streams(one))
      pairs.push_back(one);
    else
      pairs.back().likeness += one.likeness;
  }
  std::erase_if(pairs,
                [](const StreamLikeness& pair) { return pair.likeness < kLeastStreamLikeness; });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.likeness > b.likeness; });
  return pairs;
}

}  // namespace

void StreamRows::add(std::string_view stream, std::string_view name) {
  ++rows[key_of(streams.intern(stream), names.intern(name))];
}

std::uint64_t StreamRows::key_of(StringId stream, StringId name) {
  return static_cast<std::uint64_t>(stream) << 32 | static_cast<std::uint64_t>(name);
}

StreamNames pair_streams(const StreamRows& control, const StreamRows& test) {
  StreamNames names;  // those of one name, too, until the end
  const auto join = [&](std::string_view from, std::string_view to) {
    if (names.control.contains(std::string(from)) || names.test.contains(std::string(to))) return;
    const std::string name =
        from == to ? std::string(from) : std::string(from) + " => " + std::string(to);
    names.control.emplace(from, name);
    names.test.emplace(to, name);
  };
  for (const StreamLikeness& pair : candidates(control, test)) join(pair.control, pair.test);
  for (std::size_t id = 1; id < control.streams.size(); ++id) {
    const std::string_view stream = control.streams[StringId(static_cast<std::uint32_t>(id))];
    if (test.streams.find(stream) != StringId::kEmpty) join(stream, stream);
  }
  const auto is_same = [](const auto& entry) { return entry.first == entry.second; };
  std::erase_if(names.control, is_same);
  std::erase_if(names.test, is_same);
  return names;
}

DiffSummary with_stream_names(const DiffSummary& summary,
                              const std::unordered_map<std::string, std::string>& names) {
  DiffSummary renamed;
  renamed.totals = summary.totals;
  renamed.own = summary.own;
  renamed.of_means = summary.of_means;
  for (std::size_t id = 1; id < summary.keys.size(); ++id) {
    const std::string_view key = summary.keys[StringId(static_cast<std::uint32_t>(id))];
    const auto found = names.find(std::string(key));
    renamed.keys.intern(found == names.end() ? key : found->second);
  }
  return renamed;
}

}  // namespace nadi
