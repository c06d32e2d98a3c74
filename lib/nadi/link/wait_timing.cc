#include "nadi/link/wait_timing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "nadi/base/search_near.h"
#include "nadi/link/inferred_waits.h"
#include "nadi/link/wait_positions.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// The gaps of so many rows show what is usual; what differs by no more than this is as usual.
constexpr std::size_t kLeastGaps = 4;
constexpr Ns kMostGap = 8'000;
/// Gaps so alike that no row shows one by chance.
constexpr Ns kNarrow = 200;
/// The wait that held a row up is looked for among so many before the row's launch.
constexpr std::size_t kMostWaits = 32;
/// A call site whose waits are for more sites shows no pattern.
constexpr std::size_t kMostSources = 8;
/// So many rows that end in one such gap are looked at.
constexpr std::size_t kMostEnds = 32;
/// So many rows of a stream may end in a gap by chance.
constexpr double kRowsInGap = 2;

struct Gaps {
  Ns least = 0, most = kRowFollows;
  bool is_narrow() const { return most - least <= kNarrow; }
};

/// A row that an open wait may have held up: it started a usual gap after the end of another lane's
/// row, and later than its launch and its lane explain.
struct Held {
  DeviceRowIndex target, source;
  StreamCallIndex wait;
};

/// A launch at one call site waits for the last row launched at another.
struct SitePair {
  std::uint64_t source, target;
  auto operator<=>(const SitePair&) const = default;
};

class TimedWaits {
 public:
  TimedWaits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls)
      : waits_(waits),
        linked_(linked),
        calls_(calls),
        records_waits_(records_stream_waits(linked)),
        positions_(waits, linked, calls, records_waits_) {
    for (const StreamCallIndex wait : calls_.stream_waits)
      if (waits_.is_open(calls_.calls[wait].call)) open_waits_.push_back(wait);
  }

  void run() {
    if (open_waits_.empty()) return;
    explain_by_launch_and_lane();
    explain_by_known_waits();
    if (known_gaps_.size() < kLeastGaps && records_waits_) return;
    find_held_rows();
    learn_gaps();
    keep_usual();
    if (!records_waits_) positions_.note_between_launches(open_waits_);
    choose_waits();
    add_all();
    add_from_queues();
    for (const Held& held : held_)
      if (is_evident(held)) note_position(held);
    positions_.add(open_waits_);
  }

 private:
  Ns end_of(DeviceRowIndex row) const { return row_end_ns(linked_, row); }
  Ns start_of(DeviceRowIndex row) const { return row_start_ns(linked_, row); }
  Ns enqueue_of(DeviceRowIndex row) const { return enqueue_ns(linked_, row); }
  Ns wait_begin(StreamCallIndex wait) const { return calls_.begin_ns(calls_.calls[wait]); }

  /// A row starts no earlier than its launch and the end of the row before it on its lane.
  void explain_by_launch_and_lane() {
    explained_.resize(linked_.rows.size());
    for (const DeviceRowIndex row : rows_of(explained_)) {
      const DeviceRowIndex before = calls_.timeline.row_before[row];
      explained_[row] = before ? std::max(enqueue_of(row), end_of(before)) : enqueue_of(row);
    }
  }

  /// … and of what recorded and inferred waits let it wait for.
  void explain_by_known_waits() {
    for (const StreamAction& wait : waits_.actions()) {
      if (wait.kind != StreamActionKind::kStreamWaitEvent || !wait.lane) continue;
      const StreamAction& record = waits_.actions()[wait.record];
      const DeviceRowIndex target = calls_.timeline.first_given(wait.lane, wait.time_ns);
      const DeviceRowIndex source = calls_.timeline.last_given(record.lane, record.time_ns + 1);
      note_lanes(wait, record);
      if (!target || !source) continue;
      const Ns gap = start_of(target) - end_of(source);
      // Others began when their launch had reached the device, or when other ranks did.
      if (end_of(source) > explained_[target] && gap >= 0 && gap <= kMostGap &&
          was_launched_before_end(linked_, source, target) && !is_communication(target))
        known_gaps_.push_back(gap);
      explained_[target] = std::max(explained_[target], end_of(source));
    }
  }

  void note_lanes(const StreamAction& wait, const StreamAction& record) {
    if (!is_guess(wait.inferred)) return;
    if (const StreamCallIndex call = calls_.of(wait.call))
      positions_.note(call, record.lane, wait.lane);
  }

  void find_held_rows() {
    for (const auto& lane : linked_.rows_by_lane)
      for (const DeviceRowIndex row : lane)
        if (is_first_of_launch(row) && start_of(row) > explained_[row]) find_sources(row);
  }

  void note_position(const Held& held) {
    positions_.note(held.wait, linked_.rows.lane[held.source], linked_.rows.lane[held.target]);
  }

  bool is_first_of_launch(DeviceRowIndex row) const {
    const StreamCallIndex call = calls_.launch_of(row);
    return !call || calls_.calls[call].row == row;
  }

  void find_sources(DeviceRowIndex target) {
    const auto waits = waits_before(target);
    if (waits.empty()) return;
    const Ns start = start_of(target);
    const Ns latest = start + linked_.clock_resolution_ns;
    const auto ends =
        calls_.timeline.ended_within(std::max(start - kMostGap, explained_[target]), latest);
    for (std::size_t i = 0; i < std::min(ends.size(), kMostEnds); ++i) {
      const DeviceRowIndex source = ends[ends.size() - 1 - i];
      if (linked_.rows.lane[source] == linked_.rows.lane[target] ||
          linked_.device.rows.device[source] != linked_.device.rows.device[target])
        continue;
      const bool has_ended = end_of(source) <= start;
      if (const StreamCallIndex wait =
              has_ended ? wait_for(source, target, waits) : StreamCallIndex())
        held_.push_back({target, source, wait});
      else if (const StreamCallIndex queued = wait_in_queue(source, target, waits))
        in_queue_.push_back({target, source, queued});
    }
  }

  /// Open waits that may be for the row: after the row that its lane was given before, and before
  /// its launch; the last of them.
  std::span<const StreamCallIndex> waits_before(DeviceRowIndex row) const {
    const DeviceRowIndex before = calls_.timeline.row_before[row];
    const Ns from = before ? enqueue_of(before) : kNoTime;
    const auto first_from = [&](Ns time) {
      return std::partition_point(open_waits_.begin(), open_waits_.end(),
                                  [&](StreamCallIndex wait) { return wait_begin(wait) < time; });
    };
    const auto last = first_from(enqueue_of(row));
    auto first = from == kNoTime ? open_waits_.begin() : first_from(from);
    if (last - first > static_cast<std::ptrdiff_t>(kMostWaits))
      first = last - static_cast<std::ptrdiff_t>(kMostWaits);
    if (first >= last) return {};
    return {&*first, static_cast<std::size_t>(last - first)};
  }

  /// Whether the wait can be for the source: its lane was given nothing between it and a record
  /// before the wait.
  bool can_be_for(StreamCallIndex wait, DeviceRowIndex source, DeviceRowIndex target) const {
    const LaneIndex waiting = calls_.calls[wait].waiting;
    return (!waiting || waiting == linked_.rows.lane[target]) &&
           is_recorded(source, wait_begin(wait));
  }

  /// Of the waits that can be for the source, of the launching thread where it has one, the one
  /// that fits best to what is known of others at its position; of several the last.
  StreamCallIndex wait_for(DeviceRowIndex source, DeviceRowIndex target,
                           std::span<const StreamCallIndex> waits) const {
    StreamCallIndex found;
    std::pair<bool, int> best{false, -1};
    for (auto wait = waits.rbegin(); wait != waits.rend(); ++wait) {
      if (!can_be_for(*wait, source, target)) continue;
      const std::pair<bool, int> fit{
          linked_.calls.lane[calls_.calls[*wait].call] == linked_.rows.launch_lane[target],
          positions_.fit(*wait, linked_.rows.lane[source], linked_.rows.lane[target])};
      if (fit <= best) continue;
      best = fit;
      found = *wait;
      if (best == std::pair(true, WaitPositions::kBestFit)) break;
    }
    return found;
  }

  /// Of several waits that can be for a source, chooses the one that fits what is known of its
  /// position, which those that alone can be for a source tell, too.
  void choose_waits() {
    for (const Held& held : held_) {
      const auto waits = waits_before(held.target);
      const bool is_alone = std::count_if(waits.begin(), waits.end(), [&](StreamCallIndex wait) {
                              return can_be_for(wait, held.source, held.target);
                            }) == 1;
      if (is_alone && is_evident(held)) note_position(held);
    }
    for (Held& held : held_)
      held.wait = wait_for(held.source, held.target, waits_before(held.target));
  }

  /// That starts when other ranks do, too.
  bool is_communication(DeviceRowIndex row) const {
    const StreamCallIndex call = calls_.launch_of(row);
    return call && calls_.calls[call].comm_op;
  }

  /// Where the trace has no records (K26) a wait may be for any row that was given before it: the
  /// last wait of the launching thread of which nothing is known.
  StreamCallIndex wait_in_queue(DeviceRowIndex source, DeviceRowIndex target,
                                std::span<const StreamCallIndex> waits) const {
    if (!calls_.records.empty() || is_communication(target)) return {};
    for (auto wait = waits.rbegin(); wait != waits.rend(); ++wait)
      if (waits_.is_open(calls_.calls[*wait].call) && enqueue_of(source) < wait_begin(*wait) &&
          linked_.calls.lane[calls_.calls[*wait].call] == linked_.rows.launch_lane[target])
        return *wait;
    return {};
  }

  StreamCallIndex wait_in_queue(DeviceRowIndex source, DeviceRowIndex target) const {
    return wait_in_queue(source, target, waits_before(target));
  }

  /// Where most waits are recorded, those that are not are taken to be for the last record before
  /// them.
  bool is_recorded(DeviceRowIndex source, Ns wait) const {
    if (!records_waits_ || calls_.records.empty()) return calls_.has_record_behind(source, wait);
    const std::size_t behind = calls_.records_before(wait);
    if (behind == 0) return false;
    const Ns record = calls_.begin_ns(calls_.calls[calls_.records[behind - 1]]);
    return record > enqueue_of(source) && record <= calls_.timeline.next_given_ns(source);
  }

  /// The narrowest range that half of the gaps of known waits lie in, else a third of all gaps.
  void learn_gaps() {
    std::vector<Ns> gaps = known_gaps_;
    std::size_t share = 2;
    if (gaps.size() < kLeastGaps) {
      gaps.clear();
      gaps.reserve(held_.size());
      for (const Held& held : held_) gaps.push_back(start_of(held.target) - end_of(held.source));
      share = 3;
    }
    const Ns leeway = std::max<Ns>(linked_.clock_resolution_ns, 10);
    if (gaps.size() < kLeastGaps) {
      gaps_ = {0, kRowFollows};
      return;
    }
    std::sort(gaps.begin(), gaps.end());
    const std::size_t count = std::max(kLeastGaps, (gaps.size() + share - 1) / share);
    std::size_t best = 0;
    for (std::size_t i = 0; i + count <= gaps.size(); ++i)
      if (gaps[i + count - 1] - gaps[i] < gaps[best + count - 1] - gaps[best]) best = i;
    const Ns width = gaps[best + count - 1] - gaps[best];
    gaps_ = {std::max<Ns>(0, gaps[best] - width - leeway),
             std::min(kMostGap, gaps[best + count - 1] + width + leeway)};
  }

  /// Of several lanes one of which held up the row nobody knows which.
  void keep_usual() {
    std::erase_if(held_, [&](const Held& held) {
      const Ns gap = start_of(held.target) - end_of(held.source);
      return gap < gaps_.least || gap > gaps_.most;
    });
    std::vector<Held> single;
    for (std::size_t i = 0; i < held_.size();) {
      std::size_t end = i + 1;
      bool is_one_lane = true;
      for (; end < held_.size() && held_[end].target == held_[i].target; ++end)
        is_one_lane &= linked_.rows.lane[held_[end].source] == linked_.rows.lane[held_[i].source];
      if (is_one_lane) single.push_back(held_[i]);
      i = end;
    }
    held_ = std::move(single);
  }

  /// What is seen once holds at the same call site in all iterations, unless one contradicts it.
  void add_all() {
    std::map<SitePair, std::vector<Held>> by_sites;
    std::vector<Held> alone;
    for (const Held& held : held_) {
      const SitePair pair{calls_.call_site_of(held.source), calls_.call_site_of(held.target)};
      if (pair.source == 0 || pair.target == 0)
        alone.push_back(held);
      else
        by_sites[pair].push_back(held);
    }
    index_call_sites();
    add_seen(alone);
    std::map<std::uint64_t, std::size_t> sources;  // by target's site
    for (const auto& [pair, seen] : by_sites) ++sources[pair.target];
    for (const auto& [pair, seen] : by_sites)
      if (sources[pair.target] <= kMostSources)
        add_pair(pair, seen);
      else
        add_seen(seen);
  }

  /// Rows by call site, in API order.
  void index_call_sites() {
    for (const DeviceRowIndex row : linked_.rows_in_api_order)
      if (const std::uint64_t site = calls_.call_site_of(row); site != 0 && is_first_of_launch(row))
        rows_at_[site].push_back(row);
  }

  /// A gap that many rows may have by chance says something only of a row that is late.
  bool is_evident(const Held& held) const { return gaps_.is_narrow() || is_late(held.target); }

  /// Later than what is known explains.
  bool is_late(DeviceRowIndex row) const {
    return start_of(row) - explained_[row] > info(Hypothesis::kHeldUp).evident_ns;
  }

  /// The rows launched at the pair's target, each with the last that its source launched before and
  /// the wait that may be for that: wait_of(source, target), none = none may.
  template <class WaitOf>
  std::vector<Held> held_at(const SitePair& pair, const WaitOf& wait_of) const {
    std::vector<Held> all;
    const std::vector<DeviceRowIndex>& sources = rows_at_.at(pair.source);
    auto after = sources.begin();
    for (const DeviceRowIndex target : rows_at_.at(pair.target)) {
      after = partition_point_near(sources.begin(), sources.end(), after, [&](DeviceRowIndex row) {
        return enqueue_of(row) < enqueue_of(target);
      });
      if (after == sources.begin()) continue;
      const DeviceRowIndex source = *std::prev(after);
      if (const StreamCallIndex wait = wait_of(source, target))
        all.push_back({target, source, wait});
    }
    return all;
  }

  /// How many of them cannot have waited.
  std::size_t count_contradicted(const std::vector<Held>& all) const {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Held& held) {
      return !may_wait_for(linked_, held.source, held.target);
    }));
  }

  void add_pair(const SitePair& pair, const std::vector<Held>& seen) {
    const auto evident = [&](const Held& held) { return is_evident(held); };
    if (std::none_of(seen.begin(), seen.end(), evident)) return;
    const std::vector<Held> all = held_at(pair, [&](DeviceRowIndex source, DeviceRowIndex target) {
      return wait_for(source, target, waits_before(target));
    });
    ClassCounts counts{all.size(), 0, count_contradicted(all)};
    if (!linked_.hypotheses.hold(Hypothesis::kHeldUpAtSites, counts)) {
      // What more iterations contradict than show was chance; else what is seen counts for itself.
      counts.possible = seen.size();
      if (linked_.hypotheses.hold(Hypothesis::kHeldUp, counts)) add_seen(seen);
      return;
    }
    std::set<std::pair<DeviceRowIndex, DeviceRowIndex>> is_seen;
    for (const Held& held : seen) is_seen.insert({held.source, held.target});
    for (const Held& held : all)
      add(held, is_seen.contains({held.source, held.target}) ? Hypothesis::kHeldUp
                                                             : Hypothesis::kHeldUpAtSites);
  }

  void add_seen(const std::vector<Held>& seen) {
    if (!linked_.hypotheses.has(Hypothesis::kHeldUp)) return;
    for (const Held& held : seen)
      if (is_evident(held)) add(held, Hypothesis::kHeldUp);
  }

  /// A row that is held up, in nearly all iterations, until the row of one place ends waited for
  /// that row in all iterations, although it is in the middle of its queue.
  void add_from_queues() {
    std::map<std::uint64_t, std::map<std::uint64_t, std::vector<Held>>> by_target;
    for (const Held& held : in_queue_) {
      const std::uint64_t site = calls_.call_site_of(held.target);
      if (site != 0 && wait_in_queue(held.source, held.target))
        by_target[site][calls_.call_site_of(held.source)].push_back(held);
    }
    for (auto& [target, by_source] : by_target) {
      const std::vector<Held> of_no_iteration = std::move(by_source[0]);
      by_source.erase(0);
      const std::size_t late = count_late(target);
      const std::vector<Held>* best = nullptr;
      for (const auto& [source, seen] : by_source)
        if (linked_.hypotheses.hold(
                Hypothesis::kHeldUpInQueue,
                {late, seen.size() + of_no_iteration.size(), 0, log_chance_of(seen)}) &&
            (best == nullptr || end_of(seen.front().source) > end_of(best->front().source)))
          best = &seen;
      if (best == nullptr) continue;
      if (!add_in_all({calls_.call_site_of(best->front().source), target})) continue;
      const StringId name = linked_.device.rows.name[best->front().source];
      for (const Held& held : of_no_iteration) {
        const StreamCallIndex wait = wait_in_queue(held.source, held.target);
        if (wait && linked_.device.rows.name[held.source] == name)
          add({held.target, held.source, wait}, Hypothesis::kHeldUp);
      }
    }
  }

  /// False, and nothing is added, if an iteration contradicts it.
  bool add_in_all(const SitePair& pair) {
    constexpr auto kWhy = Hypothesis::kHeldUpInQueue;
    const std::vector<Held> all = held_at(pair, [&](DeviceRowIndex source, DeviceRowIndex target) {
      return wait_in_queue(source, target);
    });
    if (!linked_.hypotheses.hold(kWhy, {all.size(), all.size(), count_contradicted(all)}))
      return false;
    for (const Held& held : all) add(held, kWhy);
    return true;
  }

  /// Rows launched at the site that an open wait may have held up.
  std::size_t count_late(std::uint64_t site) const {
    const std::vector<DeviceRowIndex>& rows = rows_at_.at(site);
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(),
        [&](DeviceRowIndex row) { return is_late(row) && !waits_before(row).empty(); }));
  }

  /// The logarithm of the chance that rows of one place end in the gap so often, if any row of the
  /// lane may.
  double log_chance_of(const std::vector<Held>& seen) const {
    const auto rows =
        static_cast<double>(linked_.rows_by_lane[linked_.rows.lane[seen.front().source]].size());
    const auto times = static_cast<double>(seen.size());
    return (times - 1) * std::log(times * kRowsInGap / rows);
  }

  void add(const Held& held, Hypothesis why) {
    const StreamCall& call = calls_.calls[held.wait];
    add_stream_wait(waits_, linked_, call.call, linked_.rows.lane[held.target],
                    given_with_row(linked_, held.source), info(why).inferred);
    waits_.close(call.call);
    positions_.note_source(held.wait, held.source);
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  ByRow<DeviceRows, Ns> explained_;          // when the row could have started, as far as known
  std::vector<StreamCallIndex> open_waits_;  // in time order
  bool records_waits_;
  WaitPositions positions_;
  std::vector<Ns> known_gaps_;
  std::vector<Held> held_;      // those of one target stand together
  std::vector<Held> in_queue_;  // for rows that were not the last given before the wait
  Gaps gaps_;
  std::map<std::uint64_t, std::vector<DeviceRowIndex>> rows_at_;  // by call site
};

}  // namespace

void infer_timed_stream_waits(WaitList& waits, const LinkedTrace& linked,
                              const StreamCalls& calls) {
  TimedWaits(waits, linked, calls).run();
}

}  // namespace nadi
