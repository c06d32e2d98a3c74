#include "nadi/diff/call_diff.h"

#include <algorithm>
#include <unordered_map>

#include "nadi/diff/align_siblings.h"

namespace nadi {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kNameBytes = 4096;

/// The children of each node, in order.
class Children {
 public:
  explicit Children(const DiffCallTree& tree) : first_(tree.nodes.size() + 1) {
    for (std::size_t node = 1; node < tree.nodes.size(); ++node)
      ++first_[tree.nodes[node].parent + 1];
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    all_.resize(tree.nodes.size() - 1);
    std::vector<std::uint32_t> next = first_;
    for (std::uint32_t node = 1; node < tree.nodes.size(); ++node)
      all_[next[tree.nodes[node].parent]++] = node;
  }
  std::vector<std::uint32_t> of(std::uint32_t node) const {
    if (node == kNone) return {};
    return {all_.begin() + first_[node], all_.begin() + first_[node + 1]};
  }

 private:
  std::vector<std::uint32_t> first_, all_;
};

struct Pair {
  std::uint32_t control, test;  ///< kNone = not there
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

  std::vector<CallDiff> run() {
    struct Waiting {
      Pair pair;
      std::uint32_t parent;
    };
    std::vector<Waiting> waiting{{{0, 0}, 0}};
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      const auto place = static_cast<std::uint32_t>(calls_.size());
      add(next.pair, next.parent);
      std::vector<Pair> inside = pairs_inside(next.pair);
      for (auto pair = inside.rbegin(); pair != inside.rend(); ++pair)
        waiting.push_back({*pair, place});
    }
    return std::move(calls_);
  }

 private:
  static KeyTotals totals_of(const std::vector<KeyTotals>& totals, std::uint32_t node) {
    return node < totals.size() ? totals[node] : KeyTotals{};  // kNone is beyond, too
  }

  void add(const Pair& pair, std::uint32_t parent) {
    CallDiff& call = calls_.emplace_back();
    call.parent = parent;
    call.depth = calls_.size() == 1 ? 0 : calls_[parent].depth + 1;
    const bool in_control = pair.control != kNone, in_test = pair.test != kNone;
    call.is_device =
        in_control ? control_.nodes[pair.control].is_device : test_.nodes[pair.test].is_device;
    call.row.key = in_control ? control_.name(pair.control) : test_.name(pair.test);
    if (in_control && in_test && control_.name(pair.control) != test_.name(pair.test))
      call.row.key += " => " + std::string(test_.name(pair.test));
    const auto control = [&](const std::vector<KeyTotals>& totals) {
      return side_of(totals_of(totals, pair.control), control_samples_);
    };
    const auto test = [&](const std::vector<KeyTotals>& totals) {
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
    std::unordered_map<std::string_view, std::uint32_t> host, device;
    for (const std::uint32_t node : to)
      (test_.nodes[node].is_device ? device : host).emplace(test_.name(node), node);
    std::vector<Pair> pairs;
    for (const std::uint32_t node : from) {
      auto& same = control_.nodes[node].is_device ? device : host;
      const auto found = same.find(control_.name(node));
      pairs.push_back({node, found == same.end() ? kNone : found->second});
      if (found != same.end()) same.erase(found);
    }
    std::vector<std::uint32_t> left;
    for (const std::uint32_t node : to)
      if ((test_.nodes[node].is_device ? device : host).contains(test_.name(node)))
        left.push_back(node);
    pair_the_rest(pairs, left);
    return pairs;
  }

  /// Pairs the nodes of control without partner with those left of test; adds what stays alone.
  void pair_the_rest(std::vector<Pair>& pairs, const std::vector<std::uint32_t>& left) const {
    std::vector<std::size_t> alone;
    std::vector<Sibling> from, to;
    for (std::size_t i = 0; i < pairs.size() && !left.empty(); ++i) {
      if (pairs[i].test != kNone) continue;
      alone.push_back(i);
      from.push_back(sibling(control_, control_children_, pairs[i].control));
    }
    for (const std::uint32_t node : left) to.push_back(sibling(test_, test_children_, node));
    std::vector<bool> is_paired(left.size());
    for (const auto& [a, b] : align_siblings(from, to)) {
      pairs[alone[a]].test = left[b];
      is_paired[b] = true;
    }
    for (std::size_t i = 0; i < left.size(); ++i)
      if (!is_paired[i]) pairs.push_back({kNone, left[i]});
  }

  static Sibling sibling(const DiffCallTree& tree, const Children& children, std::uint32_t node) {
    Sibling sibling{tree.name(node), tree.nodes[node].is_device, {}};
    for (const std::uint32_t child : children.of(node))
      sibling.children.push_back(tree.name(child));
    return sibling;
  }

  const DiffCallTree &control_, &test_;
  std::uint64_t control_samples_, test_samples_;
  Children control_children_, test_children_;
  std::vector<CallDiff> calls_;
};

}  // namespace

std::vector<CallDiff> align_calls(const DiffCallTree& control, std::uint64_t control_samples,
                                  const DiffCallTree& test, std::uint64_t test_samples) {
  return Aligner(control, control_samples, test, test_samples).run();
}

std::string path_of(const std::vector<CallDiff>& calls, std::size_t place) {
  std::vector<std::size_t> path;
  for (; place != 0; place = calls[place].parent) path.push_back(place);
  std::string text;
  for (auto call = path.rbegin(); call != path.rend(); ++call)
    text += (text.empty() ? "" : " > ") + calls[*call].row.key.substr(0, kNameBytes);
  return text;
}

}  // namespace nadi
