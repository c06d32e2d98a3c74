#include "nadi/link/told_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "nadi/link/launched_rows.h"
#include "nadi/link/waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Ops and device rows by the id of their node; of equal ids the first counts.
class NodeIds {
 public:
  NodeIds(const LinkedTrace& linked, const ToldRelations& told) {
    const LinkedOps& ops = linked.ops;
    entries_.reserve(ops.size() + told.row_id.size());
    for (std::uint32_t op = 0; op < ops.size(); ++op)
      if (ops.host[op] != kNoIndex)
        entries_.push_back({linked.host.ops.id[ops.host[op]], {op, DeviceRowIndex()}});
    for (std::size_t row = 0; row < told.row_id.size(); ++row)
      entries_.push_back({told.row_id[row], {kNoIndex, DeviceRowIndex(row)}});
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }

  std::optional<ToldEnd> find(std::uint64_t id) const {
    const auto found = std::partition_point(entries_.begin(), entries_.end(),
                                            [=](const Entry& e) { return e.id < id; });
    if (found == entries_.end() || found->id != id) return std::nullopt;
    return found->end;
  }

 private:
  struct Entry {
    std::uint64_t id;
    ToldEnd end;
  };
  std::vector<Entry> entries_;
};

/// Waits of an op for device rows, told by the rows or by the op that launched them.
class WaitsForOps {
 public:
  explicit WaitsForOps(LinkedTrace& linked) : linked_(linked), launched_(linked) {}

  /// False where the source is an op that launched nothing.
  bool add(const ToldEnd& source, std::uint32_t target) {
    const std::vector<std::uint32_t> sources =
        source.row ? std::vector{source.row.value} : launched_.last_of(source.op);
    const std::size_t first = is_full() && !sources.empty() ? sources.size() - 1 : 0;
    for (std::size_t i = first; i < sources.size(); ++i) add_row(sources[i], target);
    return !sources.empty();
  }

 private:
  /// Beyond so many a wait for several rows counts for the last one: no file takes all memory.
  bool is_full() const { return linked_.told.size() >= (1U << 22); }

  void add_row(std::uint32_t row, std::uint32_t target) {
    const ToldEnd source{kNoIndex, DeviceRowIndex(row)};
    const LinkedOps& ops = linked_.ops;
    const Ns end = row_end_ns(linked_, row);
    std::vector<std::uint32_t> waiting;
    if (end > ops.start_ns[target] + ops.duration_ns[target])
      waiting = launched_.first_from(target, end, linked_.rows.lane[row]);
    if (is_full() && !waiting.empty()) waiting.resize(1);
    for (const std::uint32_t other : waiting)
      linked_.told.push_back({source, {kNoIndex, DeviceRowIndex(other)}});
    if (waiting.empty()) linked_.told.push_back({source, {target, {}}});
  }

  LinkedTrace& linked_;
  LaunchedRows launched_;
};

}  // namespace

void set_told_callers(LinkedTrace& linked, const ToldRelations& told) {
  if (told.row_caller.empty()) return;
  const NodeIds ids(linked, told);
  for (std::size_t row = 0; row < told.row_caller.size(); ++row) {
    if (linked.rows.evidence[row] == LinkEvidence::kUnlaunched) continue;
    const auto caller = ids.find(told.row_caller[row]);
    if (caller && !caller->row) linked.rows.parent[row] = caller->op;
  }
}

void add_told_blocks(LinkedTrace& linked, const ToldRelations& told) {
  if (told.blocks.empty()) return;
  const NodeIds ids(linked, told);
  for (const ToldBlock& block : told.blocks) {
    const auto work = ids.find(block.row_id);
    if (block.row_id == 0) mark_blocking(linked, block.call.value);
    if (!work || !work->row) continue;
    StreamAction action;
    action.kind = StreamActionKind::kHostWaitRow;
    action.row = work->row;
    action.inferred = block.inferred;
    add_host_wait(linked, action, block.call.value);
  }
}

void add_told_dependencies(LinkedTrace& linked, const ToldRelations& told,
                           Diagnostics& diagnostics) {
  if (told.waits.empty()) return;
  const NodeIds ids(linked, told);
  WaitsForOps waits_for_ops(linked);
  for (const ToldWait& wait : told.waits) {
    const auto source = ids.find(wait.source), target = ids.find(wait.target);
    if (!source || !target) {
      diagnostics.report("told-wait-unresolved", Severity::kInfo,
                         diagnostics.wants_place("told-wait-unresolved")
                             ? fmt::format("node {} waits for {}", wait.target, wait.source)
                             : std::string());
      continue;
    }
    const bool is_host_wait = source->row && !target->row && !wait.is_hand_off;
    if (is_host_wait && told.is_by_nadi) continue;  // its blocking call says it better
    const bool is_for_rows = !told.is_by_nadi && !wait.is_hand_off && !target->row;
    if (is_for_rows && waits_for_ops.add(*source, target->op)) continue;
    linked.told.push_back({*source, *target, wait.is_hand_off, wait.inferred});
  }
}

}  // namespace nadi
