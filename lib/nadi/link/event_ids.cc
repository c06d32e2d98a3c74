#include "nadi/link/event_ids.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/base/longest_chain.h"
#include "nadi/link/lost_records.h"
#include "nadi/link/waits.h"

namespace nadi {
namespace {

/// Of more records between two of them nothing is counted, and so often all counts are gone
/// through.
constexpr std::size_t kLongestCount = 512;
constexpr int kMostCountings = 16;
/// So many records right before a wait may be its own thread's where it is for another's.
constexpr std::size_t kMostRecordsBack = 64;
/// Where events are recorded at more places, nobody asks which of them records an older one.
constexpr std::size_t kMostPlaces = 64;

/// CUDA's ids have 32 bits.
constexpr std::int64_t kMostId = std::numeric_limits<std::uint32_t>::max();

/// Whether the records of one line of the program create their events.
enum class Creation : std::uint8_t { kUnknown, kCreates, kReuses };

class EventIds {
 public:
  EventIds(const LinkedTrace& linked, const StreamCalls& calls, RecordsOfWaits& records)
      : linked_(linked),
        syncs_(linked.device.syncs),
        records_(records),
        calls_(calls),
        with_flags_(linked.strings.find("cudaEventRecordWithFlags")),
        record_of_(calls_.calls.size()) {
    for (const RecordCallIndex record : rows_of(calls_.records))
      record_of_[calls_.records[record]] = record;
  }

  void find() {
    for (const SyncRowIndex row : rows_of(syncs_))
      if (names_event_alone(syncs_, row)) collect(row);
    if (calls_.records.empty()) return;
    name_events();
    for (const auto& [id, waits] : waits_of_id_)
      if (names_.record_of_id.contains(id))
        name_waits_for_created(id, waits);
      else if (!name_waits_for_pooled(waits))
        name_waits_for_recorded_again(waits);
  }

 private:
  struct Wait {
    SyncRowIndex row;
    StreamCallIndex call;
  };
  /// A wait right behind a record, which is taken to be for it.
  struct Anchor {
    RecordCallIndex record;
    std::int64_t id;
    /// Grows by one with each record before it that creates no event.
    std::int64_t reused() const { return std::int64_t{record.value} - id; }
  };
  using AnchorIndex = Index<Anchor>;
  /// What is concluded from anchors.
  struct Names {
    std::unordered_map<std::uint64_t, Creation> creation;  ///< by line of the program
    std::unordered_map<std::int64_t, RecordCallIndex> record_of_id;
  };
  /// Records in time order.
  using RecordsByPlace = std::map<StreamCalls::Place, std::vector<StreamCallIndex>>;
  /// So many of the records [begin, end) create events.
  struct Count {
    RecordCallIndex begin, end;
    std::int64_t least, most;
  };

  void collect(SyncRowIndex row) {
    const StreamCallIndex wait = calls_.of(calls_.api.call_with(syncs_.correlation[row]));
    if (!wait) return;
    if (calls_.calls[wait].is_of_nccl) {
      records_.is_idle[row] = true;
      return;
    }
    if (is_query(calls_.calls[wait].effect)) return;
    waits_of_id_[syncs_.wait_on_event[row]].push_back({row, wait});
  }

  /// Whose record right before a wait the wait may be for.
  enum class RecordOf : std::uint8_t { kOwnThread, kAnyThread, kOthers };

  /// A thread that waits because another says so seems to stand right behind a record of its own,
  /// and where it is late it may be behind the last record of all. The reading that times
  /// contradict least counts.
  void name_events() {
    Names best;
    double least = 1;  // share of what contradicts it
    for (const RecordOf whose : {RecordOf::kOwnThread, RecordOf::kAnyThread, RecordOf::kOthers}) {
      find_anchors(whose);
      keep_chain();
      names_ = {};
      if (linked_.hypotheses.hold(Hypothesis::kIdsCounted, {anchors_.size()})) name_created();
      if (names_.record_of_id.empty()) continue;
      const ClassCounts counts = contradictions();
      const double share =
          double(counts.contradicted) / double(std::max<std::size_t>(counts.possible, 1));
      if (is_contradicted(Hypothesis::kIdsCounted, counts) || share >= least) continue;
      least = share;
      best = std::move(names_);
      if (least == 0) break;
    }
    names_ = std::move(best);
  }

  void find_anchors(RecordOf whose) {
    anchors_.clear();
    for (const auto& [id, waits] : waits_of_id_)
      for (const Wait& wait : waits) {
        if (calls_.calls[wait.call].effect != CallEffect::kStreamWaitEvent) continue;
        const StreamCallIndex record = record_before(wait.call, whose);
        if (record && !is_without_flags(record_of_[record]))
          anchors_.push_back({record_of_[record], id});
      }
  }

  StreamCallIndex record_before(StreamCallIndex wait, RecordOf whose) const {
    if (whose == RecordOf::kOwnThread) return calls_.of(calls_.recorded_before(wait));
    const RecordCallIndex next = first_record_after(wait);
    for (std::size_t i = 1; i <= std::min<std::size_t>(next.value, kMostRecordsBack); ++i) {
      const StreamCallIndex record = calls_.records[next - i];
      if (whose == RecordOf::kAnyThread || thread_of(record) != thread_of(wait)) return record;
    }
    return {};
  }
  LaneIndex thread_of(StreamCallIndex call) const {
    return linked_.calls.lane[calls_.calls[call].call];
  }

  /// Calls that blocked and did not end with what their events are behind, and streams that wait
  /// for themselves; of all calls that could show it.
  ClassCounts contradictions() const {
    ClassCounts counts;
    for (const auto& [id, waits] : waits_of_id_) {
      const auto known = names_.record_of_id.find(id);
      if (known == names_.record_of_id.end()) continue;
      const StreamCall& record = calls_.calls[calls_.records[known->second]];
      for (const Wait& wait : waits) {
        const StreamCall& call = calls_.calls[wait.call];
        const bool is_stream = call.effect == CallEffect::kStreamWaitEvent;
        if (!is_stream && !has_blocked(call)) continue;
        const bool may_be =
            is_stream ? !is_of_stream(record.stream_before, wait.row) : may_be_for(record, call);
        ++counts.possible;
        counts.contradicted += may_be ? 0 : 1;
      }
    }
    return counts;
  }

  bool has_blocked(const StreamCall& call) const {
    return calls_.end_ns(call) - calls_.begin_ns(call) >= info(Hypothesis::kIdsCounted).evident_ns;
  }

  bool is_of_stream(LaneIndex lane, SyncRowIndex row) const {
    return lane && linked_.lanes[lane].device == syncs_.device[row] &&
           linked_.lanes[lane].stream == syncs_.stream[row];
  }

  /// The work that the thread launched last before the record had ended as the host's call
  /// returned, and not before the call where that blocked.
  bool may_be_for(const StreamCall& record, const StreamCall& call) const {
    const Ns done =
        calls_.timeline.last_given_done_ns(record.stream_before, calls_.begin_ns(record));
    return done <= calls_.end_ns(call) + linked_.clock_resolution_ns &&
           (!has_blocked(call) || done >= calls_.begin_ns(call));
  }

  /// Leaves the most anchors that can all be true: no more events are created between two of them
  /// than are recorded. Events that were created before the trace drop out, and so do waits for
  /// other events than that of the record right before them.
  void keep_chain() {
    std::sort(anchors_.begin(), anchors_.end(), [](const Anchor& a, const Anchor& b) {
      return a.id != b.id ? a.id < b.id : a.reused() > b.reused();
    });
    anchors_ = longest_chain(
        anchors_, [](const Anchor& a, const Anchor& b) { return a.reused() <= b.reused(); });
  }

  /// The line of the program; of a record that has none, the record itself.
  std::uint64_t site_of(RecordCallIndex record) const {
    const StreamCall& call = calls_.calls[calls_.records[record]];
    return call.call_site != 0 ? call.call_site : ~std::uint64_t{record.value};
  }
  Creation creation_of(RecordCallIndex record) const {
    const auto known = names_.creation.find(site_of(record));
    return known == names_.creation.end() ? Creation::kUnknown : known->second;
  }

  /// PyTorch's allocators and communication keep events in pools. They are recorded inside its
  /// operators, as few others are, …
  bool is_in_operator(RecordCallIndex record) const {
    const LinkedOpIndex op = linked_.calls.parent[calls_.calls[calls_.records[record]].call];
    return op && linked_.strings[linked_.ops.name[op]].starts_with("aten::");
  }
  /// … or by the plain call, where PyTorch makes the one with flags for all others.
  bool is_without_flags(RecordCallIndex record) const {
    const CallIndex call = calls_.calls[calls_.records[record]].call;
    return with_flags_ != StringId::kEmpty && linked_.device.calls.name[call] != with_flags_;
  }

  /// Finds which lines create events; false where the counts contradict each other.
  bool find_creations() {
    for (const Anchor& anchor : anchors_)
      names_.creation[site_of(anchor.record)] = Creation::kCreates;
    const std::vector<Count> counts = known_counts();
    bool has_changed = true;
    for (int round = 0; round < kMostCountings && has_changed; ++round) {
      has_changed = false;
      for (const Count& count : counts)
        if (!settle(count, has_changed)) return false;
    }
    return true;
  }

  /// Between two anchors the ids say how many; before a wait for an event between theirs at least
  /// those up to it.
  std::vector<Count> known_counts() const {
    std::vector<Count> counts;
    for (const AnchorIndex i : rows_of(anchors_)) {
      const Anchor& anchor = anchors_[i];
      const bool is_last = i + 1 == AnchorIndex(anchors_.size());
      const RecordCallIndex end = is_last ? end_of_records() : anchors_[i + 1].record;
      const std::int64_t end_id =
          is_last ? std::numeric_limits<std::int64_t>::max() : anchors_[i + 1].id;
      const std::int64_t between = end_id - anchor.id - 1;
      if (!is_last && end - anchor.record <= kLongestCount)
        counts.push_back({anchor.record + 1, end, between, between});
      for (auto id = waits_of_id_.upper_bound(anchor.id);
           id != waits_of_id_.end() && id->first < end_id; ++id) {
        const RecordCallIndex next = first_record_after(first_of(id->second));
        if (next > anchor.record && next < end && next - anchor.record <= kLongestCount)
          counts.push_back({anchor.record + 1, next, id->first - anchor.id,
                            std::numeric_limits<std::int64_t>::max()});
      }
    }
    return counts;
  }

  StreamCallIndex first_of(const std::vector<Wait>& waits) const {
    const auto first = std::min_element(
        waits.begin(), waits.end(),
        [&](const Wait& a, const Wait& b) { return calls_.is_earlier(a.call, b.call); });
    return first->call;
  }

  RecordCallIndex end_of_records() const { return RecordCallIndex(calls_.records.size()); }

  RecordCallIndex first_record_after(StreamCallIndex wait) const {
    const auto after =
        std::partition_point(calls_.records.begin(), calls_.records.end(),
                             [&](StreamCallIndex r) { return calls_.is_earlier(r, wait); });
    return RecordCallIndex(static_cast<std::size_t>(after - calls_.records.begin()));
  }

  bool settle(const Count& count, bool& has_changed) {
    std::int64_t creating = 0, unknown = 0;
    for (RecordCallIndex record = count.begin; record < count.end; ++record) {
      creating += creation_of(record) == Creation::kCreates ? 1 : 0;
      unknown += creation_of(record) == Creation::kUnknown ? 1 : 0;
    }
    if (creating > count.most || creating + unknown < count.least) return false;
    if (unknown == 0 || (creating != count.most && creating + unknown != count.least)) return true;
    has_changed = true;
    const Creation creation = creating == count.most ? Creation::kReuses : Creation::kCreates;
    for (RecordCallIndex record = count.begin; record < count.end; ++record)
      if (creation_of(record) == Creation::kUnknown) names_.creation[site_of(record)] = creation;
    return true;
  }

  /// From each anchor as far as all lines are known, up to the next anchor on either side.
  void name_created() {
    for (const RecordCallIndex record : rows_of(calls_.records))
      if (is_in_operator(record) || is_without_flags(record))
        names_.creation[site_of(record)] = Creation::kReuses;
    if (!find_creations()) {
      names_.creation.clear();
      if (!find_creations()) return names_.creation.clear();
    }
    for (const AnchorIndex i : rows_of(anchors_)) {
      const bool is_first = i == AnchorIndex(0), is_last = i + 1 == AnchorIndex(anchors_.size());
      const RecordCallIndex begin = is_first ? RecordCallIndex(0) : anchors_[i - 1].record + 1;
      const RecordCallIndex end = is_last ? end_of_records() : anchors_[i + 1].record;
      const Anchor& anchor = anchors_[i];
      names_.record_of_id[anchor.id] = anchor.record;
      std::int64_t id = anchor.id;
      for (RecordCallIndex record = anchor.record + 1; record < end; ++record)
        if (!name_next(record, id, 1)) break;
      id = anchor.id;
      for (RecordCallIndex next = anchor.record; next > begin; --next)
        if (!name_next(next - 1, id, -1)) break;
    }
  }

  /// id: of the event created last on the way; false where nobody knows whether this one is.
  bool name_next(RecordCallIndex record, std::int64_t& id, std::int64_t step) {
    const Creation creation = creation_of(record);
    if (creation == Creation::kCreates) names_.record_of_id[id += step] = record;
    return creation != Creation::kUnknown;
  }

  /// An event that one line waits for again and again is recorded again and again.
  void name_waits_for_created(std::int64_t id, const std::vector<Wait>& waits) {
    std::set<std::uint64_t> sites;
    for (const Wait& wait : waits)
      if (const std::uint64_t site = calls_.calls[wait.call].call_site;
          site != 0 && !sites.insert(site).second)
        return;
    const StreamCallIndex record = calls_.records[names_.record_of_id.at(id)];
    for (const Wait& wait : waits)
      if (calls_.is_earlier(record, wait.call)) name(wait, calls_.calls[record].call);
  }

  bool name_waits_for_pooled(const std::vector<Wait>& waits) {
    const auto stands_behind_record = [&](const Wait& wait) {
      const StreamCall& call = calls_.calls[wait.call];
      return call.effect == CallEffect::kStreamWaitEvent && calls_.recorded_before(wait.call);
    };
    if (!std::all_of(waits.begin(), waits.end(), stands_behind_record)) return false;
    for (const Wait& wait : waits) name(wait, calls_.recorded_before(wait.call));
    return true;
  }

  /// An older event for which the host waits again and again is recorded at one place between any
  /// two of its waits: at the only one where that may be so.
  void name_waits_for_recorded_again(const std::vector<Wait>& waits) {
    const auto is_of_host = [&](const Wait& wait) {
      return calls_.calls[wait.call].effect == CallEffect::kSyncEvent;
    };
    if (!linked_.hypotheses.hold(Hypothesis::kRecordedAgain, {waits.size()}) ||
        !std::all_of(waits.begin(), waits.end(), is_of_host))
      return;
    if (!records_at_) records_at_ = places_of_records();
    if (records_at_->size() > kMostPlaces) return;
    std::vector<StreamCallIndex> found;
    for (const auto& [place, records] : *records_at_) {
      std::vector<StreamCallIndex> records_of = records_before_each(waits, records);
      if (records_of.empty()) continue;
      if (!found.empty()) return;
      found = std::move(records_of);
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i]) name(waits[i], calls_.calls[found[i]].call);
  }

  /// Of places where no events are created, and enough are recorded.
  RecordsByPlace places_of_records() const {
    RecordsByPlace records_at;
    for (const RecordCallIndex record : rows_of(calls_.records)) {
      const StreamCallIndex call = calls_.records[record];
      if (creation_of(record) != Creation::kCreates && !is_in_operator(record) &&
          !is_without_flags(record) && calls_.calls[call].stream_before)
        records_at[calls_.place_of(call)].push_back(call);
    }
    std::erase_if(records_at, [](const auto& place) {
      return place.second.size() + 1 < info(Hypothesis::kRecordedAgain).least;
    });
    return records_at;
  }

  /// The last of the records before each wait, of the first perhaps none; empty if some have none
  /// of their own, or return before what it is behind has ended.
  std::vector<StreamCallIndex> records_before_each(
      const std::vector<Wait>& waits, const std::vector<StreamCallIndex>& records) const {
    std::vector<StreamCallIndex> found;
    std::size_t before = 0;
    for (const Wait& wait : waits) {
      const auto after = std::partition_point(
          records.begin(), records.end(),
          [&](StreamCallIndex record) { return calls_.is_earlier(record, wait.call); });
      const auto count = static_cast<std::size_t>(after - records.begin());
      if (count == before && !found.empty()) return {};
      before = count;
      found.push_back(count == 0 ? StreamCallIndex() : records[count - 1]);
      if (count > 0 && !may_be_for(calls_.calls[found.back()], calls_.calls[wait.call])) return {};
    }
    return found;
  }

  void name(const Wait& wait, CallIndex record) {
    records_.correlation[wait.row] = linked_.device.calls.correlation[record];
    records_.is_inferred[wait.row] = true;
  }

  const LinkedTrace& linked_;
  const SyncRows& syncs_;
  RecordsOfWaits& records_;
  const StreamCalls& calls_;
  const StringId with_flags_;                     // empty = the trace has no such call
  ByRow<StreamCall, RecordCallIndex> record_of_;  // none = the call is none
  ByRow<Anchor> anchors_;                         // in the order of ids
  std::map<std::int64_t, std::vector<Wait>> waits_of_id_;
  Names names_;
  std::optional<RecordsByPlace> records_at_;  // once asked for
};

}  // namespace

bool names_event_alone(const SyncRows& syncs, SyncRowIndex row) {
  const bool is_event =
      syncs.kind[row] == SyncKind::kEvent || syncs.kind[row] == SyncKind::kStreamWaitEvent;
  return is_event && syncs.wait_on_record[row] < 0 && syncs.wait_on_stream[row] < 0 &&
         syncs.wait_on_event[row] >= 0 && syncs.wait_on_event[row] <= kMostId;
}

RecordsOfWaits records_of_waits(const LinkedTrace& linked, const StreamCalls& calls) {
  const SyncRows& syncs = linked.device.syncs;
  RecordsOfWaits records{syncs.wait_on_record, ByRow<SyncRows, bool>(syncs.size(), false),
                         ByRow<SyncRows, bool>(syncs.size(), false)};
  const auto rows = rows_of(syncs);
  const bool has_such = std::any_of(
      rows.begin(), rows.end(), [&](SyncRowIndex row) { return names_event_alone(syncs, row); });
  if (!has_such) return records;
  if (linked.device.event_records.size() == 0)
    EventIds(linked, calls, records).find();
  else
    name_lost_records(linked, calls, records);
  return records;
}

}  // namespace nadi
