// Sequences of communication of which records lack some.
#include "nadi/sim_bridge/job/align_sequences.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "et_def.pb.h"

namespace nadi {
namespace {

/// All-reduces that end every 100 us and, in turn, take 20 to 80 us; without those lost.
std::vector<SequenceEntry> all_reduces(int count, const std::set<int>& lost, Ns shift = 0,
                                       double drift = 0) {
  std::vector<SequenceEntry> entries;
  for (int i = 0; i < count; ++i) {
    if (lost.contains(i)) continue;
    const Ns time = (i + 1) * 100 * kNsPerMicro;
    const Ns end = time + shift + static_cast<Ns>(drift * static_cast<double>(time));
    const Ns length = (20 + 20 * ((i + std::abs(shift) / kNsPerMicro) % 4)) * kNsPerMicro;
    entries.push_back({ChakraProtoMsg::ALL_REDUCE, end - length, end});
  }
  return entries;
}

/// "0-0 1-1 2-.": each member's places, row by row.
std::string text_of(const AlignedSequence& aligned) {
  std::string text;
  for (std::size_t row = 0; row < aligned.size(); ++row) {
    if (row > 0) text += ' ';
    for (std::size_t member = 0; member < aligned.members; ++member) {
      if (member > 0) text += '-';
      const std::uint32_t place = aligned[row][member];
      text += place == kNoIndex ? "." : std::to_string(place);
    }
  }
  return text;
}

constexpr SequenceKey kMessages{.src = 0, .dst = 1};

std::string aligned(std::vector<std::vector<SequenceEntry>> members, bool are_messages = false) {
  return text_of(align_sequence({are_messages ? kMessages : SequenceKey{}, std::move(members)}));
}

TEST(AlignSequence, IsByPlaceWhereAllHaveAsMany) {
  EXPECT_EQ(aligned({all_reduces(3, {}), all_reduces(3, {}, 7000 * kNsPerMicro)}), "0-0 1-1 2-2");
}

TEST(AlignSequence, FindsWhichOfManyAlikeEachMemberLost) {
  EXPECT_EQ(aligned({all_reduces(6, {1}), all_reduces(6, {4})}), "0-0 .-1 1-2 2-3 3-. 4-4");
}

TEST(AlignSequence, FindsThemWhereClocksDifferAndDrift) {
  for (const Ns shift : {-900 * kNsPerMicro, 40 * kNsPerMicro, 123'456 * kNsPerMicro}) {
    const auto result = align_sequence(
        {{}, {all_reduces(3000, {5, 1200}), all_reduces(3000, {0, 900, 901}, shift, 200e-6)}});
    ASSERT_EQ(result.size(), 3000U);
    int both = 0;
    for (std::size_t row = 0; row < result.size(); ++row)
      both += result[row][0] != kNoIndex && result[row][1] != kNoIndex ? 1 : 0;
    EXPECT_EQ(both, 2995);
    EXPECT_EQ(result[5][0], kNoIndex);
    EXPECT_EQ(result[1200][0], kNoIndex);
    EXPECT_EQ(result[900][1], kNoIndex);
  }
}

TEST(AlignSequence, OfThreeMembersHasARowForWhatAnyOfThemHas) {
  EXPECT_EQ(aligned({all_reduces(4, {0}), all_reduces(4, {1}), all_reduces(4, {2})}),
            ".-0-0 0-.-1 1-1-. 2-2-2");
}

TEST(AlignSequence, OfOtherTypesHasNothingInCommon) {
  auto other = all_reduces(2, {});
  for (SequenceEntry& entry : other) entry.type = ChakraProtoMsg::ALL_GATHER;
  EXPECT_EQ(aligned({all_reduces(2, {}), other}), "0-. .-0 1-. .-1");
}

TEST(AlignSequence, LeavesADamagedRowWithItsPartners) {
  auto damaged = all_reduces(8, {});
  damaged[3].start_ns += 3000 * kNsPerMicro;
  damaged[3].end_ns += 3000 * kNsPerMicro;
  EXPECT_EQ(aligned({all_reduces(8, {}), damaged}), "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7");
}

TEST(AlignSequence, FindsALostMessageWhoseReceiveWouldEndBeforeTheNextSendStarts) {
  std::vector<SequenceEntry> sends = all_reduces(5, {1}), receives = all_reduces(5, {});
  for (auto* entries : {&sends, &receives})
    for (SequenceEntry& entry : *entries) entry.type = -1;
  EXPECT_EQ(aligned({sends, receives}, true), "0-0 .-1 1-2 2-3 3-4");
}

TEST(AlignSequence, FindsMessagesOfWhichBothEndsLostAsMany) {
  std::vector<SequenceEntry> sends = all_reduces(9, {7}), receives = all_reduces(9, {2});
  for (auto* entries : {&sends, &receives})
    for (SequenceEntry& entry : *entries) entry.type = -1;
  EXPECT_EQ(aligned({sends, receives}, true), "0-0 1-1 2-. 3-2 4-3 5-4 6-5 .-6 7-7");
}

TEST(AlignSequence, OfSmallMessagesThatAreSentLongBeforeTheyAreReceivedIsByPlace) {
  std::vector<SequenceEntry> sends, receives;
  for (int i = 0; i < 6; ++i) {
    sends.push_back({-1, i * 10 * kNsPerMicro, (i * 10 + 4) * kNsPerMicro});
    receives.push_back({-1, (300 + i * 200) * kNsPerMicro, (305 + i * 200) * kNsPerMicro});
  }
  EXPECT_EQ(aligned({sends, receives}, true), "0-0 1-1 2-2 3-3 4-4 5-5");
}

TEST(AlignSequence, OfAHundredThousandTakesNoTimeWorthNaming) {
  const auto begin = std::chrono::steady_clock::now();
  std::set<int> lost;
  for (int i = 7; i < 100'000; i += 100) lost.insert(i);
  const auto result = align_sequence({{}, {all_reduces(100'000, {}), all_reduces(100'000, lost)}});
  EXPECT_EQ(result.size(), 100'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace nadi
