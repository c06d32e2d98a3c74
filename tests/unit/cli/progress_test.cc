#include "nadi/converters/cli/progress.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace nadi::cli {
namespace {

/// What a bar wrote after the updates made by `use`.
template <class Use>
std::string drawn(bool enabled, ProgressBar::Clock::duration delay, const Use& use) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  {
    ProgressBar bar(file.get(), enabled, delay);
    use(bar);
  }
  std::rewind(file.get());
  std::array<char, 4096> bytes{};
  return {bytes.data(), std::fread(bytes.data(), 1, bytes.size(), file.get())};
}

TEST(ProgressBar, DrawsNothingWhereItIsNotEnabled) {
  EXPECT_EQ(drawn(false, {}, [](ProgressBar& bar) { bar.update("read", 1, 2); }), "");
}

TEST(ProgressBar, DrawsNothingBeforeTheDelayHasPassed) {
  EXPECT_EQ(drawn(true, std::chrono::hours(1), [](ProgressBar& bar) { bar.update("read", 1, 2); }),
            "");
}

TEST(ProgressBar, LeavesTheLineEmptyAtItsEnd) {
  const std::string text = drawn(true, {}, [](ProgressBar& bar) { bar.update("read", 1, 2); });
  const std::string line = progress_line("read", 1, 2);
  EXPECT_EQ(text, "\r" + line + "\r" + std::string(line.size(), ' ') + "\r");
}

TEST(ProgressBar, RedrawsAtMostTenTimesASecond) {
  const std::string text = drawn(true, {}, [](ProgressBar& bar) {
    for (int i = 0; i < 1000; ++i) bar.update("read", 1, 2);
  });
  EXPECT_LT(text.size(), 1000U);
}

TEST(ProgressLine, ShowsTheShareWhereTheTotalIsKnown) {
  EXPECT_EQ(progress_line("read", 5, 10), "read         [###############               ]  50 %");
  EXPECT_EQ(progress_line("read", 12, 10), "read         [##############################] 100 %");
}

TEST(ProgressLine, ShowsTheAmountWhereTheTotalIsNotKnown) {
  EXPECT_EQ(progress_line("read", 5, 0), "read         5");
}

}  // namespace
}  // namespace nadi::cli
