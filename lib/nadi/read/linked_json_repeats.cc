#include "nadi/read/linked_json_repeats.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "nadi/base/id_map.h"
#include "nadi/base/index.h"

namespace nadi {
namespace {

/// Which row each row repeats; kNoIndex = none.
class RepeatFinder {
 public:
  explicit RepeatFinder(const LinkedJson& json)
      : json_(json), rows_(json.device.rows), repeats_(rows_.size(), kNoIndex) {
    const RuntimeCalls& calls = json.device.calls;
    launched_.insert(calls.correlation.begin(), calls.correlation.end());
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
    std::stable_sort(order.begin(), order.end(), is_before);
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() && !is_before(order[begin], order[end])) ++end;
      find_in(order, begin, end);
      begin = end;
    }
    return std::move(repeats_);
  }

 private:
  std::tuple<Ns, std::int64_t, std::int64_t, StringId> key(std::uint32_t row) const {
    return {rows_.start_ns[row], rows_.device[row], rows_.stream[row], rows_.name[row]};
  }

  bool is_launched(std::uint32_t row) const {
    return rows_.correlation[row] >= 0 && launched_.contains(rows_.correlation[row]);
  }

  /// Rows order[begin, end) are equal in all of key().
  void find_in(const std::vector<std::uint32_t>& order, std::size_t begin, std::size_t end) {
    if (end - begin < 2 || rows_.start_ns[order[begin]] == kNoTime) return;
    std::map<std::int64_t, std::uint32_t> by_correlation;
    std::map<Ns, std::uint32_t> launched_by_length;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = order[i];
      if (!is_launched(row)) continue;
      const auto [first, is_new] = by_correlation.try_emplace(rows_.correlation[row], row);
      if (!is_new && rows_.duration_ns[row] == 0) repeats_[row] = first->second;
      launched_by_length.try_emplace(rows_.duration_ns[row], row);
    }
    if (json_.is_by_nadi) return;
    for (std::size_t i = begin; i < end; ++i) {
      const auto launched = launched_by_length.find(rows_.duration_ns[order[i]]);
      if (!is_launched(order[i]) && launched != launched_by_length.end())
        repeats_[order[i]] = launched->second;
    }
  }

  const LinkedJson& json_;
  const DeviceRows& rows_;
  IdSet<std::int64_t> launched_;  // correlations
  std::vector<std::uint32_t> repeats_;
};

}  // namespace

void drop_repeated_rows(LinkedJson& json, Diagnostics& diagnostics) {
  const std::vector<std::uint32_t> repeats = RepeatFinder(json).run();
  std::map<std::uint64_t, std::uint64_t> kept_id;  // id of a dropped row -> of the one kept
  for (std::size_t row = 0; row < repeats.size(); ++row) {
    if (repeats[row] == kNoIndex) continue;
    kept_id[json.row_id[row]] = json.row_id[repeats[row]];
    diagnostics.report("device-row-recorded-twice",
                       json.device.strings[json.device.rows.name[row]]);
  }
  if (kept_id.empty()) return;
  for (LinkedJsonWait& wait : json.waits)
    for (std::uint64_t* id : {&wait.source, &wait.target})
      if (const auto kept = kept_id.find(*id); kept != kept_id.end()) *id = kept->second;
  for (LinkedJsonBlock& block : json.blocks)
    if (const auto kept = kept_id.find(block.row_id); kept != kept_id.end())
      block.row_id = kept->second;
  std::vector<bool> is_kept;
  is_kept.reserve(repeats.size());
  for (const std::uint32_t repeated : repeats) is_kept.push_back(repeated == kNoIndex);
  keep_marked(is_kept, json.device.rows);
  keep_marked(is_kept, json.row_id);
  keep_marked(is_kept, json.row_caller);
}

}  // namespace nadi
