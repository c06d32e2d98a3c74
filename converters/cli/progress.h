// A progress bar on a terminal for work that takes more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "nadi/read/progress.h"

namespace nadi::cli {

/// One line on stderr, redrawn in place and cleared at the end. Draws nothing before `delay` has
/// passed, and nothing at all where `enabled` is false. May be updated from several threads.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// On a terminal, unless the tool is quiet.
  ProgressBar();
  ProgressBar(std::FILE* stream, bool enabled, Clock::duration delay);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// done of total of anything, in the stage named; total 0 = not known.
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total);
  /// Takes the bar off the terminal; a later update draws it again.
  void clear();

 private:
  void draw(std::string_view line);

  std::FILE* stream_;
  bool enabled_;
  Clock::time_point next_draw_;
  std::size_t drawn_width_ = 0;
  std::mutex mutex_;
};

using ListenToProgress =
    std::function<void(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

/// While it lives all bars report to `listen`, too, whatever they draw. It may be called from
/// several threads, and ends the work by throwing. There is one at a time.
class ProgressListener {
 public:
  explicit ProgressListener(ListenToProgress listen);
  ~ProgressListener();
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;
};

/// Shows what a reader has read; the bar must outlive it.
Progress reading_on(ProgressBar& bar);

/// "read  [#####     ]  50 %"; without a total "read  123".
std::string progress_line(std::string_view stage, std::uint64_t done, std::uint64_t total);

}  // namespace nadi::cli
