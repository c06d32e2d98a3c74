#include "nadi/converters/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nadi/converters/cli/log.h"

namespace nadi::cli {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kBarWidth = 30;

ListenToProgress listener_of_all;

}  // namespace

std::string progress_line(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (total == 0) return fmt::format("{:<12} {}", stage, done);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  return fmt::format("{:<12} [{}{}] {:3.0f} %", stage, std::string(full, '#'),
                     std::string(kBarWidth - full, ' '), share * 100);
}

ProgressListener::ProgressListener(ListenToProgress listen) { listener_of_all = std::move(listen); }

ProgressListener::~ProgressListener() { listener_of_all = {}; }

Progress reading_on(ProgressBar& bar) {
  return [&bar](std::uint64_t read, std::uint64_t total) { bar.update("reading", read, total); };
}

ProgressBar::ProgressBar()
    : ProgressBar(stderr, is_terminal(stderr) && verbosity() != Verbosity::kQuiet,
                  std::chrono::seconds(1)) {}

ProgressBar::ProgressBar(std::FILE* stream, bool enabled, Clock::duration delay)
    : stream_(stream), enabled_(enabled), next_draw_(Clock::now() + delay) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (listener_of_all) listener_of_all(stage, done, total);
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kRedraw;
  draw(progress_line(stage, done, total));
}

void ProgressBar::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_width_ > 0) draw("");
}

void ProgressBar::draw(std::string_view line) {
  // Blanks over what the longer line before left, then back to the line's start.
  const std::size_t blanks = drawn_width_ > line.size() ? drawn_width_ - line.size() : 0;
  const std::string drawn =
      fmt::format("\r{}{}{}", line, std::string(blanks, ' '), line.empty() ? "\r" : "");
  std::fwrite(drawn.data(), 1, drawn.size(), stream_);  // that it cannot be is no error
  std::fflush(stream_);
  drawn_width_ = line.size();
}

}  // namespace nadi::cli
