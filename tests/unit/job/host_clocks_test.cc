// Clocks of hosts by what their ranks communicate.
#include "nadi/sim_bridge/job/host_clocks.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

/// All-reduces of two ranks, one every 100 us. Rank 1's clock reads `shift + drift * time` more;
/// in turn one of them comes 30 us earlier and waits.
std::vector<CommonTimes> all_reduces_of_two(int count, Ns shift, double drift) {
  std::vector<CommonTimes> all;
  for (int i = 0; i < count; ++i) {
    const Ns end = (i + 1) * 100 * kNsPerMicro;
    const Ns of_0 = end - (i % 2 == 0 ? 50 : 20) * kNsPerMicro,
             of_1 = end - (i % 2 == 0 ? 20 : 50) * kNsPerMicro;
    const auto read = [&](Ns time) {
      return time + shift + std::llround(drift * static_cast<double>(time));
    };
    all.push_back({CommOrder::kAllBeforeAny, {{0, of_0, end}, {1, read(of_1), read(end)}}});
  }
  return all;
}

TEST(HostClocks, StayAsToldWhereCommunicationAllowsIt) {
  const HostClocks found =
      align_host_clocks({100, 600}, all_reduces_of_two(20, 3 * kNsPerMicro, 0));
  EXPECT_EQ(found.source, ClockSource::kBaseTime);
  EXPECT_EQ(found.first_contradiction, kNoIndex);
  EXPECT_EQ(found.clocks[1].shift_ns, 500);
}

TEST(HostClocks, OffByAConstantGetTheOneThatMakesEndsTheSame) {
  const HostClocks found = align_host_clocks({0, 0}, all_reduces_of_two(20, 700 * kNsPerMicro, 0));
  EXPECT_EQ(found.source, ClockSource::kContradicted);
  EXPECT_EQ(found.first_contradiction, 0U);
  EXPECT_EQ(found.corrected, 1U);
  EXPECT_EQ(found.contradicting, 0U);
  EXPECT_EQ(found.clocks[0].shift_ns, 700 * kNsPerMicro);
  EXPECT_EQ(found.clocks[1].shift_ns, 0);
  EXPECT_EQ(found.clocks[1].drift, 0);
}

TEST(HostClocks, ThatDriftGetALine) {
  const auto communications = all_reduces_of_two(5000, -40 * kNsPerMicro, 300e-6);
  const HostClocks found = align_host_clocks({0, 0}, communications);
  EXPECT_NEAR(found.clocks[1].drift, -300e-6, 1e-6);
  for (const CommonTimes& common : communications)
    EXPECT_NEAR(static_cast<double>(found.clocks[0].job_ns(common.members[0].end_ns)),
                static_cast<double>(found.clocks[1].job_ns(common.members[1].end_ns)), 100);
}

TEST(HostClocks, AreNotMovedByOneDamagedRow) {
  auto communications = all_reduces_of_two(20, 0, 0);
  communications[7].members[1].start_ns += 3000 * kNsPerMicro;
  communications[7].members[1].end_ns += 3000 * kNsPerMicro;
  const HostClocks found = align_host_clocks({0, 0}, communications);
  EXPECT_EQ(found.source, ClockSource::kBaseTime);
  EXPECT_EQ(found.corrected, 0U);
  EXPECT_EQ(found.contradicting, 1U);
  EXPECT_EQ(found.clocks[1].shift_ns, 0);
}

TEST(HostClocks, OfAThirdRankAreFoundThroughTheSecond) {
  auto communications = all_reduces_of_two(10, 500 * kNsPerMicro, 0);
  for (CommonTimes common : all_reduces_of_two(10, 900 * kNsPerMicro, 0)) {
    // Ranks 1 and 2: rank 1 reads 500 us more than rank 0, rank 2 900 us more than rank 1.
    for (Attendance& member : common.members) {
      member.rank += 1;
      member.start_ns += 500 * kNsPerMicro;
      member.end_ns += 500 * kNsPerMicro;
    }
    communications.push_back(common);
  }
  const HostClocks found = align_host_clocks({{}, {}, {}}, communications);
  EXPECT_EQ(found.source, ClockSource::kCommunication);
  EXPECT_EQ(found.clocks[0].shift_ns, 1400 * kNsPerMicro);
  EXPECT_EQ(found.clocks[1].shift_ns, 900 * kNsPerMicro);
  EXPECT_EQ(found.clocks[2].shift_ns, 0);
}

TEST(HostClocks, MayNotLetAReceiverEndBeforeTheSenderHasStarted) {
  std::vector<CommonTimes> messages;
  for (Ns i = 1; i <= 10; ++i)
    messages.push_back({CommOrder::kSourceBeforeReceiver,
                        {{0, i * 100 * kNsPerMicro, i * 100 * kNsPerMicro + 5 * kNsPerMicro},
                         {1, i * 100 * kNsPerMicro - 60 * kNsPerMicro,
                          i * 100 * kNsPerMicro - 25 * kNsPerMicro}}});
  EXPECT_EQ(align_host_clocks({0, 0}, messages).source, ClockSource::kContradicted);
  for (CommonTimes& message : messages) std::swap(message.members[0].rank, message.members[1].rank);
  for (CommonTimes& message : messages) std::swap(message.members[0], message.members[1]);
  EXPECT_EQ(align_host_clocks({0, 0}, messages).source, ClockSource::kBaseTime);
}

}  // namespace
}  // namespace nadi
