// Autograd's sequence numbers show where ops of different iterations would be paired.
#include <gtest/gtest.h>

#include "tests/unit/link/match_text.h"

namespace nadi {
namespace {

using namespace test;

using SequenceNumbers = std::vector<int>;

SequenceNumbers count_from(int first, int count) {
  SequenceNumbers result;
  for (int i = 0; i < count; ++i) result.push_back(first + i);
  return result;
}

/// An op named aten::sum for each number; -1 = it has none.
Lines numbered_ops(const SequenceNumbers& numbers, int tid = 100) {
  Lines lines;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    lines.push_back(op("aten::sum", 10.0 * double(i), 5, 0, tid,
                       fmt::format(R"("Sequence number": {})", numbers[i])));
  return lines;
}
Lines numbered_nodes(const SequenceNumbers& numbers, int tid = 1, int first_id = 2) {
  Lines lines;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    lines.push_back(node(first_id + int(i), "aten::sum", 1, 0, tid,
                         fmt::format(R"("seq_id": {})", numbers[i])));
  return lines;
}

TEST(SequenceNumbersOfAMatch, MayBeApartByOneConstant) {
  EXPECT_EQ(refusal({}, numbered_ops(count_from(500, 20)), numbered_nodes(count_from(7, 20))),
            "accepted");
}

TEST(SequenceNumbersOfAMatch, MayDifferInOneOpOfAHundredButNotInTwo) {
  SequenceNumbers of_device = count_from(500, 100);
  of_device[30] = 3;
  const Lines host = numbered_nodes(count_from(0, 100));
  EXPECT_EQ(refusal({}, numbered_ops(of_device), host), "accepted");
  of_device[60] = 3;
  EXPECT_NE(refusal({}, numbered_ops(of_device), host), "accepted");
}

TEST(SequenceNumbersOfAMatch, ThatOneTraceLacksRefuseNothing) {
  SequenceNumbers of_device = count_from(500, 20);
  for (std::size_t i = 0; i < of_device.size(); i += 2) of_device[i] = -1;
  EXPECT_EQ(refusal({}, numbered_ops(of_device), numbered_nodes(count_from(7, 20))), "accepted");
}

TEST(SequenceNumbersOfAMatch, ThatDifferFromThreadToThreadRefuseIt) {
  const auto text = [](int first_of_second_thread) {
    return refusal(
        {},
        numbered_ops(count_from(500, 20), 100) +
            numbered_ops(count_from(first_of_second_thread, 10), 200),
        numbered_nodes(count_from(0, 20), 1, 2) + numbered_nodes(count_from(0, 10), 2, 40));
  };
  EXPECT_EQ(text(500), "accepted");
  EXPECT_NE(text(499).find("autograd's sequence numbers are apart by 500 on thread 1 and by 499 on "
                           "thread 2"),
            std::string::npos)
      << text(499);
}

TEST(SequenceNumbersOfAMatch, TakeOnlyTheIterationsTheyContradictOutOfTheChoice) {
  SequenceNumbers of_device = count_from(100, 10);  // the first of three iterations: two constants
  for (std::size_t i = 5; i < 10; ++i) of_device[i] += 30;
  for (const int number : count_from(200, 20)) of_device.push_back(number);
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link_by({.method = MatchMethod::kOrder, .iteration_pick = {IterationPickKind::kFirst}},
              numbered_ops(of_device), numbered_nodes(count_from(0, 10)), &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kIterationsFound), 2U);
  EXPECT_EQ(linked.ops.start_ns[0], 100'000);
}

}  // namespace
}  // namespace nadi
