#include "nadi/converters/profile/hot_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/base/time.h"
#include "nadi/diff/diff_summary.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/model/step_names.h"
#include "nadi/sim_bridge/astra_sim/operation_cost.h"

namespace nadi {
namespace {

constexpr std::string_view kCommunication = "communication";

/// True for the families of kernels that make products, not what is beside them, as transposes.
bool makes_products(std::string_view family) {
  return family == "gemm" || family == "convolution" || family == "attention";
}

std::optional<double> per_ns(double amount, Ns time_ns) {
  if (amount <= 0 || time_ns <= 0) return {};
  return amount / static_cast<double>(time_ns);
}

/// What operations and bytes are computed from, by id of one graph's strings.
struct OpTexts {
  StringId name, input_shapes, input_types, output_shapes, output_types, input_values;
  friend bool operator==(const OpTexts&, const OpTexts&) = default;
};

struct OpTextsHash {
  std::size_t operator()(const OpTexts& texts) const {
    std::uint64_t hash = 0;
    for (const StringId id : {texts.name, texts.input_shapes, texts.input_types,
                              texts.output_shapes, texts.output_types, texts.input_values})
      hash = (hash ^ static_cast<std::uint64_t>(id)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }
};

/// The costs of the ops of one graph; equal ones are computed once.
class OpCosts {
 public:
  explicit OpCosts(const Graph& graph) : graph_(graph) {}

  const std::optional<astra_sim::OperationCost>& of(std::uint32_t op) {
    const OpTexts texts{graph_.node_name[op],     graph_.input_shapes[op], graph_.input_types[op],
                        graph_.output_shapes[op], graph_.output_types[op], graph_.input_values[op]};
    const auto [known, is_new] = costs_.try_emplace(texts);
    if (is_new) known->second = compute(texts);
    return known->second;
  }

 private:
  /// None of ops that nobody knows.
  std::optional<astra_sim::OperationCost> compute(const OpTexts& texts) const {
    const auto arguments = [&](StringId shapes, StringId types) {
      return astra_sim::parse_arguments(graph_.strings[shapes], graph_.strings[types]);
    };
    auto cost = astra_sim::cost_of_operation(
        graph_.strings[texts.name], arguments(texts.input_shapes, texts.input_types),
        arguments(texts.output_shapes, texts.output_types), graph_.strings[texts.input_values]);
    if (cost && cost->basis == astra_sim::CostBasis::kUnknown) cost.reset();
    return cost;
  }

  const Graph& graph_;
  std::unordered_map<OpTexts, std::optional<astra_sim::OperationCost>, OpTextsHash> costs_;
};

}  // namespace

std::optional<double> HotWork::tflops_per_s() const {
  return per_ns(static_cast<double>(operations) / 1e3, time_ns);
}

std::optional<double> HotWork::gb_per_s() const {
  return per_ns(static_cast<double>(bytes), time_ns);
}

Roofline roofline_of(double tflops_per_s, double gb_per_s) {
  for (const double peak : {tflops_per_s, gb_per_s})
    if (!(peak >= 0 && std::isfinite(peak)))
      throw Error(ErrorCode::kUsage, fmt::format("a device that does {} at most", peak), "is none",
                  "Pass numbers from 0 on; 0 = not known");
  return {tflops_per_s, gb_per_s};
}

std::optional<double> roofline_share(const HotWork& work, const Roofline& roofline) {
  std::optional<double> share;
  const auto reach = [&](std::optional<double> rate, double peak) {
    if (rate && peak > 0) share = std::max(share.value_or(0), *rate / peak);
  };
  reach(work.tflops_per_s(), roofline.tflops_per_s);
  reach(work.gb_per_s(), roofline.gb_per_s);
  return share;
}

std::string path_text(const HotSpots& spots, std::size_t path) {
  const HotPath& last = spots.paths[path];
  if (last.parent == kNoIndex) return last.name;
  return path_text(spots, last.parent) + " > " + last.name;
}

/// Adds one graph to the sums.
class HotSpotSums::OfGraph {
 public:
  OfGraph(const Graph& graph, HotSpotSums& sums)
      : graph_(graph),
        sums_(sums),
        names_(graph.strings.size(), StringId::kEmpty),
        paths_(graph.size()) {}

  void add() {
    find_callers();
    for (std::uint32_t node = 0; node < graph_.size(); ++node) {
      if (!is_chosen(node)) continue;
      if (graph_.kind[node] == NodeKind::kDeviceRow)
        add_row(node);
      else
        add_host(node);
    }
    if (!graph_.input_shapes.empty()) add_work();
  }

 private:
  /// A delay is nobody's time.
  bool is_chosen(std::uint32_t node) const {
    if (graph_.kind[node] == NodeKind::kDelay) return false;
    return !sums_.steps_ || sums_.steps_->holds(graph_.step[node]);
  }

  StringId name_of(std::uint32_t node) {
    StringId& name = names_[static_cast<std::size_t>(graph_.node_name[node])];
    if (name == StringId::kEmpty) {
      name = sums_.tree_.names.intern(name_without_step(graph_.name_of(node)));
    }
    return name;
  }

  /// The op or call around a node: what launched a row, whose part it is; kNoIndex = none.
  std::uint32_t caller_of(std::uint32_t node) {
    if (graph_.kind[node] != NodeKind::kDeviceRow) return op_around(node);
    const std::uint32_t call = caller_by(call_of_correlation_, graph_.correlation[node]);
    if (call != kNoIndex) return call;
    if (graph_.parent[node] != kNoIndex) return graph_.parent[node];
    return caller_by(op_of_rf_id_, graph_.rf_id[node]);
  }

  /// An annotation may end after the op in which it began: it is none of that op's.
  std::uint32_t op_around(std::uint32_t node) const {
    constexpr Ns kRounding = 2 * kNsPerMicro;  // of the ends of both
    std::uint32_t op = graph_.parent[node];
    if (!graph_.tells_starts || graph_.inclusive_ns.empty()) return op;
    const Ns end = graph_.start_ns[node] + inclusive_ns(node) - kRounding;
    while (op != kNoIndex && graph_.inclusive_ns[op] > 0 &&
           graph_.start_ns[op] + graph_.inclusive_ns[op] < end)
      op = graph_.parent[op];
    return op;
  }

  using Callers = IdMap<std::int64_t, std::uint32_t>;
  static std::uint32_t caller_by(const Callers& callers, std::int64_t id) {
    const auto known = callers.find(id);
    return known == callers.end() ? kNoIndex : known->second;
  }

  /// Calls have nodes of their own where they stand in no op.
  void find_callers() {
    for (std::uint32_t node = 0; node < graph_.size(); ++node) {
      if (graph_.kind[node] == NodeKind::kOp && graph_.rf_id[node] != 0)
        op_of_rf_id_.try_emplace(graph_.rf_id[node], node);
      if (graph_.kind[node] == NodeKind::kCall && graph_.correlation[node] > 0)
        call_of_correlation_.try_emplace(graph_.correlation[node], node);
    }
  }

  /// The node of the tree for a node; a part has its op's.
  CallNodeIndex path_of(std::uint32_t node) {
    // Callers of other writers' files may stand behind what they call.
    for (std::uint32_t at = node; at != kNoIndex && !paths_[at]; at = caller_of(at))
      unresolved_.push_back(at);
    for (; !unresolved_.empty(); unresolved_.pop_back()) resolve(unresolved_.back());
    return paths_[node];
  }

  /// Callers first.
  void resolve(std::uint32_t node) {
    const std::uint32_t caller = caller_of(node);
    const CallNodeIndex parent = caller == kNoIndex ? DiffCallTree::kRoot : paths_[caller];
    paths_[node] = parent;
    if (graph_.kind[node] == NodeKind::kPart && caller != kNoIndex) return;
    const bool is_device = graph_.kind[node] == NodeKind::kDeviceRow;
    paths_[node] = sums_.tree_.child(parent, name_of(node), is_device);
    if (paths_[node] == parent) ++sums_.paths_cut_;
  }

  /// Adds a node to the sums of its path and gives its time.
  Ns add_to_path(std::uint32_t node, std::uint64_t count) {
    const CallNodeIndex path = path_of(node);
    if (sums_.paths_.size() <= path.value) sums_.paths_.resize(sums_.tree_.nodes.size());
    Own& own = sums_.paths_[path];
    own.count += count;
    own.ns = add_times(own.ns, graph_.duration_ns[node]);
    return graph_.duration_ns[node];
  }

  template <class Sums>
  auto& entry(Sums& sums, StringId name) {
    const auto position = static_cast<std::size_t>(name);
    if (sums.size() <= position) sums.resize(std::max(position + 1, sums_.tree_.names.size()));
    return sums[position];
  }

  /// A call is cut where it launches: the rest is a node of its own.
  bool continues_call(std::uint32_t node) {
    if (graph_.kind[node] != NodeKind::kCall) return false;
    const std::uint32_t call = caller_by(call_of_correlation_, graph_.correlation[node]);
    return call != kNoIndex && call != node && graph_.node_name[call] == graph_.node_name[node];
  }

  void add_host(std::uint32_t node) {
    const bool is_whole = graph_.kind[node] != NodeKind::kPart && !continues_call(node);
    const Ns ns = add_to_path(node, is_whole ? 1 : 0);
    Own& of_path = sums_.paths_[path_of(node)];
    of_path.inclusive_ns = add_times(of_path.inclusive_ns, inclusive_ns(node));
    Own& own = entry(sums_.host_names_, name_of(node));
    own.count += is_whole ? 1 : 0;
    own.ns = add_times(own.ns, ns);
  }

  /// Of an op once, for all of its parts.
  Ns inclusive_ns(std::uint32_t node) const {
    if (graph_.kind[node] == NodeKind::kPart) return 0;
    const Ns recorded = graph_.inclusive_ns.empty() ? 0 : graph_.inclusive_ns[node];
    return recorded > 0 ? recorded : graph_.duration_ns[node];
  }

  void add_row(std::uint32_t node) {
    const Ns ns = add_to_path(node, 1);
    Kernel& kernel = entry(sums_.kernels_, name_of(node));
    if (kernel.family.empty()) kernel.family = kernel_family_of(graph_.name_of(node));
    if (graph_.communicates(node)) kernel.family = kCommunication;
    ++kernel.count;
    kernel.sum_ns = add_times(kernel.sum_ns, ns);
    kernel.longest_ns = std::max(kernel.longest_ns, ns);
  }

  bool may_compute(std::uint32_t node) {
    if (graph_.kind[node] != NodeKind::kDeviceRow || !is_chosen(node)) return false;
    const std::string_view family = entry(sums_.kernels_, name_of(node)).family;
    return family != kCommunication && !is_memory_family(family);
  }

  struct Launched {
    std::uint32_t op, row;
  };

  /// What an op computes is counted once: as the work of its main kernels.
  void add_work() {
    std::vector<Launched> rows;
    for (std::uint32_t node = 0; node < graph_.size(); ++node)
      if (const std::uint32_t op = may_compute(node) ? caller_of(node) : kNoIndex; op != kNoIndex)
        rows.push_back({op, node});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Launched& a, const Launched& b) { return a.op < b.op; });
    OpCosts costs(graph_);
    for (auto first = rows.begin(); first != rows.end();) {
      const auto last =
          std::find_if(first, rows.end(), [&](const Launched& row) { return row.op != first->op; });
      if (const auto& cost = costs.of(first->op)) add_work_of_op(*cost, {first, last});
      first = last;
    }
  }

  /// The longest kernel is the main one, of a product the longest that makes products; of two
  /// products the two longest are. Others of its name have a share (an op on a list of tensors
  /// launches several alike).
  void add_work_of_op(const astra_sim::OperationCost& cost, std::span<Launched> rows) {
    const auto rank = [&](const Launched& row) {
      const bool is_product = cost.basis == astra_sim::CostBasis::kProducts &&
                              makes_products(entry(sums_.kernels_, name_of(row.row)).family);
      return std::pair(is_product, graph_.duration_ns[row.row]);
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Launched& a, const Launched& b) { return rank(a) > rank(b); });
    const bool makes_product = rank(rows.front()).first;
    const std::int64_t most = makes_product ? cost.products : 1;
    std::vector<StringId> mains;
    for (const Launched& row : rows) {
      const StringId name = name_of(row.row);
      if (std::ssize(mains) < most && rank(row).first == makes_product &&
          std::find(mains.begin(), mains.end(), name) == mains.end())
        mains.push_back(name);
    }
    const auto parts = std::ssize(mains);
    for (const StringId name : mains) {
      HotWork& work = entry(sums_.kernels_, name).work;
      work.operations = saturated_sum(work.operations, cost.operations / parts);
      work.bytes = saturated_sum(work.bytes, cost.bytes / parts);
      for (const Launched& row : rows)
        if (name_of(row.row) == name)
          work.time_ns = add_times(work.time_ns, graph_.duration_ns[row.row]);
    }
  }

  const Graph& graph_;
  HotSpotSums& sums_;
  std::vector<StringId> names_;       // by id of the graph's, in the tree
  std::vector<CallNodeIndex> paths_;  // by node
  std::vector<std::uint32_t> unresolved_;
  Callers op_of_rf_id_, call_of_correlation_;
};

void HotSpotSums::add(const Graph& graph) {
  assert(graph.parent.size() == graph.size());
  OfGraph(graph, *this).add();
}

/// Turns sums into tables.
class HotSpotSums::Result {
 public:
  explicit Result(HotSpotSums& sums) : sums_(sums), tree_(sums.tree_), times_(tree_.nodes.size()) {
    sums.paths_.resize(tree_.nodes.size());
  }

  HotSpots make() {
    add_up_times();
    fill_kernels();
    fill_ops();
    fill_paths();
    spots_.device_ns = times_[DiffCallTree::kRoot].device_ns;
    spots_.host_ns = times_[DiffCallTree::kRoot].host_ns;
    spots_.paths_cut = sums_.paths_cut_;
    return std::move(spots_);
  }

 private:
  static void add_below(const HotTimes& from, HotTimes& to) {
    to.host_ns = add_times(to.host_ns, from.host_ns);
    to.device_ns = add_times(to.device_ns, from.device_ns);
    to.launched += from.launched;
  }

  /// Children stand behind their parents.
  void add_up_times() {
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      const CallNodeIndex node(i);
      const Own& own = sums_.paths_[node];
      HotTimes& times = times_[node];
      times.count = own.count;
      if (tree_.nodes[node].is_device) {
        times.launched += own.count;
        times.device_ns = add_times(times.device_ns, own.ns);
      } else {
        times.own_ns = own.ns;
        times.host_ns = add_times(times.host_ns, own.ns);
        // Other writers' files do not have it.
        times.inclusive_ns = own.inclusive_ns > 0 ? own.inclusive_ns : times.host_ns;
      }
      if (node != DiffCallTree::kRoot) add_below(times, times_[tree_.nodes[node].parent]);
    }
  }

  /// By kernel's name the op that launched most of its time.
  std::vector<StringId> launching_ops() const {
    std::map<std::pair<StringId, StringId>, Ns> launched;  // kernel, op
    for (const CallNodeIndex node : rows_of(tree_.nodes)) {
      const CallNode& row = tree_.nodes[node];
      if (!row.is_device) continue;
      Ns& ns = launched[{row.name, tree_.nodes[row.parent].name}];
      ns = add_times(ns, times_[node].device_ns);
    }
    std::vector<StringId> ops(tree_.names.size(), StringId::kEmpty);
    std::vector<Ns> most(tree_.names.size(), -1);
    for (const auto& [names, ns] : launched) {
      const auto kernel = static_cast<std::size_t>(names.first);
      if (ns <= most[kernel]) continue;
      most[kernel] = ns;
      ops[kernel] = names.second;
    }
    return ops;
  }

  void fill_kernels() {
    const std::vector<StringId> ops = launching_ops();
    std::map<std::string_view, HotFamily> families;
    for (std::size_t id = 0; id < sums_.kernels_.size(); ++id) {
      const Kernel& kernel = sums_.kernels_[id];
      if (kernel.count == 0) continue;
      HotFamily& family = families[kernel.family];
      family.name = kernel.family;
      family.count += kernel.count;
      family.sum_ns = add_times(family.sum_ns, kernel.sum_ns);
      spots_.kernels.push_back({std::string(tree_.names[StringId(id)]), kernel.family,
                                std::string(tree_.names[ops[id]]), kernel.count, kernel.sum_ns,
                                kernel.longest_ns,
                                kernel.family == kCommunication ? HotWork{} : kernel.work});
    }
    for (const auto& [name, family] : families) spots_.families.push_back(family);
    const auto is_longer = [](const auto& a, const auto& b) {
      return a.sum_ns != b.sum_ns ? a.sum_ns > b.sum_ns : a.name < b.name;
    };
    std::sort(spots_.kernels.begin(), spots_.kernels.end(), is_longer);
    std::sort(spots_.families.begin(), spots_.families.end(), is_longer);
  }

  /// True where a call of the same name is around the node's calls.
  bool is_recursive(CallNodeIndex node) const {
    const StringId name = tree_.nodes[node].name;
    for (node = tree_.nodes[node].parent; node != DiffCallTree::kRoot;
         node = tree_.nodes[node].parent)
      if (tree_.nodes[node].name == name) return true;
    return false;
  }

  void fill_ops() {
    std::vector<HotTimes> by_name(tree_.names.size());
    for (std::size_t id = 0; id < sums_.host_names_.size(); ++id) {
      by_name[id].count = sums_.host_names_[id].count;
      by_name[id].own_ns = sums_.host_names_[id].ns;
    }
    for (const CallNodeIndex node : rows_of(tree_.nodes))
      if (node != DiffCallTree::kRoot && !tree_.nodes[node].is_device && !is_recursive(node)) {
        HotTimes& of_name = by_name[static_cast<std::size_t>(tree_.nodes[node].name)];
        add_below(times_[node], of_name);
        of_name.inclusive_ns = add_times(of_name.inclusive_ns, times_[node].inclusive_ns);
      }
    for (std::size_t id = 0; id < by_name.size(); ++id)
      if (by_name[id].count > 0 || by_name[id].own_ns > 0)
        spots_.ops.push_back({by_name[id], std::string(tree_.names[StringId(id)])});
    std::sort(spots_.ops.begin(), spots_.ops.end(), [](const HotOp& a, const HotOp& b) {
      return a.own_ns != b.own_ns ? a.own_ns > b.own_ns : a.name < b.name;
    });
  }

  /// The nodes of the tree that anything was counted at or below.
  bool is_used(CallNodeIndex node) const {
    const HotTimes& times = times_[node];
    return times.count > 0 || times.own_ns > 0 || times.launched > 0 || times.host_ns > 0;
  }

  bool is_before(CallNodeIndex a, CallNodeIndex b) const {
    const auto time = [&](CallNodeIndex node) {
      return add_times(times_[node].host_ns, times_[node].device_ns);
    };
    return time(a) != time(b) ? time(a) > time(b) : tree_.name(a) < tree_.name(b);
  }

  void fill_paths() {
    ByRow<CallNode, std::vector<CallNodeIndex>> children(tree_.nodes.size());
    for (const CallNodeIndex node : rows_of(tree_.nodes))
      if (node != DiffCallTree::kRoot && is_used(node))
        children[tree_.nodes[node].parent].push_back(node);
    for (auto& siblings : children)
      std::sort(siblings.begin(), siblings.end(),
                [&](CallNodeIndex a, CallNodeIndex b) { return is_before(b, a); });
    ByRow<CallNode, std::uint32_t> path_of(tree_.nodes.size(), kNoIndex);
    std::vector<CallNodeIndex> open = children[DiffCallTree::kRoot];
    while (!open.empty()) {
      const CallNodeIndex node = open.back();
      open.pop_back();
      path_of[node] = static_cast<std::uint32_t>(spots_.paths.size());
      const CallNode& call = tree_.nodes[node];
      spots_.paths.push_back(
          {times_[node], std::string(tree_.name(node)), path_of[call.parent], call.is_device});
      open.insert(open.end(), children[node].begin(), children[node].end());
    }
  }

  HotSpotSums& sums_;
  const DiffCallTree& tree_;
  ByRow<CallNode, HotTimes> times_;  // by node of the tree
  HotSpots spots_;
};

HotSpots HotSpotSums::take() {
  HotSpots spots = Result(*this).make();
  *this = HotSpotSums(steps_);
  return spots;
}

}  // namespace nadi
