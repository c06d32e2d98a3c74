// Which nodes of small ranks become one.
#include "nadi/sim_bridge/astra_sim/coarsen.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace nadi::astra_sim {
namespace {

constexpr std::uint32_t kThread = 0, kOtherThread = 1, kStream = 2;

/// A rank whose nodes stand in its order; times are us.
class CoarseRank : public testing::Test {
 protected:
  std::uint32_t host(Ns micros, std::initializer_list<std::uint32_t> on = {},
                     std::uint32_t lane = kThread) {
    return add(lane, true, micros, on);
  }
  std::uint32_t row(Ns micros, std::initializer_list<std::uint32_t> on) {
    return add(kStream, false, micros, on);
  }
  std::uint32_t collective(std::initializer_list<std::uint32_t> on) {
    const std::uint32_t node = add(kStream, false, 1, on);
    rank_.type[node] = NodeType::kCollective;
    rank_.add_communication(node, {});
    return node;
  }

  /// How many nodes each of those left stands for, in order.
  std::vector<std::uint32_t> parts(Ns most_late_micros = 0) {
    JobRank rank = rank_;
    result_ = coarsen(rank, most_late_micros * kNsPerMicro);
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t node : rank.order) counts.push_back(rank.merged[node]);
    coarse_ = rank;
    return counts;
  }

  using Counts = std::vector<std::uint32_t>;
  JobRank rank_, coarse_;
  Coarsening result_;

 private:
  std::uint32_t add(std::uint32_t lane, bool is_host, Ns micros,
                    std::initializer_list<std::uint32_t> on) {
    const std::uint32_t node = rank_.add(AddedNode::kDelay);
    rank_.lane[node] = lane;
    rank_.is_host[node] = is_host;
    rank_.duration_ns[node] = micros * kNsPerMicro;
    rank_.num_ops[node] = rank_.tensor_size[node] = is_host ? 0 : 10;
    for (const std::uint32_t other : on) rank_.dependencies.push_back({node, other});
    rank_.order.push_back(node);
    return node;
  }
};

TEST_F(CoarseRank, JoinsHostNodesThatFollowEachOther) {
  const auto a = host(3), b = host(4, {a}), c = host(5, {b, a});
  EXPECT_EQ(parts(), Counts({3}));
  EXPECT_EQ(coarse_.duration_ns[a], 12 * kNsPerMicro);
  EXPECT_TRUE(coarse_.dependencies.empty());
  EXPECT_EQ(result_.into[b], a);
  EXPECT_EQ(result_.into[c], a);
  EXPECT_EQ(result_.fine_order, Counts({a, b, c}));
}

TEST_F(CoarseRank, NamesANodeAfterItsFirstPartThatIsNoDelay) {
  const auto delay = host(3), op = host(4, {delay});
  rank_.is_delay[delay] = 1;
  rank_.start_ns[delay] = 7, rank_.start_ns[op] = 3007;
  EXPECT_EQ(parts(), Counts({2}));
  EXPECT_EQ(result_.into[delay], op);
  EXPECT_EQ(coarse_.start_ns[op], 7);
  EXPECT_FALSE(coarse_.is_delay[op]);
}

TEST_F(CoarseRank, LetsRowsThatAreLaunchedLateFollowEachOther) {
  const auto a = host(3), launched = row(1, {a}), b = host(4, {a});
  row(1, {b, launched});
  const auto c = host(2, {b});
  EXPECT_EQ(parts(), Counts({1, 2, 2}));
  // The second row is launched after 7 us: both end after 8 us, if the first begins after 6 us.
  EXPECT_EQ(coarse_.duration_ns[a], 6 * kNsPerMicro);
  EXPECT_EQ(coarse_.duration_ns[launched], 2 * kNsPerMicro);
  EXPECT_EQ(coarse_.duration_ns[b], 3 * kNsPerMicro);
  EXPECT_EQ(result_.into[c], b);
  EXPECT_EQ(coarse_.dependencies, (std::vector<JobDependency>{{launched, a}, {b, a}}));
}

TEST_F(CoarseRank, KeepsRowsApartWhereALaunchBindsAndTheFirstIsWaitedFor) {
  const auto a = host(3), launched = row(1, {a}), b = host(4, {a});
  row(1, {b, launched});
  collective({launched});
  host(2, {b});
  EXPECT_EQ(parts(), Counts({1, 1, 1, 1, 1, 1}));
}

TEST_F(CoarseRank, LetsAHostThatTakesTurnsWithADeviceRunFirst) {
  const auto a = host(3), first = row(5, {a}), x = host(1, {a, first}), second = row(6, {first, x}),
             y = host(2, {x, second}), third = row(7, {second, y});
  host(1, {y, third});
  EXPECT_EQ(parts(), Counts({3, 3, 1}));
  EXPECT_EQ(coarse_.duration_ns[a], 6 * kNsPerMicro);
  EXPECT_EQ(coarse_.duration_ns[first], 18 * kNsPerMicro);
}

TEST_F(CoarseRank, DropsAWaitThatNeverBinds) {
  const auto a = host(3), fast = row(1, {a}), b = host(4, {a});
  host(5, {b, fast});  // the row has ended by then
  EXPECT_EQ(parts(), Counts({1, 1, 2}));
  EXPECT_EQ(coarse_.dependencies, (std::vector<JobDependency>{{fast, a}, {b, a}}));
}

TEST_F(CoarseRank, JoinsRowsThatLastLongerThanTheHostNeedsForTheNextLaunch) {
  const auto a = host(3), first = row(10, {a}), b = host(4, {a}), second = row(5, {b, first}),
             c = host(11, {b});
  row(1, {c, second});  // launched 15 us behind the first, which ends with the second then
  EXPECT_EQ(parts(), Counts({1, 2, 3}));
  EXPECT_EQ(coarse_.num_ops[first], 30);
  EXPECT_EQ(coarse_.tensor_size[first], 30);
  EXPECT_EQ(coarse_.duration_ns[first], 16 * kNsPerMicro);
}

TEST_F(CoarseRank, KeepsRowsApartWhereTheHostMayHaveWaitedBeforeALaunch) {
  const auto a = host(3), first = row(10, {a}), waited = collective({a}), b = host(1, {a, waited});
  row(5, {b, first});
  EXPECT_EQ(parts(), Counts({1, 1, 1, 1, 1}));
}

TEST_F(CoarseRank, KeepsApartWhereAnotherThreadMayComeBetween) {
  // The other thread's node has the smaller id: it runs first when it becomes ready while a runs.
  const auto launch = host(1), waited = collective({launch});
  const auto other = host(2, {waited}, kOtherThread);
  const auto a = host(3, {launch}), b = host(4, {a});
  EXPECT_EQ(parts(), Counts({1, 1, 1, 1, 1}));
  rank_.dependencies.push_back({a, other});
  host(1, {b});
  EXPECT_EQ(parts(), Counts({1, 1, 1, 3}));
}

TEST_F(CoarseRank, WithATimeMakesNothingLaterByMore) {
  const auto a = host(3), b = host(4, {a}), c = host(4, {b});
  row(1, {a});
  host(2, {c});
  EXPECT_EQ(parts(), Counts({1, 1, 3}));
  EXPECT_EQ(parts(3), Counts({1, 1, 3}));
  EXPECT_EQ(parts(4), Counts({2, 1, 2}));
  EXPECT_EQ(parts(8), Counts({3, 1, 1}));
  EXPECT_EQ(parts(10), Counts({4, 1}));
}

}  // namespace
}  // namespace nadi::astra_sim
