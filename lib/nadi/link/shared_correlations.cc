#include "nadi/link/shared_correlations.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "nadi/base/key_index.h"
#include "nadi/model/call_names.h"

namespace nadi {
namespace {

/// A row that may be of another launch than that whose correlation it carries.
struct DoubtedRow {
  DeviceRowIndex row;
  bool has_call;  ///< the call of its correlation is in the trace
};

CallLaunches launched_kind(DeviceRowKind kind) {
  if (kind == DeviceRowKind::kMemcpy) return CallLaunches::kMemcpy;
  return kind == DeviceRowKind::kMemset ? CallLaunches::kMemset : CallLaunches::kKernel;
}

class SharedCorrelations {
 public:
  SharedCorrelations(DeviceTrace& device, Diagnostics& diagnostics)
      : device_(device),
        diagnostics_(diagnostics),
        rows_(device.rows.correlation, -1),
        calls_(device.calls.correlation, -1) {}

  void repair() {
    if (!are_shared()) return;  // nearly every trace
    launches_ = calls_launch(device_.calls, device_.strings);
    std::vector<DoubtedRow> doubted;
    rows_.for_each_key([&](Entries rows) {
      if (rows.size() > 1) doubt(rows, doubted);
    });
    if (doubted.empty()) return;
    find_free_calls();
    const auto& starts = device_.rows.start_ns;
    std::stable_sort(doubted.begin(), doubted.end(), [&](const DoubtedRow& a, const DoubtedRow& b) {
      return starts[a.row] < starts[b.row];
    });
    for (const DoubtedRow& one : doubted) move_to_its_launch(one);
  }

 private:
  using Entries = std::span<const KeyIndex<DeviceRows, std::int64_t>::Entry>;
  /// What names a launch: `External id`, the kernel if that is recorded, and what the call
  /// launches.
  using Key = std::tuple<std::uint64_t, StringId, CallLaunches>;

  bool are_shared() const {
    const Entries all = rows_.entries();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i - 1].key == all[i].key && device_.rows.graph_id[all[i].row] == 0) return true;
    return false;
  }

  void doubt(Entries rows, std::vector<DoubtedRow>& doubted) const {
    const auto is_in_graph = [&](const auto& entry) {
      return device_.rows.graph_id[entry.row] != 0;
    };
    const auto calls = calls_.rows(rows.front().key);
    if (calls.size() > 1 || std::any_of(rows.begin(), rows.end(), is_in_graph)) return;
    if (calls.empty()) {
      for (const auto& entry : rows) doubted.push_back({entry.row, false});
      return;
    }
    const CallIndex call = calls.front().row;
    if (launches_[call] == CallLaunches::kGraph) return;
    bool has_own = false;
    for (const auto& entry : rows) {
      const bool is_its_own = fits(call, entry.row);
      if (!is_its_own || has_own) doubted.push_back({entry.row, true});
      has_own |= is_its_own;
    }
  }

  /// The call does not name another op, kernel or kind of work.
  bool fits(CallIndex call, DeviceRowIndex row) const {
    const RuntimeCalls& calls = device_.calls;
    const DeviceRows& rows = device_.rows;
    const bool names_another_op = calls.external_id[call] != 0 && rows.external_id[row] != 0 &&
                                  calls.external_id[call] != rows.external_id[row];
    const bool names_another_kernel = calls.kernel[call] != StringId::kEmpty &&
                                      rows.kind[row] == DeviceRowKind::kKernel &&
                                      calls.kernel[call] != rows.name[row];
    const bool launches_another_kind = launches_[call] != CallLaunches::kNothing &&
                                       launches_[call] != launched_kind(rows.kind[row]);
    return !names_another_op && !names_another_kernel && !launches_another_kind;
  }

  /// Launches without a row, by what they name, in the order of their begins.
  void find_free_calls() {
    const RuntimeCalls& calls = device_.calls;
    std::vector<CallIndex> free;
    for (const CallIndex call : rows_of(calls)) {
      const std::int64_t correlation = calls.correlation[call];
      const bool launches =
          launches_[call] != CallLaunches::kNothing && launches_[call] != CallLaunches::kGraph;
      if (launches && correlation >= 0 && calls.external_id[call] != 0 &&
          rows_.rows(correlation).empty() && calls_.rows(correlation).size() == 1)
        free.push_back(call);
    }
    std::stable_sort(free.begin(), free.end(), [&](CallIndex a, CallIndex b) {
      return calls.start_ns[a] < calls.start_ns[b];
    });
    for (const CallIndex call : free)
      free_[{calls.external_id[call], calls.kernel[call], launches_[call]}].push_back(call);
  }

  void move_to_its_launch(const DoubtedRow& doubted) {
    DeviceRows& rows = device_.rows;
    const DeviceRowIndex row = doubted.row;
    std::int64_t& correlation = rows.correlation[row];
    const std::uint64_t op = rows.external_id[row];
    // An External id that is a copy of the correlation names no op (K12).
    if (op == 0 || op == static_cast<std::uint64_t>(correlation)) return;
    CallIndex call = take_free({op, rows.name[row], CallLaunches::kKernel});
    if (!call && doubted.has_call)
      call = take_free({op, StringId::kEmpty, launched_kind(rows.kind[row])});
    if (!call) return;
    const std::int64_t own = device_.calls.correlation[call];
    diagnostics_.report(Finding::kCorrelationRepaired, [&] {
      return fmt::format("{}, correlation {}: launched by {}", device_.strings[rows.name[row]],
                         correlation, own);
    });
    correlation = own;
  }

  CallIndex take_free(const Key& key) {
    const auto found = free_.find(key);
    if (found == free_.end() || found->second.empty()) return {};
    const CallIndex taken = found->second.front();
    found->second.pop_front();
    return taken;
  }

  DeviceTrace& device_;
  Diagnostics& diagnostics_;
  // By correlation, as recorded.
  const KeyIndex<DeviceRows, std::int64_t> rows_;
  const KeyIndex<RuntimeCalls, std::int64_t> calls_;
  ByRow<RuntimeCalls, CallLaunches> launches_;
  std::map<Key, std::deque<CallIndex>> free_;
};

}  // namespace

void repair_shared_correlations(DeviceTrace& device, Diagnostics& diagnostics) {
  SharedCorrelations(device, diagnostics).repair();
}

}  // namespace nadi
