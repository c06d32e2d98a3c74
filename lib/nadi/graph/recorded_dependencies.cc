#include "nadi/graph/recorded_dependencies.h"

#include <algorithm>

namespace nadi {
namespace {

class RecordedEdges {
 public:
  RecordedEdges(const GraphDraft& draft, EdgeList& edges)
      : draft_(draft), linked_(draft.linked), edges_(edges) {}

  void add(const RecordedDependency& recorded) {
    const Evidence evidence = recorded.is_hand_off ? Evidence::kThreadHandOff
                              : recorded.source.row && recorded.target.row
                                  ? Evidence::kEventWait
                                  : Evidence::kSynchronisation;
    NodeIndex source = first_node(recorded.source), target = first_node(recorded.target);
    if (!source || !target) return;
    const bool is_between_ops = !recorded.source.row && !recorded.target.row;
    if (!recorded.source.row) source = draft_.op_last[recorded.source.op];
    if (is_between_ops && draft_.end_ns(source) > draft_.start_ns(target))
      fit(recorded.source.op, recorded.target.op, source, target);
    if (recorded.source.row && !recorded.target.row)
      target = node_after(recorded.target.op, target, source);
    edges_.add_recorded({source, target, evidence, recorded.inferred}, linked_.clock_resolution_ns);
  }

 private:
  NodeIndex first_node(const DependencyEnd& end) const {
    if (end.row) return draft_.row_node[end.row];
    return draft_.op_node[end.op];
  }

  /// The ops overlap: the target waits for what had been done inside the source when it began;
  /// else what follows the source inside the target waits.
  void fit(LinkedOpIndex source_op, LinkedOpIndex target_op, NodeIndex& source,
           NodeIndex& target) const {
    if (const NodeIndex node = last_until(source_op, draft_.start_ns(target)))
      source = node;
    else if (const NodeIndex after = first_from(target_op, op_end_ns(linked_.ops, source_op));
             after && draft_.start_ns(after) < op_end_ns(linked_.ops, target_op))
      target = after;
  }

  /// The op waited for the row somewhere inside: what it does when the row has ended, or what its
  /// thread does next. An op that returned before did not wait.
  NodeIndex node_after(LinkedOpIndex op, NodeIndex first, NodeIndex row) const {
    const Ns end = draft_.end_ns(row);
    if (end <= draft_.start_ns(first) || end > op_end_ns(linked_.ops, op)) return first;
    const NodeIndex after = first_from(op, end);
    return after ? after : first;
  }

  /// The last node of the op's lane, not before the op, that ends by the time.
  NodeIndex last_until(LinkedOpIndex op, Ns time) const {
    const auto& nodes = draft_.lane_nodes[linked_.ops.lane[op]];
    const auto after = std::partition_point(nodes.begin(), nodes.end(), [&](NodeIndex node) {
      return draft_.start_ns(node) < time && draft_.end_ns(node) <= time;
    });
    const bool is_inside =
        after != nodes.begin() && draft_.start_ns(*std::prev(after)) >= linked_.ops.start_ns[op];
    return is_inside ? *std::prev(after) : NodeIndex();
  }

  /// The first node of the op's lane that starts at the time or later; none = there is none.
  NodeIndex first_from(LinkedOpIndex op, Ns time) const {
    const auto& nodes = draft_.lane_nodes[linked_.ops.lane[op]];
    const auto first = std::partition_point(
        nodes.begin(), nodes.end(), [&](NodeIndex node) { return draft_.start_ns(node) < time; });
    return first == nodes.end() ? NodeIndex() : *first;
  }

  const GraphDraft& draft_;
  const LinkedTrace& linked_;
  EdgeList& edges_;
};

}  // namespace

void add_recorded_dependencies(const GraphDraft& draft, EdgeList& edges) {
  RecordedEdges maker(draft, edges);
  for (const RecordedDependency& recorded : draft.linked.recorded_dependencies) maker.add(recorded);
}

}  // namespace nadi
