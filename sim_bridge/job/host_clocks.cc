#include "nadi/sim_bridge/job/host_clocks.h"

#include <algorithm>

namespace nadi {
namespace {

/// Clocks of hosts drift apart by less, ns per ns.
constexpr double kMostDrift = 1e-3;
/// With fewer ends a drift cannot be distinguished from chance.
constexpr std::size_t kFewestForDrift = 8;

/// What one communication says of the clock of a rank that is being placed.
struct Observation {
  Ns end_ns = 0;    ///< own time of the rank's end
  Ns shift_ns = 0;  ///< what makes it the end of those placed
  /// Own times, and what they are not before, or not after, in the job's; kNoTime = nothing said.
  Ns start_ns = 0;
  Ns ends_not_before_ns = kNoTime, starts_not_after_ns = kNoTime;
};

bool is_contradicted(const Observation& seen, const RankClock& clock) {
  if (seen.ends_not_before_ns != kNoTime &&
      clock.job_ns(seen.end_ns) < seen.ends_not_before_ns - kClockResolution)
    return true;
  return seen.starts_not_after_ns != kNoTime &&
         clock.job_ns(seen.start_ns) > seen.starts_not_after_ns + kClockResolution;
}

std::size_t count_contradicted(const std::vector<Observation>& seen, const RankClock& clock) {
  return static_cast<std::size_t>(std::count_if(
      seen.begin(), seen.end(), [&](const Observation& s) { return is_contradicted(s, clock); }));
}

template <class Value>
Value lower_median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of what the observations leave beside a drift.
RankClock clock_with_drift(const std::vector<Observation>& seen, double drift) {
  std::vector<Ns> shifts;
  shifts.reserve(seen.size());
  const RankClock own{0, drift};
  for (const Observation& s : seen)
    shifts.push_back(s.shift_ns - (own.job_ns(s.end_ns) - s.end_ns));
  return {lower_median(std::move(shifts)), drift};
}

/// How far ends are apart, in the median.
Ns typical_error(const std::vector<Observation>& seen, const RankClock& clock) {
  std::vector<Ns> errors;
  errors.reserve(seen.size());
  for (const Observation& s : seen)
    errors.push_back(std::abs(s.end_ns + s.shift_ns - clock.job_ns(s.end_ns)));
  return lower_median(std::move(errors));
}

/// The median slope between observations that are half of all apart.
double median_drift(const std::vector<Observation>& seen) {
  const std::size_t half = seen.size() / 2;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + half < seen.size(); ++i) {
    const Ns apart = seen[i + half].end_ns - seen[i].end_ns;
    if (apart <= 0) continue;
    slopes.push_back(static_cast<double>(seen[i + half].shift_ns - seen[i].shift_ns) /
                     static_cast<double>(apart));
  }
  return slopes.empty() ? 0 : lower_median(std::move(slopes));
}

RankClock fit(std::vector<Observation> seen) {
  std::sort(seen.begin(), seen.end(),
            [](const Observation& a, const Observation& b) { return a.end_ns < b.end_ns; });
  const RankClock constant = clock_with_drift(seen, 0);
  if (seen.size() < kFewestForDrift) return constant;
  const double drift = median_drift(seen);
  if (std::abs(drift) > kMostDrift) return constant;
  const RankClock line = clock_with_drift(seen, drift);
  const bool is_better =
      2 * typical_error(seen, line) + kClockResolution < typical_error(seen, constant) ||
      count_contradicted(seen, line) < count_contradicted(seen, constant);
  return is_better ? line : constant;
}

/// Places one rank after the other.
class ClockPlacer {
 public:
  ClockPlacer(std::vector<RankClock> clocks, bool is_recorded,
              const std::vector<CommonTimes>& communications)
      : communications_(communications),
        is_recorded_(is_recorded),
        clocks_(std::move(clocks)),
        shared_(clocks_.size(), 0),
        is_placed_(clocks_.size(), false),
        placed_(communications.size()),
        communications_of_(clocks_.size()) {
    for (std::uint32_t i = 0; i < communications.size(); ++i)
      for (std::uint32_t member = 0; member < communications[i].members.size(); ++member)
        communications_of_[communications[i].members[member].rank].push_back({i, member});
  }

  HostClocks run() {
    for (std::size_t placed = 0; placed < clocks_.size(); ++placed) {
      const std::uint32_t rank = next_rank();
      if (shared_[rank] > 0) correct(rank);
      place(rank);
    }
    HostClocks result;
    result.corrected = corrected_;
    result.clocks = std::move(clocks_);
    return result;
  }

 private:
  struct Part {
    std::uint32_t communication, member;
  };

  /// Of a communication, the members placed so far: times of the job.
  struct Placed {
    Ns first_end_ns = kNoTime;  ///< of the member that was placed first; kNoTime = none is placed
    Ns last_start_ns = kNoTime, earliest_end_ns = kNoTime;
    Ns source_start_ns = kNoTime, receiver_end_ns = kNoTime;
  };

  std::uint32_t next_rank() const {
    std::uint32_t next = kNoIndex;
    for (std::uint32_t rank = 0; rank < clocks_.size(); ++rank)
      if (!is_placed_[rank] && (next == kNoIndex || shared_[rank] > shared_[next])) next = rank;
    return next;
  }

  Observation observe(const Part& part) const {
    const CommonTimes& communication = communications_[part.communication];
    const Attendance& own = communication.members[part.member];
    const Placed& placed = placed_[part.communication];
    Observation seen;
    seen.end_ns = own.end_ns;
    seen.start_ns = own.start_ns;
    seen.shift_ns = placed.first_end_ns - own.end_ns;
    if (communication.order == CommOrder::kAllBeforeAny) {
      seen.ends_not_before_ns = placed.last_start_ns;
      seen.starts_not_after_ns = placed.earliest_end_ns;
    } else if (communication.order == CommOrder::kSourceBeforeReceiver) {
      (part.member == 0 ? seen.starts_not_after_ns : seen.ends_not_before_ns) =
          part.member == 0 ? placed.receiver_end_ns : placed.source_start_ns;
    }
    return seen;
  }

  void correct(std::uint32_t rank) {
    std::vector<Observation> seen;
    for (const Part& part : communications_of_[rank])
      if (placed_[part.communication].first_end_ns != kNoTime) seen.push_back(observe(part));
    const std::size_t contradicted = count_contradicted(seen, clocks_[rank]);
    if (is_recorded_ && contradicted == 0) return;
    const RankClock line = fit(seen);
    if (is_recorded_ && count_contradicted(seen, line) >= contradicted) return;
    clocks_[rank] = line;
    ++corrected_;
  }

  void place(std::uint32_t rank) {
    is_placed_[rank] = true;
    for (const Part& part : communications_of_[rank]) {
      const CommonTimes& communication = communications_[part.communication];
      const Attendance& own = communication.members[part.member];
      const Ns start = clocks_[rank].job_ns(own.start_ns), end = clocks_[rank].job_ns(own.end_ns);
      Placed& placed = placed_[part.communication];
      if (placed.first_end_ns == kNoTime) {
        placed.first_end_ns = placed.earliest_end_ns = end;
        for (const Attendance& other : communication.members) ++shared_[other.rank];
      }
      placed.last_start_ns = std::max(placed.last_start_ns, start);
      placed.earliest_end_ns = std::min(placed.earliest_end_ns, end);
      if (part.member == 0)
        placed.source_start_ns = start;
      else
        placed.receiver_end_ns = end;
    }
  }

  const std::vector<CommonTimes>& communications_;
  const bool is_recorded_;
  std::vector<RankClock> clocks_;
  std::vector<std::size_t> shared_;  ///< by rank: communications with ranks that are placed
  std::vector<bool> is_placed_;
  std::vector<Placed> placed_;                        ///< by communication
  std::vector<std::vector<Part>> communications_of_;  ///< by rank
  std::uint64_t corrected_ = 0;
};

bool contradicts(const CommonTimes& communication, const std::vector<RankClock>& clocks) {
  const auto start = [&](const Attendance& member) {
    return clocks[member.rank].job_ns(member.start_ns);
  };
  const auto end = [&](const Attendance& member) {
    return clocks[member.rank].job_ns(member.end_ns);
  };
  const auto& members = communication.members;
  if (communication.order == CommOrder::kNone || members.size() < 2) return false;
  if (communication.order == CommOrder::kSourceBeforeReceiver)
    return end(members[1]) < start(members[0]) - kClockResolution;
  Ns last_start = start(members.front()), first_end = end(members.front());
  for (const Attendance& member : members) {
    last_start = std::max(last_start, start(member));
    first_end = std::min(first_end, end(member));
  }
  return first_end < last_start - kClockResolution;
}

void begin_at_zero(std::vector<RankClock>& clocks) {
  Ns first = clocks.front().shift_ns;
  for (const RankClock& clock : clocks) first = std::min(first, clock.shift_ns);
  for (RankClock& clock : clocks) clock.shift_ns -= first;
}

}  // namespace

const char* to_string(ClockSource source) {
  constexpr const char* kNames[] = {"one rank", "base_time_ns", "meetings",
                                    "meetings, base_time_ns contradicts", "no times"};
  return kNames[static_cast<std::size_t>(source)];
}

std::vector<std::optional<Ns>> base_times(std::span<const Graph> graphs) {
  std::vector<std::optional<Ns>> base_ns;
  for (const Graph& graph : graphs) base_ns.push_back(graph.base_time_ns);
  return base_ns;
}

std::optional<std::vector<RankClock>> recorded_clocks(
    const std::vector<std::optional<Ns>>& base_ns) {
  // Further apart than any job runs; keeps sums of times far from overflow.
  constexpr Ns kMostApart = Ns{1} << 58;
  const bool is_known = std::find(base_ns.begin(), base_ns.end(), std::nullopt) == base_ns.end();
  if (base_ns.empty() || !is_known) return {};
  const Ns first = **std::min_element(base_ns.begin(), base_ns.end());
  std::vector<RankClock> clocks(base_ns.size());
  for (std::size_t i = 0; i < clocks.size(); ++i)
    if (__builtin_sub_overflow(*base_ns[i], first, &clocks[i].shift_ns) ||
        clocks[i].shift_ns > kMostApart)
      return {};
  return clocks;
}

HostClocks align_host_clocks(const std::vector<std::optional<Ns>>& base_ns,
                             const std::vector<CommonTimes>& communications) {
  auto recorded = recorded_clocks(base_ns);
  std::size_t first_contradiction = kNoIndex;
  if (recorded) {
    const auto first =
        std::find_if(communications.begin(), communications.end(),
                     [&](const CommonTimes& common) { return contradicts(common, *recorded); });
    if (first == communications.end())
      return {std::move(*recorded), ClockSource::kBaseTime, kNoIndex, 0, 0};
    first_contradiction = static_cast<std::size_t>(first - communications.begin());
  }
  HostClocks found = ClockPlacer(recorded.value_or(std::vector<RankClock>(base_ns.size())),
                                 recorded.has_value(), communications)
                         .run();
  found.first_contradiction = first_contradiction;
  found.source = !recorded              ? ClockSource::kCommunication
                 : found.corrected == 0 ? ClockSource::kBaseTime
                                        : ClockSource::kContradicted;
  found.contradicting = static_cast<std::uint64_t>(
      std::count_if(communications.begin(), communications.end(),
                    [&](const CommonTimes& common) { return contradicts(common, found.clocks); }));
  begin_at_zero(found.clocks);
  return found;
}

}  // namespace nadi
