#include "spoil.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace nadi::vm {

namespace {

constexpr std::size_t kRowsPerDamaged = 8;

/// What a rank's profiler gets wrong; draws are the same on every machine.
class RankSpoiler {
 public:
  RankSpoiler(const RankProgram& code, RankRun& run, const Spoil& how, int rank)
      : code_(code),
        run_(run),
        how_(how),
        random_(how.seed * 7919 + static_cast<std::uint64_t>(rank) + 1) {
    const auto own = how.clocks.find(rank);
    clock_ = own == how.clocks.end() ? how.clock : own->second;
  }

  void spoil(Ns makespan) {
    lose_rows();
    cut(makespan);
    for (RowRun& row : run_.rows) row.span = stamped(row.span);
    damage_rows();
  }

 private:
  Ns below(Ns limit) {
    return static_cast<Ns>(random_() % static_cast<std::uint64_t>(std::max<Ns>(limit, 1)));
  }
  bool happens(double share) {
    constexpr Ns kParts = 1'000'000;
    return static_cast<double>(below(kParts)) < share * kParts;
  }

  void lose_rows() {
    if (how_.loss.share <= 0) return;
    std::erase_if(run_.rows, [&](const RowRun& row) {
      const bool is_meant =
          how_.loss.call.empty() || at(code_.calls, row.call).name == how_.loss.call;
      return is_meant && happens(how_.loss.share);
    });
  }

  /// Only rows that began and ended while the device trace was on are in it.
  void cut(Ns makespan) {
    const auto part = [&](double share) {
      return static_cast<Ns>(std::llround(static_cast<double>(makespan) * share));
    };
    const Ns begin = part(how_.late_start), end = makespan - part(how_.early_end);
    std::erase_if(run_.rows,
                  [&](const RowRun& row) { return row.span.start < begin || row.span.end > end; });
  }

  Ns stamp(Ns time) {
    const Ns error = how_.reading_error_ns;
    const Ns read = time + (error > 0 ? below(2 * error + 1) - error : 0);
    return read + clock_.offset_ns +
           static_cast<Ns>(std::llround(clock_.drift * static_cast<double>(read)));
  }
  Span stamped(Span span) {
    const Ns start = stamp(span.start);
    return {start, std::max(start, stamp(span.end))};
  }

  /// K32: a day off, or before the launch, or after what waited for it, or far too long.
  void damage_rows() {
    const std::size_t most = run_.rows.size() / kRowsPerDamaged;
    const std::size_t count =
        std::min(most, static_cast<std::size_t>(std::max(how_.damaged_rows, 0)));
    for (std::size_t i = 0; i < count; ++i) {
      Span& span = run_.rows[static_cast<std::size_t>(below(Ns(run_.rows.size())))].span;
      constexpr Ns kDay = 100'000'000'000'000, kWrong = 3'000'000;
      switch (below(4)) {
        case 0:
          span = {span.start + kDay, span.end + kDay};
          break;
        case 1:
          span = {span.start - kWrong, span.end - kWrong};
          break;
        case 2:
          span = {span.start + kWrong, span.end + kWrong};
          break;
        default:
          span.end += kWrong;
          break;
      }
    }
  }

  const RankProgram& code_;
  RankRun& run_;
  const Spoil& how_;
  std::mt19937_64 random_;
  DeviceClock clock_;
};

}  // namespace

Execution spoil(const Program& program, Execution run, const Spoil& how) {
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
    RankSpoiler(program.ranks[rank], run.ranks[rank], how, static_cast<int>(rank))
        .spoil(run.makespan);
  return run;
}

}  // namespace nadi::vm
