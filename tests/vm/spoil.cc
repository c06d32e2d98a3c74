#include "spoil.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace nadi::vm {

namespace {

constexpr std::size_t kRowsPerDamaged = 8;

/// Draws that are the same on every machine.
class Draws {
 public:
  Draws(std::uint64_t seed, std::size_t rank) : random_(seed * 7919 + rank + 1) {}

  Ns below(Ns limit) {
    return static_cast<Ns>(random_() % static_cast<std::uint64_t>(std::max<Ns>(limit, 1)));
  }
  bool happens(double share) {
    constexpr Ns kParts = 1'000'000;
    return static_cast<double>(below(kParts)) < share * kParts;
  }

 private:
  std::mt19937_64 random_;
};

Ns share_of(Ns time, double share) {
  return static_cast<Ns>(std::llround(static_cast<double>(time) * share));
}

Ns stamp(const Clock& clock, Ns time) {
  return time + clock.offset_ns + share_of(time, clock.drift);
}

Ns end_of_ops(const Execution& run) {
  Ns end = 0;
  for (const RankRun& rank : run.ranks)
    for (const OpRun& op : rank.ops) end = std::max(end, op.span.end);
  return end;
}

/// Only what began and ended while the profiler was on is recorded.
void cut(const Spoil& how, Ns end_of_ops, Ns makespan, RankRun& run) {
  const Ns begin = share_of(end_of_ops, how.late_start);
  const Ns end = how.early_end > 0 ? share_of(end_of_ops, 1 - how.early_end) : makespan;
  const Ns first_row = std::max(begin, share_of(makespan, how.late_device_rows));
  const auto is_inside = [&](const Span& span) { return span.start >= begin && span.end <= end; };
  for (OpRun& op : run.ops) op.is_recorded = is_inside(op.span);
  for (CallRun& call : run.calls)
    call.is_recorded = call.is_sync_recorded = call.correlation > 0 && is_inside(call.span);
  for (RowRun& row : run.rows) row.is_recorded = is_inside(row.span) && row.span.start >= first_row;
}

void lose(const Loss& loss, const RankProgram& code, Draws& draws, RankRun& run) {
  if (loss.share <= 0) return;
  const auto lose_one = [&](const Call& call, bool& is_recorded) {
    const bool is_meant = loss.call.empty() || call.name == loss.call;
    if (is_meant && draws.happens(loss.share)) is_recorded = false;
  };
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    lose_one(code.calls[call], run.calls[call].is_recorded);
    lose_one(code.calls[call], run.calls[call].is_sync_recorded);
  }
  for (RowRun& row : run.rows) lose_one(at(code.calls, row.call), row.is_recorded);
}

void move_to_clock(const Clock& clock, RankRun& run) {
  const auto move = [&](Span& span) { span = {stamp(clock, span.start), stamp(clock, span.end)}; };
  for (OpRun& op : run.ops) move(op.span);
  for (CallRun& call : run.calls) move(call.span);
  for (RowRun& row : run.rows) move(row.span);
  for (std::vector<Span>& thread : run.threads)
    for (Span& span : thread) move(span);
}

/// What the profiler reads for times of the device.
void read_device(const Clock& clock, Ns error, Draws& draws, RankRun& run) {
  const auto read = [&](Ns time) {
    return stamp(clock, time + (error > 0 ? draws.below(2 * error + 1) - error : 0));
  };
  for (RowRun& row : run.rows) {
    const Ns start = read(row.span.start);
    row.span = {start, std::max(start, read(row.span.end))};
  }
}

/// Damages the stamps of single rows (K32): a row is moved by a day, to before its launch, or to
/// after the return of what waited for it, or it lasts far too long.
void damage_rows(int wanted, Draws& draws, RankRun& run) {
  const std::size_t most = run.rows.size() / kRowsPerDamaged;
  const std::size_t count = std::min(most, static_cast<std::size_t>(std::max(wanted, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    Span& span = run.rows[static_cast<std::size_t>(draws.below(Ns(run.rows.size())))].span;
    constexpr Ns kDay = 100'000'000'000'000, kWrong = 3'000'000;
    switch (draws.below(4)) {
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

Clock clock_of(const std::map<int, Clock>& clocks, std::size_t rank, const Clock& other) {
  const auto own = clocks.find(static_cast<int>(rank));
  return own == clocks.end() ? other : own->second;
}

}  // namespace

Execution lose_records(const Program& program, Execution run, const Spoil& how) {
  const Ns end = end_of_ops(run);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    Draws draws(how.seed, rank);
    cut(how, end, run.makespan, run.ranks[rank]);
    lose(how.loss, program.ranks[rank], draws, run.ranks[rank]);
    move_to_clock(clock_of(how.host_clocks, rank, {}), run.ranks[rank]);
  }
  return run;
}

Execution spoil(const Program& program, Execution run, const Spoil& how) {
  run = lose_records(program, std::move(run), how);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    Draws draws(how.seed, rank);
    const Clock clock = clock_of(how.device_clocks, rank, how.device_clock);
    read_device(clock, how.reading_error_ns, draws, run.ranks[rank]);
    damage_rows(how.damaged_rows, draws, run.ranks[rank]);
  }
  return run;
}

}  // namespace nadi::vm
