// Threads that wait for others: for those they start, and for what is handed over again and again.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "nadi/graph/hand_off_times.h"
#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using namespace test;

constexpr int kTurns = 5, kFirst = 200, kSecond = 201;
constexpr double kBeginsAfter = 40, kLength = 60, kLater = 12, kGoesOn = 15;

struct Joined {
  const char* of_first = "replica";  ///< the op of the first thread, which ends before the second
  double begins_later = 0;           ///< in each step again
  bool works_meanwhile = false;      ///< the first thread, while the main thread works, too
};

/// Each step the main thread goes idle for two threads that begin one after the other, and goes on
/// behind the second.
Lines steps_that_join(const Joined& how) {
  Lines events;
  double start = 10;
  for (int i = 0; i < kTurns; ++i, start += 900 + 70 * i) {
    const double begin = start + kBeginsAfter + i * how.begins_later,
                 end = begin + kLater + kLength;
    events.push_back(op("scatter", start, 20));
    events.push_back(op(how.of_first, begin, kLength, 0, kFirst));
    events.push_back(op("replica", begin + kLater, kLength, 0, kSecond));
    events.push_back(op("gather", end + kGoesOn, 30));
    if (how.works_meanwhile) events.push_back(op("other", end + kGoesOn + 10, 5, 0, kFirst));
  }
  return events;
}

/// How often an op of one name follows one of another on another thread.
std::map<std::pair<std::string, std::string>, int> hand_offs_in(const Lines& events) {
  const TraceGraph g(events);
  std::map<std::pair<std::string, std::string>, int> count;
  for (std::uint32_t v = 0; v < g.size(); ++v)
    for (auto [edge, end] = out_edges(v, g.graph.structure); edge != end; ++edge)
      if (g.graph.structure[*edge].evidence == Evidence::kThreadHandOff)
        ++count[{g.label(v),
                 g.label(static_cast<std::uint32_t>(target(*edge, g.graph.structure)))}];
  return count;
}
std::map<std::pair<std::string, std::string>, int> hand_offs(const Joined& how) {
  return hand_offs_in(steps_that_join(how));
}
const std::pair<std::string, std::string> kStart{"scatter", "replica"}, kJoin{"replica", "gather"};

TEST(JoinedThreads, AreStartedAndWaitedForAlsoWhereOneThatDoesTheSameAlwaysEndsLater) {
  const auto found = hand_offs({});
  EXPECT_EQ(found.at(kStart), 10);
  EXPECT_EQ(found.at(kJoin), 10);
}

TEST(JoinedThreads, AreNotWaitedForWhereTheyDoSomethingElseAndNeverEndLast) {
  const auto found = hand_offs({"log"});
  EXPECT_EQ(found.at(kJoin), 5);
  EXPECT_EQ(found.count({"log", "gather"}), 0U);
}

TEST(JoinedThreads, DoNothingWhileTheOtherThreadWorks) {
  EXPECT_EQ(hand_offs({"replica", 0, true}).at(kJoin), 5);
}

TEST(JoinedThreads, BeginAsSoonEachTime) {
  EXPECT_EQ(hand_offs({"replica", 150}).count(kStart), 0U);
}

/// Lengths in us of the nodes that the node comes after, by their labels.
std::map<std::string, double> lengths_before(const TraceGraph& g, std::uint32_t node) {
  std::map<std::string, double> lengths;
  for (const std::uint32_t source : g.graph.dependencies(node))
    lengths[g.label(source)] = static_cast<double>(g.graph.duration_ns[source]) / 1e3;
  return lengths;
}

TEST(JoinedThreads, GoOnAfterTimeOfTheirOwnButForHalfOfTheShortestHandOff) {
  const TraceGraph g(steps_that_join({}), {});
  const double own = kGoesOn / 2, end = kBeginsAfter + kLater + kLength;
  const std::string delay = fmt::format("delay@{}", static_cast<int>(end + own));
  const auto before = lengths_before(g, g.vertex("gather"));
  ASSERT_EQ(before.count(delay), 1U);
  EXPECT_EQ(before.at(delay), own);
  const auto before_own = lengths_before(g, g.vertex(delay));
  EXPECT_EQ(before_own.count("scatter"), 1U);  // what the thread did before
  EXPECT_EQ(before_own.at(fmt::format("delay@{}", static_cast<int>(end))), kGoesOn - own);
}

/// Ten items, each behind the second "put" of one thread; another takes them, and two of them late.
Lines items_of_a_queue() {
  constexpr int kTaker = 200;
  const auto is_late = [](int item) { return item == 4 || item == 7; };
  Lines events;
  double start = 10;
  for (int i = 0; i < 10; ++i) {
    const double taken = start + (is_late(i) ? 40 : 27), next = start + 900 + 70 * i;
    events.push_back(op("put", start, 5));
    events.push_back(op("put", start + 7, 5));
    events.push_back(op("take", taken, 60, 0, kTaker));
    if (is_late(i + 1)) events.push_back(op("log", taken + 65, next + 38 - taken - 65, 0, kTaker));
    start = next;
  }
  return events;
}

TEST(Queues, AreTakenInTurnAlsoWhereNobodyWaitsOrOneItemTakesTwoOfAKind) {
  EXPECT_EQ(hand_offs_in(items_of_a_queue()).at({"put", "take"}), 10);
}

TEST(HandOffTimes, AreTheThreadsOwnUpToWhatIsUsual) {
  const HandOffPlace place{LaneIndex(0), LaneIndex(1)}, other{LaneIndex(1), LaneIndex(0)};
  HandOffTimes times;
  for (const Ns time : {10'000, 12'000, 50'000}) times.add(place, time);
  times.add(other, 8'000);
  times.finish();
  EXPECT_EQ(times.own_time(place, 11'000), 7'000);
  EXPECT_EQ(times.own_time(place, 50'000), 8'000);
  EXPECT_EQ(times.own_time(other, 8'000), 4'000);
}

}  // namespace
}  // namespace nadi
