// What a profile says of the ranks of a job: where each step's time went, why devices stood idle,
// who waited for whom, and what decided how long it took.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/converters/load_job.h"
#include "nadi/converters/profile/hot_spots.h"
#include "nadi/read/progress.h"
#include "nadi/sim_bridge/job/host_clocks.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

/// Why a device ran nothing until its next row began.
enum class IdleCause : std::uint8_t {
  kHost,             ///< the host launched the row only then
  kSynchronisation,  ///< so it did, since it had waited for the device: for as long as it did
  kOtherDevice,      ///< the row waited for another device of the process
  kLatency,          ///< all it waited for was there, and it began within 20 us
  kUnrecordedWork,   ///< the device was busy with what no row records (Finding::kUnrecordedWork)
  kUnexplained,      ///< beyond that, or nothing is known of what the row waited for
};
inline constexpr std::size_t kIdleCauses = 6;
std::string_view to_string(IdleCause cause);  ///< "host", "synchronisation", …

/// The time of one device while a step lasts: from its first row on the stream that computes most
/// to that of the next step, or to its last where the next is not recorded. Computation, exposed
/// communication, exposed copies and idle time add up to the length, as in HTA's temporal breakdown
/// and in TraceLens' timeline. All ns.
struct StepTimes {
  std::int64_t rank = 0, device = -1;
  std::optional<std::int32_t> step;  ///< N of ProfilerStep#N; none: from the first row to the last
  Ns begin_ns = 0, length_ns = 0;    ///< in the job's clock
  Ns computation_ns = 0;             ///< in which at least one kernel computes
  Ns communication_ns = 0;           ///< in which at least one kernel communicates
  Ns exposed_communication_ns = 0;   ///< of that, while nothing computes
  /// Of that, while all that communicates waits for a rank that has not begun.
  Ns exposed_waiting_ns = 0;
  Ns copies_ns = 0;          ///< in which memory is copied or set
  Ns exposed_copies_ns = 0;  ///< of that, while nothing computes or communicates
  std::array<Ns, kIdleCauses> idle_ns{};

  Ns hidden_communication_ns() const { return communication_ns - exposed_communication_ns; }
  Ns hidden_copies_ns() const { return copies_ns - exposed_copies_ns; }
  Ns sum_of_idle_ns() const;
};

/// Idle time of all devices of a rank with one cause at one place of the program.
struct IdleShare {
  std::int64_t rank = 0;
  IdleCause cause = IdleCause::kUnexplained;
  /// kHost: the op that ran, between ops what is around them; kSynchronisation: the call and the op
  /// around it; kOtherDevice: its lane; else the kernel that began.
  std::string what;
  std::uint64_t count = 0;
  Ns ns = 0;
  Ns longest_ns = 0;  ///< of these, at once
};

/// One collective, or one message.
struct CollectiveTimes {
  struct Member {
    std::int64_t rank = 0;
    Ns start_ns = 0, end_ns = 0;  ///< in the job's clock
    Ns waiting_ns = 0;            ///< of this, until the last one that it needs began
  };
  std::string kind;   ///< "ALL_REDUCE", "SEND", "unknown" of kernels whose kind is not known
  std::string group;  ///< name of the process group
  bool is_message = false;
  std::int64_t type = -1;       ///< CollectiveCommType
  std::int64_t size = 0;        ///< members of the group; 0 = not recorded, and one alone is known
  std::int64_t bytes = 0;       ///< `comm_size` (schema/chakra.md), the largest of the members;
                                ///< 0 = not known, or none
  std::int64_t all_bytes = 0;   ///< of all that the same kernel carries
  bool is_uneven = false;       ///< members differ in it: of an all-to-all these bytes leave a rank
  std::vector<Member> members;  ///< those of which there is a graph, by rank
  std::optional<std::int64_t> last_rank;  ///< that began last; none: one member alone is known

  Ns waiting_ns() const;  ///< of all members together
  /// From the begin of the last member known to the end of the last.
  Ns transfer_ns() const;
  /// Bytes by transfer time in GB/s (1e9 bytes), and that times the share which every link must
  /// carry, as nccl-tests define them. Where not all members are known, the time may hold waiting,
  /// and these are lower bounds. 0: no bytes, no time or, of the second, no size.
  double algorithm_gb_per_s() const;
  double bus_gb_per_s() const;
};

/// The sums of a rank over all collectives of which several members are known.
struct RankWaiting {
  std::int64_t rank = 0;
  std::uint64_t was_last = 0;  ///< in so many collectives
  Ns made_others_wait_ns = 0;  ///< the waiting of all others in these
  Ns waited_ns = 0;            ///< its own, for others
};

/// A part of the critical path: all its pieces of one kind with one name.
struct PathShare {
  PathKind kind = PathKind::kHost;
  std::string name;  ///< as PathNames::of() (path_names.h) gives it
  std::int64_t rank = 0;
  std::uint64_t pieces = 0;
  Ns ns = 0;
};

/// The part of the critical path whose nodes are of one step.
struct StepPath {
  std::optional<std::int32_t> step;     ///< N of ProfilerStep#N; none: of no step
  std::array<Ns, kPathKindCount> ns{};  ///< by PathKind
  PathShare longest;                    ///< of the step

  Ns length_ns() const;
};

/// What looks wrong, and what to do about it.
struct ProfileFinding {
  std::string what;    ///< one sentence with its figures
  std::string place;   ///< "rank 1, step 3", a kernel's name; may be empty
  std::string remedy;  ///< may be empty
  double share = 0;    ///< of the time, by which findings are ordered: 0 to 1
};

struct ProfiledRank {
  std::int64_t rank = 0;
  std::string name;                          ///< of the trace or the graph
  std::uint64_t nodes = 0, device_rows = 0;  ///< of the chosen steps
  RankClock clock;                           ///< against the job's
};

struct Profile {
  std::vector<ProfiledRank> ranks;  ///< by rank
  ClockSource clock = ClockSource::kOneRank;
  /// What the graphs were changed to: nobody measured these times (what_if.h); empty = they did.
  std::vector<std::string> what_if;
  std::vector<StepTimes> devices;            ///< all of it, by rank and device
  std::vector<StepTimes> steps;              ///< by rank, device and step
  std::vector<IdleShare> idle;               ///< longest first
  std::vector<CollectiveTimes> collectives;  ///< by begin of the first member
  std::vector<RankWaiting> waiting;          ///< by rank; empty: nothing meets
  std::vector<PathShare> path;  ///< longest first; all of the job's time, or that of chosen steps
  std::vector<StepPath> path_steps;  ///< by step; they add up to the path
  HotSpots spots;
  std::vector<ProfileFinding> findings;  ///< worst first
  std::vector<Diagnostic> diagnostics;   ///< of reading, linking and matching

  /// False where StepTimes::exposed_waiting_ns tells nothing: of one rank alone, or where nothing
  /// shows which communications meet.
  bool knows_waiting() const { return !waiting.empty(); }
  Ns path_ns() const;
};

/// Profiles the graphs of the ranks of one job, which must have GraphColumns::parents. What does
/// not match between ranks is reported. Throws Error(kInput) where the graphs do not say when
/// their nodes started, and where one begins long after the others have ended, and what
/// make_replay_job throws.
Profile profile_graphs(std::vector<Graph> graphs, Diagnostics& diagnostics);

/// The same of a job that is made; measured: its measured_times(). diagnostics: of making it. Of
/// chosen steps the nodes count that are of these; a device is busy with those of others, too.
/// Throws Error(kUsage) where no node is of them.
Profile profile_job(const ReplayJob& job, const ReplayTimes& measured,
                    const Diagnostics& diagnostics, std::optional<StepRange> steps = {});

/// N of ProfilerStep#N of the nodes.
std::set<std::int32_t> steps_of(std::span<const Graph> graphs);

/// A profile with what it was made of.
struct ProfiledJob {
  std::vector<Graph> graphs;
  GraphInputs inputs;
  ReplayJob job;  ///< of these graphs
  ReplayTimes measured;
  Profile profile;
  bool lacks_ranks = false;  ///< some were left out
};

struct ProfileOptions {
  std::vector<std::string> inputs;                       ///< as load_job takes them
  std::optional<StepRange> steps;                        ///< these alone; none = all
  WindowChoice window;                                   ///< as load_job takes it
  Progress progress;                                     ///< of the reading of traces
  std::function<void(std::string_view stage)> on_stage;  ///< called as each later stage begins
};

/// The recipe: traces of ranks -> graphs in memory -> profile. Throws what load_job and
/// profile_graphs throw.
ProfiledJob profile(const ProfileOptions& options);

}  // namespace nadi
