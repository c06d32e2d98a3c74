// Which sends and receives of a job are one message.
#include <gtest/gtest.h>

#include <chrono>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi {
namespace {

/// Ranks 0 and 1, and the messages from 0 to 1.
class Messages : public testing::Test {
 protected:
  Messages() {
    job_.graphs.resize(2);
    job_.ranks.resize(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      job_.graphs[rank].name = "g" + std::to_string(rank);
      job_.ranks[rank].recorded_rank = job_.ranks[rank].graph = rank;
    }
  }
  void send(std::string_view group, std::int64_t bytes) { add(0, NodeType::kSend, group, bytes); }
  void receive(std::string_view group, std::int64_t bytes) {
    add(1, NodeType::kReceive, group, bytes);
  }
  /// "0-0 2-1": nodes of rank 0 and of rank 1 that are one message.
  std::string matched(bool drops_lonely = false) {
    std::string text;
    for (const JobMessage& message :
         match_communications(job_, drops_lonely, diagnostics_).messages)
      text += (text.empty() ? "" : " ") + std::to_string(message.send) + "-" +
              std::to_string(message.receive);
    return text;
  }
  std::string refusal() {
    try {
      return "matched: " + matched();
    } catch (const Error& error) {
      return error.problem();
    }
  }

  Job job_;
  Diagnostics diagnostics_;

 private:
  void add(std::size_t on, NodeType type, std::string_view group, std::int64_t bytes) {
    JobRank& rank = job_.ranks[on];
    JobCommunication communication;
    communication.src = 0;
    communication.dst = 1;
    communication.bytes = bytes;
    communication.group = job_.graphs[on].strings.intern(group);
    rank.add_communication(rank.add(AddedNode::kNone), communication);
    rank.type.back() = type;
  }
};

TEST_F(Messages, OfOneGroupMatchInTheirOrderWithinIt) {
  send("a", 8);
  send("b", 16);
  receive("b", 16);
  receive("a", 8);
  EXPECT_EQ(matched(), "0-1 1-0");
}

TEST_F(Messages, OfGroupsThatBothEndsNameDifferentlyMatchByOrderAlone) {
  send("100", 8);
  send("200", 16);
  receive("310", 8);
  receive("320", 16);
  EXPECT_EQ(matched(), "0-0 1-1");
}

TEST_F(Messages, OfGroupsThatBothEndsKnowKeepToThemBesideGroupsNamedDifferently) {
  send("", 1);
  send("100", 8);
  send("all", 4);
  receive("all", 4);
  receive("310", 8);
  receive("", 1);
  EXPECT_EQ(matched(), "0-2 1-1 2-0");
}

TEST_F(Messages, OfAGroupThatOneEndLacksAreLonelyAndLeaveTheOthersAlone) {
  send("lost", 8);
  send("all", 8);
  receive("all", 8);
  EXPECT_EQ(matched(true), "1-0");
  EXPECT_EQ(diagnostics_.count(Finding::kMessageWithoutPartnerDropped), 1U);
}

TEST_F(Messages, ThatNobodyReceivesAreNamedWithTheirGroup) {
  send("lost", 8);
  send("all", 8);
  receive("all", 8);
  EXPECT_EQ(refusal(),
            "the ranks do not communicate alike (1 mismatch):\n"
            "  message 1 from rank 0 to rank 1 in group \"lost\": sent but never received");
}

TEST_F(Messages, OfTwentyThousandGroupsNamedDifferentlyMatchInNoTimeWorthNaming) {
  std::vector<std::string> names;
  for (int i = 0; i < 40'000; ++i) names.push_back(std::to_string(100'000 + i));
  for (std::size_t i = 0; i < 20'000; ++i) {
    send(names[i], 8);
    receive(names[20'000 + i], 8);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(matched().ends_with(" 19999-19999"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace nadi
