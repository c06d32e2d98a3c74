#include "nadi/emit/process_groups.h"

#include <map>
#include <nlohmann/json.hpp>

#include "nadi/base/json_document.h"
#include "nadi/base/number_text.h"

namespace nadi {
namespace {

using Ranks = std::vector<std::int64_t>;

/// Makes lists of ranks from start and stride, where both are sensible for a group of that size. So
/// many in all: a few words of a trace must not become many lists of millions.
class StridedRanks {
 public:
  Ranks list(const CommRecord& record) {
    constexpr std::int64_t kMost = 1 << 24;
    const bool is_known = record.rank_start >= 0 && record.rank_start < kMost &&
                          record.rank_stride > 0 && record.rank_stride < kMost &&
                          record.group_size > 0 && record.group_size <= left_;
    if (!is_known) return {};
    left_ -= record.group_size;
    Ranks ranks;
    ranks.reserve(static_cast<std::size_t>(record.group_size));
    for (std::int64_t i = 0; i < record.group_size; ++i)
      ranks.push_back(record.rank_start + i * record.rank_stride);
    return ranks;
  }

 private:
  std::int64_t left_ = 1 << 22;
};

/// What an operation of the group says of it, where the trace does not describe the group.
void complete(ProcessGroup& group, const CommRecord& record, const StringTable& strings,
              StridedRanks& strided) {
  if (group.desc.empty()) group.desc = strings[record.pg_desc];
  if (group.size < 0) group.size = record.group_size;
  if (group.ranks.empty())
    group.ranks = numbers_of_list(strings[record.group_ranks]).value_or(Ranks{});
  if (group.ranks.empty() && (group.size < 0 || group.size == record.group_size))
    group.ranks = strided.list(record);
  if (group.size >= 0 && std::ssize(group.ranks) != group.size) group.ranks.clear();
}

}  // namespace

std::string process_groups_json(const LinkedTrace& trace) {
  std::map<std::string, ProcessGroup> groups;
  StridedRanks strided;
  for (const ProcessGroup& group : trace.groups) groups.try_emplace(group.name, group);
  for (const CommIndex carried : trace.carried) {
    const CommRecord& record = trace.comms[carried];
    if (record.pg_name == StringId::kEmpty) continue;
    ProcessGroup& group = groups[std::string(trace.strings[record.pg_name])];
    if (group.ranks.empty()) complete(group, record, trace.strings, strided);
  }
  if (groups.empty()) return {};
  nlohmann::json all = nlohmann::json::object();  // keys ascend
  for (const auto& [name, group] : groups) {
    nlohmann::json& entry = all[name] = {{"desc", group.desc}, {"ranks", group.ranks}};
    if (group.size >= 0) entry["size"] = group.size;
  }
  return document_text(all);
}

}  // namespace nadi
