#include "nadi/link/linked_json_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "nadi/link/launched_rows.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Ops and device rows by the id of their node; of equal ids the first counts.
class NodeIds {
 public:
  NodeIds(const LinkedTrace& linked, const LinkedJsonRelations& recorded) {
    const LinkedOps& ops = linked.ops;
    entries_.reserve(ops.size() + recorded.row_id.size());
    for (std::uint32_t op = 0; op < ops.size(); ++op)
      if (ops.host[op])
        entries_.push_back(
            {linked.host.ops.id[ops.host[op]], {LinkedOpIndex(op), DeviceRowIndex()}});
    for (std::size_t row = 0; row < recorded.row_id.size(); ++row)
      entries_.push_back({recorded.row_id[row], {LinkedOpIndex(), DeviceRowIndex(row)}});
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }

  std::optional<DependencyEnd> find(std::uint64_t id) const {
    const auto found = std::partition_point(entries_.begin(), entries_.end(),
                                            [=](const Entry& e) { return e.id < id; });
    if (found == entries_.end() || found->id != id) return std::nullopt;
    return found->end;
  }

 private:
  struct Entry {
    std::uint64_t id;
    DependencyEnd end;
  };
  std::vector<Entry> entries_;
};

/// Waits of an op for device rows, recorded by the rows or by the op that launched them.
class WaitsForOps {
 public:
  WaitsForOps(const LinkedTrace& linked, std::vector<RecordedDependency>& dependencies)
      : linked_(linked), launched_(linked), dependencies_(dependencies) {}

  /// False where the source is an op that launched nothing.
  bool add(const DependencyEnd& source, LinkedOpIndex target) {
    const std::vector<std::uint32_t> sources =
        source.row ? std::vector{source.row.value} : launched_.last_of(source.op);
    const std::size_t first = is_full() && !sources.empty() ? sources.size() - 1 : 0;
    for (std::size_t i = first; i < sources.size(); ++i) add_row(sources[i], target);
    return !sources.empty();
  }

 private:
  /// Beyond so many a wait for several rows counts for the last one: no file takes all memory.
  bool is_full() const { return dependencies_.size() >= (1U << 22); }

  void add_row(std::uint32_t row, LinkedOpIndex target) {
    const DependencyEnd source{LinkedOpIndex(), DeviceRowIndex(row)};
    const LinkedOps& ops = linked_.ops;
    const Ns end = row_end_ns(linked_, row);
    std::vector<std::uint32_t> waiting;
    if (end > ops.start_ns[target] + ops.duration_ns[target])
      waiting = launched_.first_from(target, end, linked_.rows.lane[row]);
    if (is_full() && !waiting.empty()) waiting.resize(1);
    for (const std::uint32_t other : waiting)
      dependencies_.push_back({source, {LinkedOpIndex(), DeviceRowIndex(other)}});
    if (waiting.empty()) dependencies_.push_back({source, {target, {}}});
  }

  const LinkedTrace& linked_;
  LaunchedRows launched_;
  std::vector<RecordedDependency>& dependencies_;
};

}  // namespace

void set_linked_json_callers(LinkedTrace& linked, const LinkedJsonRelations& recorded) {
  if (recorded.row_caller.empty()) return;
  const NodeIds ids(linked, recorded);
  for (std::size_t row = 0; row < recorded.row_caller.size(); ++row) {
    if (linked.rows.evidence[row] == LinkEvidence::kUnlaunched) continue;
    const auto caller = ids.find(recorded.row_caller[row]);
    if (caller && !caller->row) linked.rows.parent[row] = caller->op;
  }
}

void add_linked_json_blocks(WaitList& waits, const LinkedTrace& linked,
                            const LinkedJsonRelations& recorded) {
  if (recorded.blocks.empty()) return;
  const NodeIds ids(linked, recorded);
  for (const LinkedJsonBlock& block : recorded.blocks) {
    const auto work = ids.find(block.row_id);
    if (block.row_id == 0) waits.mark_blocking(block.call);
    if (!work || !work->row) continue;
    StreamAction action;
    action.kind = StreamActionKind::kHostWaitRow;
    action.row = work->row;
    action.inferred = block.inferred;
    waits.add_host_wait(action, block.call);
  }
}

std::vector<RecordedDependency> linked_json_dependencies(const LinkedTrace& linked,
                                                         const LinkedJsonRelations& recorded,
                                                         Diagnostics& diagnostics) {
  std::vector<RecordedDependency> dependencies;
  if (recorded.waits.empty()) return dependencies;
  const NodeIds ids(linked, recorded);
  WaitsForOps waits_for_ops(linked, dependencies);
  for (const LinkedJsonWait& wait : recorded.waits) {
    const auto source = ids.find(wait.source), target = ids.find(wait.target);
    if (!source || !target) {
      diagnostics.report("recorded-wait-unresolved", [&] {
        return fmt::format("node {} waits for {}", wait.target, wait.source);
      });
      continue;
    }
    const bool is_host_wait = source->row && !target->row && !wait.is_hand_off;
    if (is_host_wait && recorded.is_by_nadi) continue;  // its blocking call says it better
    const bool is_for_rows = !recorded.is_by_nadi && !wait.is_hand_off && !target->row;
    if (is_for_rows && waits_for_ops.add(*source, target->op)) continue;
    dependencies.push_back({*source, *target, wait.is_hand_off, wait.inferred});
  }
  return dependencies;
}

}  // namespace nadi
