// Matches host ops with profiler ops by record-function id, accepted only where names agree. Other
// methods: match_order.h, match_tree.h; match_choice.h picks one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

enum class MatchMethod {
  kAuto,   ///< the best method the traces allow; too small a share is an error
  kRfId,   ///< record-function ids; too small a share is an error
  kForce,  ///< record-function ids, whatever the share
  kOrder,  ///< names in order per thread: a host trace of one iteration in a device trace of many
  kTree,   ///< call trees by name and structure, where the order differs
};

/// The iteration of the device trace that a host trace of one is linked to.
enum class IterationPickKind {
  kAuto,  ///< the one with clearly the most equal autograd sequence numbers, else kMedianDuration
  kFirst,
  kLast,
  kNumber,          ///< IterationPick::number
  kMedianDuration,  ///< of an even count the shorter of the two in the middle
};
struct IterationPick {
  IterationPickKind kind = IterationPickKind::kAuto;
  std::uint64_t number = 0;  ///< from 1, in time order
};

/// Host ops and the profiler ops they are.
struct OpMatch {
  /// The profiler's op of each host op; none = not matched. No profiler op appears twice.
  ByRow<HostOps, ProfilerOpIndex> profiler_of_host;
  /// Time of an op that is not matched, where a file that holds both traces records it; kNoTime =
  /// not recorded. Empty elsewhere.
  ByRow<HostOps, Ns> untimed_ns;
  /// True where the host ops' ids (and `External id`s) give the order of ops that begin together.
  bool ids_tell_order = false;
  /// True where the profiler's threads have the host trace's numbers.
  bool threads_are_logical = false;
  /// Host threads that worked while the profiler recorded, and of which it knows no op: it records
  /// only the thread that started it and autograd's, unless set to record all. Ascending.
  std::vector<std::uint64_t> unprofiled_threads;
  std::uint64_t host_ops = 0;  ///< ops of the host trace; roots, unprofiled threads excluded
  std::uint64_t matched = 0;
  std::uint64_t same_id_other_name = 0;  ///< ids that met another name (other runs do)
  bool is_profiled(std::uint64_t tid) const {
    return !std::binary_search(unprofiled_threads.begin(), unprofiled_threads.end(), tid);
  }
  double share() const { return host_ops == 0 ? 1.0 : double(matched) / double(host_ops); }
};

/// The share below which a match is refused.
inline constexpr double kLeastShare = 0.9;

/// The share below which an iteration is not repeated beside whole ones.
inline constexpr double kLeastShareBesideWhole = 0.98;

/// True if the part is at least such a share of the whole.
bool is_share(std::uint64_t part, std::uint64_t whole, double least);

/// Matches by record-function id; rf id 0 (roots) matches nothing. Finds the unprofiled threads.
/// Both traces may use different string tables.
OpMatch match_by_rf_id(const HostTrace& host, const DeviceTrace& device);

/// Leaves out all threads without a matched op, if the others' ops and the profiler's are the same
/// ones: where a program starts a thread for each request, such have most of the ops. Else false.
bool leave_out_threads_without_matches(const HostTrace& host, const DeviceTrace& device,
                                       OpMatch& match);

/// "only 3 of 8 host ops (37.5 %) are in the device trace: …", with the likely cause.
std::string describe_share(const OpMatch& match, const DeviceTrace& device);

/// The remedy for traces that do not belong together.
extern const char* const kMismatchRemedy;
/// The same where only record-function ids were tried.
extern const char* const kNoIdsRemedy;

}  // namespace nadi
