#include "nadi/emit/ordered_chunks.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace nadi {
namespace {

std::string join(std::size_t chunks, unsigned threads) {
  std::string all;
  make_in_order(
      chunks, threads,
      [](std::size_t chunk, unsigned, std::string& buffer) {
        buffer += std::to_string(chunk) + " ";
      },
      [&](const std::string& buffer) { all += buffer; });
  return all;
}

TEST(OrderedChunks, ComeInOrderWhateverTheNumberOfThreads) {
  EXPECT_EQ(join(0, 4), "");
  EXPECT_EQ(join(3, 1), "0 1 2 ");
  const std::string alone = join(500, 1);
  EXPECT_EQ(join(500, 2), alone);
  EXPECT_EQ(join(500, 16), alone);
}

TEST(OrderedChunks, AFailureOfAMakerReachesTheCaller) {
  const auto make = [](std::size_t chunk, unsigned, std::string&) {
    if (chunk == 37) throw std::runtime_error("chunk 37");
  };
  for (const unsigned threads : {1U, 4U})
    EXPECT_THROW(make_in_order(100, threads, make, [](const std::string&) {}), std::runtime_error);
}

TEST(OrderedChunks, AFailureOfTheTakerStopsTheMakers) {
  std::size_t taken = 0;
  const auto take = [&](const std::string&) {
    if (++taken == 10) throw std::runtime_error("full");
  };
  for (const unsigned threads : {1U, 4U}) {
    taken = 0;
    EXPECT_THROW(make_in_order(
                     1000, threads, [](std::size_t, unsigned, std::string&) {}, take),
                 std::runtime_error);
    EXPECT_EQ(taken, 10U);
  }
}

}  // namespace
}  // namespace nadi
