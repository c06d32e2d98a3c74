#include "nadi/diff/call_diff.h"

#include <span>
#include <unordered_map>

#include "nadi/base/adjacency.h"
#include "nadi/base/utf8.h"
#include "nadi/diff/align_siblings.h"

namespace nadi {
namespace {

constexpr std::size_t kNameBytes = 4096;

/// The children of each node, in order.
class Children {
 public:
  explicit Children(const DiffCallTree& tree)
      : called_(grouped_by_node(
            tree.nodes.size(), tree.nodes.size(),
            [&](std::size_t n) {
              const CallNodeIndex node(n);
              return node == DiffCallTree::kRoot ? kNoIndex : tree.nodes[node].parent.value;
            },
            [](std::size_t n) { return CallNodeIndex(n); })) {}
  std::span<const CallNodeIndex> of(CallNodeIndex node) const {
    return node ? called_.of(node.value) : std::span<const CallNodeIndex>();
  }

 private:
  ValuesByNode<CallNodeIndex> called_;
};

struct Pair {
  CallNodeIndex control, test;
};

class Aligner {
 public:
  Aligner(const DiffCallTree& control, std::uint64_t control_samples, const DiffCallTree& test,
          std::uint64_t test_samples)
      : control_(control),
        test_(test),
        control_samples_(control_samples),
        test_samples_(test_samples),
        control_children_(control),
        test_children_(test) {}

  ByRow<CallDiff> run() {
    struct Waiting {
      Pair pair;
      CallDiffIndex parent;
    };
    std::vector<Waiting> waiting{{{DiffCallTree::kRoot, DiffCallTree::kRoot}, CallDiffIndex(0)}};
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      const CallDiffIndex call(calls_.size());
      add(next.pair, next.parent);
      std::vector<Pair> inside = pairs_inside(next.pair);
      for (auto pair = inside.rbegin(); pair != inside.rend(); ++pair)
        waiting.push_back({*pair, call});
    }
    return std::move(calls_);
  }

 private:
  using Totals = ByRow<CallNode, KeyTotals>;

  static KeyTotals totals_of(const Totals& totals, CallNodeIndex node) {
    return node.value < totals.size() ? totals[node] : KeyTotals{};  // none is beyond, too
  }

  void add(const Pair& pair, CallDiffIndex parent) {
    CallDiff& call = calls_.emplace_back();
    call.parent = parent;
    call.depth = calls_.size() == 1 ? 0 : calls_[parent].depth + 1;
    const bool in_control{pair.control}, in_test{pair.test};
    call.is_device =
        in_control ? control_.nodes[pair.control].is_device : test_.nodes[pair.test].is_device;
    call.row.key = in_control ? control_.name(pair.control) : test_.name(pair.test);
    if (in_control && in_test && control_.name(pair.control) != test_.name(pair.test))
      call.row.key += " => " + std::string(test_.name(pair.test));
    const auto control = [&](const Totals& totals) {
      return side_of(totals_of(totals, pair.control), control_samples_);
    };
    const auto test = [&](const Totals& totals) {
      return side_of(totals_of(totals, pair.test), test_samples_);
    };
    call.row.control = control(control_.totals);
    call.row.test = test(test_.totals);
    call.own.key = call.row.key;
    call.own.control = control(control_.own);
    call.own.test = test(test_.own);
    call.control_device = control(control_.device);
    call.test_device = test(test_.device);
    for (DiffRow* row : {&call.row, &call.own}) judge(*row, control_samples_, test_samples_);
  }

  std::vector<Pair> pairs_inside(const Pair& pair) const {
    const auto from = control_children_.of(pair.control), to = test_children_.of(pair.test);
    std::unordered_map<std::string_view, CallNodeIndex> host, device;
    for (const CallNodeIndex node : to)
      (test_.nodes[node].is_device ? device : host).emplace(test_.name(node), node);
    std::vector<Pair> pairs;
    for (const CallNodeIndex node : from) {
      auto& same = control_.nodes[node].is_device ? device : host;
      const auto found = same.find(control_.name(node));
      pairs.push_back({node, found == same.end() ? CallNodeIndex() : found->second});
      if (found != same.end()) same.erase(found);
    }
    std::vector<CallNodeIndex> left;
    for (const CallNodeIndex node : to)
      if ((test_.nodes[node].is_device ? device : host).contains(test_.name(node)))
        left.push_back(node);
    pair_the_rest(pairs, left);
    return pairs;
  }

  /// Pairs the nodes of control without partner with those left of test; adds what stays alone.
  void pair_the_rest(std::vector<Pair>& pairs, const std::vector<CallNodeIndex>& left) const {
    std::vector<std::size_t> alone;
    std::vector<Sibling> from, to;
    for (std::size_t i = 0; i < pairs.size() && !left.empty(); ++i) {
      if (pairs[i].test) continue;
      alone.push_back(i);
      from.push_back(sibling(control_, control_children_, pairs[i].control));
    }
    for (const CallNodeIndex node : left) to.push_back(sibling(test_, test_children_, node));
    std::vector<bool> is_paired(left.size());
    for (const auto& [a, b] : align_siblings(from, to)) {
      pairs[alone[a]].test = left[b];
      is_paired[b] = true;
    }
    for (std::size_t i = 0; i < left.size(); ++i)
      if (!is_paired[i]) pairs.push_back({CallNodeIndex(), left[i]});
  }

  static Sibling sibling(const DiffCallTree& tree, const Children& children, CallNodeIndex node) {
    Sibling sibling{tree.name(node), tree.nodes[node].is_device, {}};
    for (const CallNodeIndex child : children.of(node))
      sibling.children.push_back(tree.name(child));
    return sibling;
  }

  const DiffCallTree &control_, &test_;
  std::uint64_t control_samples_, test_samples_;
  Children control_children_, test_children_;
  ByRow<CallDiff> calls_;
};

}  // namespace

ByRow<CallDiff> align_calls(const DiffCallTree& control, std::uint64_t control_samples,
                            const DiffCallTree& test, std::uint64_t test_samples) {
  return Aligner(control, control_samples, test, test_samples).run();
}

std::string path_of(const ByRow<CallDiff>& calls, CallDiffIndex call) {
  std::vector<CallDiffIndex> path;
  for (; call != CallDiffIndex(0); call = calls[call].parent) path.push_back(call);
  std::string text;
  for (auto outer = path.rbegin(); outer != path.rend(); ++outer) {
    text.append(text.empty() ? "" : " > ");
    text.append(whole_prefix(calls[*outer].row.key, kNameBytes));
  }
  return text;
}

}  // namespace nadi
