#include "nadi/record/communication.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "nadi/record/append_json.h"
#include "nadi/record/logged_comm.h"
#include "nadi/record/recorder.h"
#include "nadi/record/value_bytes.h"

namespace nadi::record {
namespace {

using Group = const ProcessGroup*;

struct Groups {
  std::mutex mutex;
  std::deque<ProcessGroup> known;  // kept for the writer, which looks at them later
  std::vector<Group> all;          // of them, those there are now
  std::map<std::pair<std::string, bool>, std::int64_t> sequences;  // by group, is point-to-point
};

// Never destroyed: threads may record until the process is gone.
Groups& groups() {
  static auto* const instance = new Groups;
  return *instance;
}

std::int64_t next_sequence(const Communication& communication) {
  const bool is_p2p = communication.collective == "send" || communication.collective == "recv";
  const std::lock_guard lock(groups().mutex);
  return ++groups().sequences[{std::string(communication.group), is_p2p}];
}

Group find_process_group(std::string_view name) {
  const std::lock_guard lock(groups().mutex);
  for (const Group group : groups().all)
    if (group->name == name) return group;
  return nullptr;
}

void put_list(EventWriter& writer, std::span<const std::int64_t> list) {
  const auto kept = static_cast<std::uint32_t>(std::min(list.size(), kMostListEntries));
  writer.put(kept);
  writer.put_bytes(list.data(), kept * std::size_t{8});
}

std::vector<std::int64_t> take_list(EventReader& reader) {
  std::vector<std::int64_t> list(reader.take<std::uint32_t>());
  for (std::int64_t& entry : list) entry = reader.take<std::int64_t>();
  return list;
}

}  // namespace

void add_process_group(const ProcessGroup& group) {
  Group added = nullptr;
  {
    const std::lock_guard lock(groups().mutex);
    auto& all = groups().all;
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](Group known) { return known->name == group.name; });
    if (same != all.end() && **same == group) return;
    added = &groups().known.emplace_back(group);
    if (same == all.end())
      all.push_back(added);
    else
      *same = added;
  }
  if (is_recording()) record_process_groups({added});
}

void remove_process_group(std::string_view name) {
  const std::lock_guard lock(groups().mutex);
  std::erase_if(groups().all, [&](Group group) { return group->name == name; });
}

std::vector<Group> all_process_groups() {
  const std::lock_guard lock(groups().mutex);
  return groups().all;
}

std::string groups_json(const std::vector<Group>& list) {
  std::string text = "[";
  for (const Group group : list) {
    text += text.size() > 1 ? ",{\"pg_name\":" : "{\"pg_name\":";
    append_string(text, group->name);
    text += ",\"pg_desc\":";
    append_string(text, group->description);
    text += ",\"backend_config\":";
    append_string(text, group->backend_config);
    if (!group->ranks.empty()) {
      text += ",\"pg_size\":";
      append_number(text, static_cast<std::uint64_t>(group->ranks.size()));
    }
    text += ",\"ranks\":[";
    for (std::size_t i = 0; i < group->ranks.size(); ++i) {
      if (i > 0) text += ',';
      append_number(text, group->ranks[i]);
    }
    text += "]}";
  }
  return text + "]";
}

void record_process_groups(const std::vector<Group>& list) {
  const std::string json = groups_json(list);
  const Value value(json);
  end_op(begin_op(OpKind::kAnnotation, "## process_group:init ##", {&value, 1}));
}

std::size_t comm_bound(const Communication& communication) {
  const std::size_t entries = std::min(communication.in_split.size(), kMostListEntries) +
                              std::min(communication.out_split.size(), kMostListEntries);
  return text_bound(cut_text(communication.collective)) +
         text_bound(cut_text(communication.group)) + text_bound(cut_text(communication.dtype)) +
         4 * 8 + 2 * 4 + entries * 8;
}

void put_comm(EventWriter& writer, const Communication& communication) {
  writer.put_text(cut_text(communication.collective));
  writer.put_text(cut_text(communication.group));
  writer.put_text(cut_text(communication.dtype));
  writer.put(communication.in_elements);
  writer.put(communication.out_elements);
  writer.put(communication.peer);
  writer.put(communication.sequence);
  writer.put(find_process_group(communication.group));
  put_list(writer, communication.in_split);
  put_list(writer, communication.out_split);
}

LoggedComm take_comm(EventReader& reader) {
  LoggedComm comm;
  comm.collective = reader.take_text();
  comm.group = reader.take_text();
  comm.dtype = reader.take_text();
  comm.in_elements = reader.take<std::int64_t>();
  comm.out_elements = reader.take<std::int64_t>();
  comm.peer = reader.take<std::int64_t>();
  comm.sequence = reader.take<std::int64_t>();
  comm.process_group = reader.take<Group>();
  comm.in_split = take_list(reader);
  comm.out_split = take_list(reader);
  return comm;
}

std::uint64_t begin_communication(const Communication& communication,
                                  std::span<const Value> inputs) {
  const std::uint64_t op = begin_op(OpKind::kOp, "record_param_comms", inputs);
  if (op == 0) return 0;
  Communication numbered = communication;
  try {
    if (numbered.sequence < 0) numbered.sequence = next_sequence(communication);
  } catch (const std::bad_alloc&) {
    fail_recording();
    return op;
  }
  log_event({0, EventKind::kComm, 0, 0, op}, comm_bound(numbered),
            [&](EventWriter& writer) { put_comm(writer, numbered); });
  return op;
}

}  // namespace nadi::record
