#include "nadi/link/match_tree.h"

#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// Call trees as text, "a(bc)d": ops with an id and a begin each, in the order written.
struct Trees {
  Lines nodes, events;
};
Trees trees(const std::string& text, double start = 0) {
  Trees result;
  struct Open {
    std::string name;
    int id;
    double start;
  };
  std::vector<Open> open;
  int id = 1;
  double time = start;
  const auto close = [&] {
    const Open& o = open.back();
    result.events.push_back(op(o.name, o.start, (time += 1) - o.start));
    open.pop_back();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') continue;
    if (text[i] == ')') {
      close();
      continue;
    }
    const int parent = open.empty() ? 1 : open.back().id;
    result.nodes.push_back(node(++id, std::string(1, text[i]), parent, 0));
    open.push_back({std::string(1, text[i]), id, time += 1});
    if (i + 1 == text.size() || text[i + 1] != '(') close();
  }
  return result;
}

std::string start_of(const LinkedTrace& linked, const std::string& name) {
  for (std::size_t row = 0; row < linked.ops.size(); ++row)
    if (linked.ops.host[row] && op_name(linked, std::uint32_t(row)) == name)
      return !linked.ops.profiler[row] ? "-" : std::to_string(linked.ops.start_ns[row] / 1000);
  return "no such host op";
}
LinkedTrace by_tree(const std::string& host, const std::string& profiler,
                    Diagnostics* diagnostics = nullptr) {
  LinkOptions options;
  options.match.method = MatchMethod::kTree;
  options.match.iteration_pick = {IterationPickKind::kFirst};
  Diagnostics own;
  return link_traces(host_trace(trees(host).nodes), device_trace(trees(profiler).events), options,
                     diagnostics == nullptr ? own : *diagnostics);
}

TEST(MatchByTree, AnOpMoreOrLessAmongSiblingsCostsThatOpOnly) {
  EXPECT_EQ(by_tree("a(bcdefghij)", "a(bcdXefghij)").matched_host_op_count, 10U);
  const LinkedTrace linked = by_tree("a(bcdefghijkl)", "a(bcdfghijkl)");
  EXPECT_EQ(linked.matched_host_op_count, 11U);
  EXPECT_EQ(start_of(linked, "e"), "-");
}

TEST(MatchByTree, AnOpThatOnlyOneTraceKnowsIsLookedThrough) {
  EXPECT_EQ(by_tree("a(bc)d(ef)", "S(a(bc)X(d(ef)))").matched_host_op_count, 6U);
  const LinkedTrace linked = by_tree("a(bcdefg(Y(hij)))", "a(bcdefg(hij))");
  EXPECT_EQ(linked.matched_host_op_count, 10U);
  EXPECT_EQ(start_of(linked, "Y"), "-");
}

TEST(MatchByTree, AnOpUnderAnotherParentIsGapFilledBetweenItsNeighbours) {
  Diagnostics diagnostics;
  const LinkedTrace linked = by_tree("a(b(c)def)g(hij)", "a(bcdef)g(hij)", &diagnostics);
  EXPECT_EQ(linked.matched_host_op_count, 10U);
  EXPECT_EQ(start_of(linked, "c"), "4");
}

TEST(MatchByTree, OfManyIterationsOneIsTaken) {
  Diagnostics diagnostics;
  const LinkedTrace linked =
      by_tree("a(bc)d(ef)", "a(bc)d(fe)a(bc)d(ef)a(cb)d(ef)a(bc)d(ef)", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kIterationsFound), 4U);
  EXPECT_EQ(linked.matched_host_op_count, 6U);
  EXPECT_EQ(linked.ops.size(), 6U);
  EXPECT_EQ(start_of(linked, "f"), "8");  // after a(bc)d
}

/// An op per letter, 1 us apart, that encloses `x`; the numbers stand in the order of the letters.
Trees numbered(const std::string& names, const std::vector<int>& numbers, double start = 0) {
  Trees result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int id = 2 * int(i) + 2;
    const double time = start + 10.0 * double(i);
    const std::string name(1, names[i]);
    result.nodes.push_back(node(id, name, 1, 0, 1, fmt::format(R"("seq_id": {})", numbers[i])));
    result.nodes.push_back(node(id + 1, "x", id, 0));
    result.events.push_back(
        op(name, time, 5, 0, 100, fmt::format(R"("Sequence number": {})", numbers[i])));
    result.events.push_back(op("x", time + 1, 1));
  }
  return result;
}
/// Three iterations of "aab", 100 us apart; autograd counts on.
Lines three_iterations() {
  Lines events;
  for (int i = 0; i < 3; ++i) {
    const Trees one = numbered("aab", {3 * i + 10, 3 * i + 11, 3 * i + 12}, 100.0 * i);
    events.insert(events.end(), one.events.begin(), one.events.end());
  }
  return events;
}
std::string places_by_tree(const Lines& nodes, const Lines& events) {
  LinkOptions options;
  options.match.method = MatchMethod::kTree;
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link_traces(host_trace(nodes), device_trace(events), options, diagnostics);
  std::string text;
  for (std::size_t row = 0; row < linked.ops.size(); ++row)
    if (linked.ops.host[row] && op_name(linked, std::uint32_t(row)) != "x")
      text += fmt::format("{}#{}@{} ", op_name(linked, std::uint32_t(row)),
                          linked.host.ops.seq_id[linked.ops.host[row]],
                          linked.ops.start_ns[row] / 1000);
  return text;
}

TEST(MatchByTree, TheIterationOfTheHostTraceIsTakenThoughItsSiblingsAreSwapped) {
  const Lines events = three_iterations();
  const std::string right = "a#16@200 a#17@210 b#18@220 ";
  EXPECT_EQ(places_by_tree(numbered("aab", {16, 17, 18}).nodes, events), right);
  // The observer wrote the second a first; then b first of all.
  EXPECT_EQ(places_by_tree(numbered("aab", {17, 16, 18}).nodes, events), right);
  EXPECT_EQ(places_by_tree(numbered("baa", {18, 17, 16}).nodes, events), right);
}

TEST(MatchByTree, FewOutermostOpsAreNoReasonToTakeTwoIterationsForOne) {
  Lines events = three_iterations();
  events.resize(12);  // two iterations
  EXPECT_EQ(places_by_tree(numbered("aab", {13, 14, 15}).nodes, events),
            "a#13@100 a#14@110 b#15@120 ");
}

}  // namespace
}  // namespace nadi
