#include "nadi/link/lost_rows.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "nadi/link/captures.h"

namespace nadi {
namespace {

/// Of 80,000 launches of real traces, of CUDA and ROCm, none returned sooner; sets of no bytes
/// (cuDNN's, cuBLAS') took 0 to 1 us.
constexpr Ns kQuickestLaunch = 2'000;

class LostRows {
 public:
  LostRows(LinkedTrace& linked, const CallEffects& effects)
      : linked_(linked), calls_(linked.device.calls), has_row_(calls_.size(), false) {
    linked.calls.launches = calls_launch(calls_, linked.strings);
    see_rows();
    mark(Captures(calls_, effects, has_row_));
  }

 private:
  void see_rows() {
    for (const DeviceRowIndex row : rows_of(linked_.rows)) {
      has_kind_[static_cast<std::size_t>(launched_by(linked_.device.rows.kind[row]))] = true;
      const CallIndex call = linked_.rows.launch[row];
      if (!call) continue;
      CallLaunches& launches = linked_.calls.launches[call];
      if (launches == CallLaunches::kNothing) launches = CallLaunches::kOther;
      has_kind_[static_cast<std::size_t>(launches)] = true;
      if (has_row_[call]) continue;
      has_row_[call] = true;
      const Ns duration = calls_.duration_ns[call];
      const auto [quickest, is_new] = quickest_ns_.try_emplace(calls_.name[call], duration);
      if (!is_new) quickest->second = std::min(quickest->second, duration);
    }
  }

  void mark(const Captures& captures) {
    LinkedCalls& linked = linked_.calls;
    for (const CallIndex call : rows_of(calls_)) {
      if (has_row_[call]) continue;
      const auto like = quickest_ns_.find(calls_.name[call]);
      if (like != quickest_ns_.end() && linked.launches[call] == CallLaunches::kNothing)
        linked.launches[call] = CallLaunches::kOther;
      const bool is_kind_lost = linked.launches[call] != CallLaunches::kNothing &&
                                !has_kind_[static_cast<std::size_t>(linked.launches[call])];
      if (like == quickest_ns_.end() && !is_kind_lost) continue;
      const Ns quickest = like == quickest_ns_.end() ? 2 * kQuickestLaunch : like->second;
      linked.is_row_lost[call] = !captures.hold(call) && !has_no_bytes(call, quickest) ? 1 : 0;
    }
  }

  bool has_no_bytes(CallIndex call, Ns quickest_ns) const {
    const CallLaunches launches = linked_.calls.launches[call];
    if (launches != CallLaunches::kMemcpy && launches != CallLaunches::kMemset) return false;
    if (calls_.bytes[call] >= 0) return calls_.bytes[call] == 0;
    return calls_.duration_ns[call] < std::min(kQuickestLaunch, quickest_ns / 2);
  }

  LinkedTrace& linked_;
  const RuntimeCalls& calls_;
  ByRow<RuntimeCalls, bool> has_row_;
  std::array<bool, static_cast<std::size_t>(CallLaunches::kOther) + 1> has_kind_{};
  std::unordered_map<StringId, Ns> quickest_ns_;  // by name: of the calls that have rows
};

}  // namespace

void find_lost_rows(LinkedTrace& linked, const CallEffects& effects) { LostRows(linked, effects); }

}  // namespace nadi
