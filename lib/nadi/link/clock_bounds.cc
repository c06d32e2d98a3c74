#include "nadi/link/clock_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "nadi/base/key_index.h"
#include "nadi/base/sort_rows.h"
#include "nadi/link/captures.h"
#include "nadi/link/waiting_launches.h"
#include "nadi/model/call_names.h"

namespace nadi {
namespace {

constexpr double kLeastShareOfCopies = 0.95;

/// A blocking call: what was launched by `launched_by` had ended when it returned.
struct BlockingCall {
  Ns launched_by = 0;
  Ns returned = 0;
  CallIndex call;
};

/// The blocking calls that waited for one stream, or for one context.
class BlockingCalls {
 public:
  void add(const BlockingCall& call) { calls_.push_back(call); }

  /// Afterwards each entry is, of itself and all that follow it, the one that returned first.
  void sort() {
    sort_rows(calls_, [](const BlockingCall& a, const BlockingCall& b) {
      return a.launched_by != b.launched_by ? a.launched_by < b.launched_by : a.call < b.call;
    });
    times_.reserve(calls_.size());
    for (const BlockingCall& call : calls_) times_.push_back(call.launched_by);
    for (std::size_t i = calls_.size(); i-- > 1;)
      if (calls_[i].returned < calls_[i - 1].returned) calls_[i - 1] = calls_[i];
  }

  /// Of those that waited for what had been launched by the time, the first to return; null = none.
  const BlockingCall* first_to_return(Ns launched) const {
    const auto found = std::lower_bound(times_.begin(), times_.end(), launched);
    return found == times_.end() ? nullptr : &calls_[std::size_t(found - times_.begin())];
  }

 private:
  std::vector<BlockingCall> calls_;
  std::vector<Ns> times_;
};

/// Launches before the trace's first call, of which it has rows: ids are counted up as calls are
/// made.
class EarlierLaunches {
 public:
  EarlierLaunches(const DeviceTrace& device, const KeyIndex<RuntimeCalls, std::int64_t>& calls)
      : correlations_(device.rows.correlation), rows_(correlations_, -1) {
    if (calls.empty()) return;
    smallest_ = calls.entries().front().key;
    const std::vector<Ns>& begins = device.calls.start_ns;
    const auto first = std::min_element(begins.begin(), begins.end());
    if (!is_far_stamp(*first)) first_ = CallIndex(std::size_t(first - begins.begin()));
  }

  /// The trace's first call, if the row was launched before it; else none.
  CallIndex first_call_after(DeviceRowIndex row) const {
    const bool is_earlier = correlations_[row] >= 0 && correlations_[row] < smallest_;
    return is_earlier ? first_ : CallIndex();
  }
  /// A launch of several rows is one of a graph.
  bool made_more_than(DeviceRowIndex row) const {
    return rows_.rows(correlations_[row]).size() > 1;
  }

 private:
  const ByRow<DeviceRows, std::int64_t>& correlations_;
  const KeyIndex<DeviceRows, std::int64_t> rows_;
  CallIndex first_;
  std::int64_t smallest_ = 0;
};

class LimitFinder {
 public:
  explicit LimitFinder(const DeviceTrace& device)
      : device_(device),
        effects_(call_effects(device.calls, device.strings)),
        launches_(calls_launch(device.calls, device.strings)),
        apis_(call_apis(device.calls, device.strings)),
        calls_(device.calls.correlation, -1),
        captures_(device.calls, effects_, calls_with_rows()) {
    if (device.syncs.size() == 0)
      add_device_synchronisations();
    else
      for (const SyncRowIndex row : rows_of(device.syncs)) add_sync_row(row);
    for (auto& [scope, calls] : of_stream_) calls.sort();
    for (auto& [scope, calls] : of_context_) calls.sort();
  }

  ByRow<DeviceRows, RowLimits> find() const {
    ByRow<DeviceRows, RowLimits> found(device_.rows.size());
    const EarlierLaunches earlier(device_, calls_);
    for (const DeviceRowIndex row : rows_of(found)) {
      RowLimits& limits = found[row];
      const CallIndex call = only_call(device_.rows.correlation[row]);
      const CallIndex heard_from = call ? call : earlier.first_call_after(row);
      if (!heard_from) continue;
      const bool is_of_graph_launch = call && launches_[call] == CallLaunches::kGraph;
      const Ns returned =
          call ? call_end_ns(device_.calls, call) : device_.calls.start_ns[heard_from];
      limits.call = call;
      limits.waited_by = first_to_return(row, is_of_graph_launch, returned);
      if (apis_[heard_from] == CallApi::kOther) continue;
      limits.is_cuda = apis_[heard_from] == CallApi::kCuda;
      limits.is_of_graph = device_.rows.graph_id[row] != 0 || is_of_graph_launch ||
                           (!call && earlier.made_more_than(row));
      if (call) limits.launched_ns = device_.calls.start_ns[call];
      limits.launch_returned_ns = returned;
      if (!limits.waited_by) continue;
      const Ns waited = call_end_ns(device_.calls, limits.waited_by);
      if (!is_far_stamp(waited)) limits.waited_ns = waited;
    }
    return found;
  }

 private:
  using Scope = std::pair<std::int64_t, std::int64_t>;  // device; stream or context

  /// A device row has the correlation of the call.
  ByRow<RuntimeCalls, bool> calls_with_rows() const {
    ByRow<RuntimeCalls, bool> has_row(device_.calls.size(), false);
    for (const std::int64_t correlation : device_.rows.correlation) {
      if (correlation < 0) continue;
      const auto calls = calls_.rows(correlation);
      if (calls.empty() || has_row[calls.front().row]) continue;  // all of them, or none
      for (const auto& [key, call] : calls) has_row[call] = true;
    }
    return has_row;
  }

  /// The one call with the correlation.
  CallIndex only_call(std::int64_t correlation) const {
    if (correlation < 0) return {};
    const auto found = calls_.rows(correlation);
    if (found.size() != 1) return {};
    const CallIndex call = found.front().row;
    return is_far_stamp(device_.calls.start_ns[call]) ? CallIndex() : call;
  }

  std::optional<BlockingCall> blocking_call(CallIndex call) const {
    if (!call || captures_.contain(device_.calls.start_ns[call])) return std::nullopt;
    return BlockingCall{device_.calls.start_ns[call], call_end_ns(device_.calls, call), call};
  }

  void add_sync_row(SyncRowIndex row) {
    const SyncRows& syncs = device_.syncs;
    auto blocking = blocking_call(only_call(syncs.correlation[row]));
    if (!blocking || apis_[blocking->call] != CallApi::kCuda) return;
    if (is_query(effects_[blocking->call])) return;
    const std::int64_t device = syncs.device[row];
    switch (syncs.kind[row]) {
      case SyncKind::kContext:
        return of_context_[{device, syncs.context[row]}].add(*blocking);
      case SyncKind::kStream:
        if (syncs.stream[row] < 0) return of_context_[{device, syncs.context[row]}].add(*blocking);
        return of_stream_[{device, syncs.stream[row]}].add(*blocking);
      case SyncKind::kEvent: {
        const CallIndex record = only_call(syncs.wait_on_record[row]);
        if (!record || syncs.wait_on_stream[row] < 0) return;
        blocking->launched_by = std::min(blocking->launched_by, device_.calls.start_ns[record]);
        return of_stream_[{device, syncs.wait_on_stream[row]}].add(*blocking);
      }
      case SyncKind::kStreamWaitEvent:
        return;  // a stream waits, not the host
    }
  }

  /// Without sync rows only a synchronisation of the one device there is says what it waited for.
  void add_device_synchronisations() {
    const DeviceRows& rows = device_.rows;
    std::set<Scope> contexts;
    for (const DeviceRowIndex row : rows_of(rows))
      contexts.insert({rows.device[row], rows.context[row]});
    if (contexts.size() != 1) return;
    for (const CallIndex call : rows_of(effects_)) {
      if (effects_[call] != CallEffect::kSyncDevice || apis_[call] == CallApi::kOther) continue;
      if (is_far_stamp(device_.calls.start_ns[call])) continue;
      if (const auto blocking = blocking_call(call)) of_context_[*contexts.begin()].add(*blocking);
    }
  }

  CallIndex first_to_return(DeviceRowIndex row, bool is_of_graph_launch, Ns launched) const {
    const DeviceRows& rows = device_.rows;
    const BlockingCall* first = nullptr;
    const auto look = [&](const std::map<Scope, BlockingCalls>& calls, const Scope& scope) {
      const auto found = calls.find(scope);
      if (found == calls.end()) return;
      const BlockingCall* call = found->second.first_to_return(launched);
      if (call != nullptr && (first == nullptr || call->returned < first->returned)) first = call;
    };
    look(of_context_, {rows.device[row], rows.context[row]});
    // The lanes of a graph's rows are not the stream it was launched on.
    if (rows.graph_id[row] == 0 && !is_of_graph_launch)
      look(of_stream_, {rows.device[row], rows.stream[row]});
    return first == nullptr ? CallIndex() : first->call;
  }

  const DeviceTrace& device_;
  const CallEffects effects_;
  const ByRow<RuntimeCalls, CallLaunches> launches_;
  const ByRow<RuntimeCalls, CallApi> apis_;
  const KeyIndex<RuntimeCalls, std::int64_t> calls_;
  const Captures captures_;
  std::map<Scope, BlockingCalls> of_stream_, of_context_;
};

class BoundFinder {
 public:
  BoundFinder(const DeviceTrace& device, const ByRow<DeviceRows, RowLimits>& limits)
      : device_(device),
        limits_(limits),
        effects_(call_effects(device.calls, device.strings)),
        apis_(call_apis(device.calls, device.strings)),
        // Clocks go by all hypotheses, also where it is measured what one is worth for waits.
        waiting_launches_(launches_that_wait(device, {})) {}

  std::vector<DeviceBounds> find() {
    for (const DeviceRowIndex row : rows_of(device_.rows)) add_row(row);
    for (auto& [device, copies] : pageable_) add_pageable_copies(copies, bounds_[device]);
    std::vector<DeviceBounds> found;
    for (auto& [device, bounds] : bounds_) found.push_back({device, std::move(bounds)});
    return found;
  }

 private:
  void add_row(DeviceRowIndex row) {
    const DeviceRows& rows = device_.rows;
    const Ns start = rows.start_ns[row];
    const CallIndex call = limits_[row].call;
    if (!call || start == kNoTime || is_far_stamp(start)) return;
    if (apis_[call] == CallApi::kOther && !waiting_launches_[call]) return;
    std::vector<ClockBound>& bounds = bounds_[rows.device[row]];
    const Ns begin = device_.calls.start_ns[call];
    if (is_far_stamp(start - begin)) return;
    bounds.push_back({begin, start - begin, call, true, start - begin <= kClockAgreement});
    if (limits_[row].waited_by) bounds.push_back(lower_bound(row, limits_[row].waited_by));
    add_own_wait(row, call, bounds);
  }

  /// The row had ended when the call returned.
  ClockBound lower_bound(DeviceRowIndex row, CallIndex call) const {
    const Ns end = device_.rows.start_ns[row] + device_.rows.duration_ns[row];
    const Ns returned = call_end_ns(device_.calls, call);
    return {returned, end - returned, call, false, end > device_.calls.start_ns[call]};
  }

  /// A launch that waits returns when its row has ended: that is used for APIs of which nothing
  /// else is known. A copy to the host does so, too; a cudaMemcpyAsync only where the memory is
  /// pageable, which the row's name says, and which is believed where such copies agree.
  void add_own_wait(DeviceRowIndex row, CallIndex call, std::vector<ClockBound>& bounds) {
    const std::string_view name = device_.strings[device_.rows.name[row]];
    const ClockBound bound = lower_bound(row, call);
    if (waiting_launches_[call] && apis_[call] == CallApi::kOther) bounds.push_back(bound);
    if (device_.rows.kind[row] != DeviceRowKind::kMemcpy || name.find("DtoH") == name.npos) return;
    if (effects_[call] == CallEffect::kCopyAndWait)
      bounds.push_back(bound);
    else if (effects_[call] == CallEffect::kCopyMayWait && name.find("-> Pageable") != name.npos)
      pageable_[device_.rows.device[row]].push_back(bound);
  }

  /// Neighbours agree where they differ by no more than the clocks can part in between.
  static void add_pageable_copies(std::vector<ClockBound>& copies,
                                  std::vector<ClockBound>& bounds) {
    std::sort(copies.begin(), copies.end(), [](const ClockBound& a, const ClockBound& b) {
      return a.host_ns != b.host_ns ? a.host_ns < b.host_ns : a.call < b.call;
    });
    std::size_t agree = 0;
    for (std::size_t i = 1; i < copies.size(); ++i) {
      const auto apart = static_cast<double>(copies[i].host_ns - copies[i - 1].host_ns);
      const auto change = static_cast<double>(copies[i].theta_ns - copies[i - 1].theta_ns);
      agree += std::abs(change) <= kClockAgreement + kMostClockDrift * apart ? 1 : 0;
    }
    const auto pairs = static_cast<double>(copies.size() - 1);
    if (static_cast<double>(agree) < kLeastShareOfCopies * pairs) return;
    bounds.insert(bounds.end(), copies.begin(), copies.end());
  }

  const DeviceTrace& device_;
  const ByRow<DeviceRows, RowLimits>& limits_;
  const CallEffects effects_;
  const ByRow<RuntimeCalls, CallApi> apis_;
  const ByRow<RuntimeCalls, bool> waiting_launches_;
  std::map<std::int64_t, std::vector<ClockBound>> bounds_;    // by device
  std::map<std::int64_t, std::vector<ClockBound>> pageable_;  // copies, by device
};

}  // namespace

ByRow<DeviceRows, RowLimits> find_row_limits(const DeviceTrace& device) {
  return LimitFinder(device).find();
}

std::vector<DeviceBounds> find_clock_bounds(const DeviceTrace& device,
                                            const ByRow<DeviceRows, RowLimits>& limits) {
  return BoundFinder(device, limits).find();
}

}  // namespace nadi
