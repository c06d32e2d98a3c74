#include "nadi/diff/call_tree.h"

#include "nadi/diff/row_keys.h"

namespace nadi {
namespace {

StringId as_key(CallNodeIndex node) { return StringId(node.value); }

}  // namespace

CallNodeIndex DiffCallTree::child(CallNodeIndex parent, StringId name, bool is_device) {
  const Key key{std::uint64_t{parent.value} << 1 | (is_device ? 1 : 0),
                static_cast<std::uint64_t>(name)};
  const auto known = children_.find(key);
  if (known != children_.end()) return known->second;
  if (nodes[parent].depth == kMostDepth || nodes.size() == kMostNodes) return parent;
  const CallNodeIndex node(nodes.size());
  nodes.push_back({name, parent, nodes[parent].depth + 1, is_device});
  children_.emplace(key, node);
  return node;
}

bool CallFilter::keeps(CallNodeIndex node) {
  for (CallNodeIndex next(known_.size()); next <= node; ++next) {
    Path path = next == DiffCallTree::kRoot ? Path{} : known_[tree_.nodes[next].parent];
    path.holds_only = path.holds_only || holds_any(tree_.name(next), choice_.only);
    path.holds_excluded = path.holds_excluded || holds_any(tree_.name(next), choice_.exclude);
    known_.push_back(path);
  }
  const Path& path = known_[node];
  const bool is_side = choice_.device == DiffDevice::kAll ||
                       tree_.nodes[node].is_device == (choice_.device == DiffDevice::kDevice);
  return is_side && (choice_.only.empty() || path.holds_only) && !path.holds_excluded;
}

std::string_view CallTreeGrower::name(EventRowIndex row) const {
  return rows_.is_step(row) ? "ProfilerStep" : rows_.table().strings[rows_.table().name[row]];
}

CallNodeIndex CallTreeGrower::enter(CallNodeIndex parent, EventRowIndex row, bool is_device) {
  const CallNodeIndex node = tree_.child(parent, name(row), is_device);
  if (node == parent) {
    ++cut_;
    if (!is_device) own_.add(as_key(parent), own_times_.own_ns(row), 0);
    return node;
  }
  const Ns duration = rows_.table().dur_ns[row];
  totals_.add(as_key(node), duration);
  own_.add(as_key(node), own_times_.own_ns(row));
  if (filter_.keeps(node)) kept_.add(own_times_.work_ns(row), duration);
  return node;
}

void CallTreeGrower::add_host_row(EventRowIndex row) {
  const EventTable& table = rows_.table();
  while (!open_.empty() && open_.back().end_ns <= table.ts_ns[row]) open_.pop_back();
  const CallNodeIndex parent = open_.empty() ? DiffCallTree::kRoot : open_.back().node;
  node_of_row_[row] = enter(parent, row, false);
  open_.push_back({node_of_row_[row], table.end_ns(row)});
}

void CallTreeGrower::add_device_row(EventRowIndex row) {
  const EventRowIndex call = rows_.partner(row);
  const bool is_known = call && node_of_row_[call];
  const CallNodeIndex parent = is_known ? node_of_row_[call] : DiffCallTree::kRoot;
  const Ns duration = rows_.table().dur_ns[row];
  const CallNodeIndex node = enter(parent, row, true);
  for (CallNodeIndex above = node;; above = tree_.nodes[above].parent) {
    device_.add(as_key(above), duration);
    if (above == DiffCallTree::kRoot) return;
  }
}

void CallTreeGrower::add(const IterationRows& iteration, const std::vector<HostRow>& host,
                         Diagnostics& diagnostics) {
  NamedThreadIndex thread;
  for (const HostRow& next : host) {
    if (next.thread != thread) open_.clear();
    thread = next.thread;
    add_host_row(next.row);
  }
  open_.clear();
  for (const EventRowIndex row : iteration.rows)
    if (rows_.has_stream(row) && rows_.is_work(row)) add_device_row(row);
  const std::size_t nodes = tree_.nodes.size();
  totals_.fold_into(tree_.totals, nodes);
  own_.fold_into(tree_.own, nodes);
  device_.fold_into(tree_.device, nodes);
  kept_.fold_into(all_);
  if (cut_ > 0)
    diagnostics.report(Finding::kCallPathsCut,
                       "paths too deep or too many: rows counted with their callers", cut_);
  cut_ = 0;
}

}  // namespace nadi
