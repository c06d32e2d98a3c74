// Computes how long ASTRA-sim's analytical network takes for one collective or message.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/time.h"

namespace nadi::astra_sim {

/// The analytical backend's two programs: the congestion-unaware one lets messages share a link for
/// nothing, the congestion-aware one queues them.
enum class NetworkBackend : std::uint8_t { kUnaware, kAware };

enum class Topology : std::uint8_t { kSwitch, kFullyConnected, kRing };

/// "Switch", "FullyConnected" or "Ring", as network files name it; std::nullopt = another name.
std::optional<Topology> topology_named(std::string_view name);
std::string_view to_string(Topology topology);

struct NetworkDimension {
  Topology topology = Topology::kSwitch;
  std::int64_t npus = 2;            ///< `npus_count`
  double bandwidth_gb_per_s = 400;  ///< of 2^30 bytes, each way
  double latency_ns = 936;          ///< of a link; a message through a switch takes two
  friend bool operator==(const NetworkDimension&, const NetworkDimension&) = default;
};

/// The network file.
struct Network {
  NetworkBackend backend = NetworkBackend::kUnaware;
  std::vector<NetworkDimension> dimensions;
};

/// All NPUs: the product of the dimensions, or the largest number where it is larger; 0 = there is
/// no dimension, or one of less than one.
std::int64_t npus_of(const Network& network);
/// "8 NPUs"; of the largest number, that there are more than can be counted.
std::string npus_text(std::int64_t npus);

enum class Implementation : std::uint8_t {
  kRing,
  kDirect,   ///< messages to all members leave at once
  kDirect1,  ///< to one member after the other
  kHalvingDoubling,
  kDoubleBinaryTree,
  kUnmeasured  ///< any other
};

/// As system files name it: "ring", "direct", "direct1", "halvingDoubling", "doubleBinaryTree".
Implementation implementation_named(std::string_view name);
std::string_view to_string(Implementation implementation);

/// Beyond them times are not computed: each split of each collective is followed on its own, by the
/// simulator, too.
inline constexpr std::int64_t kMostDatasetSplits = 65'536;

/// What the system file says of communication.
struct CollectiveSystem {
  std::int64_t dataset_splits = 2;  ///< `preferred-dataset-splits`
  std::int64_t active_chunks = 1;   ///< `active-chunks-per-dimension`
  std::int64_t endpoint_delay_ns = 10;
  double memory_gb_per_s = 3350;  ///< `local-mem-bw`, of 10^9 bytes
  /// By dimension of the network: `all-reduce-implementation` and its like.
  std::vector<Implementation> all_reduce, all_gather, reduce_scatter, all_to_all;
};

/// Whether it is a name of the simulator's; implementation_named measures only some of them.
bool is_implementation_name(std::string_view name);

/// The list of a type of collective in the system file.
struct ImplementationSetting {
  ChakraProtoMsg::CollectiveCommType type;
  std::string_view name;  ///< "all-reduce-implementation"
  std::vector<Implementation> CollectiveSystem::*list;
};
/// Of all types that the simulator knows.
std::span<const ImplementationSetting> implementation_settings();
/// The list of a CollectiveCommType; nullptr for types that have none.
std::vector<Implementation> CollectiveSystem::*implementations_of(std::int64_t type);

/// The fewest bytes of a collective of `members` that the simulator ends: an ALL_GATHER has a byte
/// for each dataset split, and an ALL_REDUCE by halvingDoubling, which aborts below it, two in each
/// chunk for each member. Chunks have at least one for each NPU, so a part of half of the NPUs or
/// fewer may be as small as it is. `implementation`: on the last dimension that its ranks meet on.
std::int64_t least_bytes(std::int64_t type, Implementation implementation, std::int64_t members,
                         std::int64_t npus, std::int64_t dataset_splits);
/// The same where the lists of `system` choose the implementation.
std::int64_t least_bytes(std::int64_t type, std::int64_t members, const Network& network,
                         const CollectiveSystem& system);

struct Collective {
  std::int64_t type = ChakraProtoMsg::ALL_REDUCE;  ///< CollectiveCommType
  std::int64_t bytes = 0;                          ///< `comm_size`; of ALL_GATHER one rank's shard
  std::vector<std::int64_t> members;               ///< ranks, as listed; empty = all
};

/// ns from the time at which all members have issued it until the last one is done, equal to the
/// simulator's (518bd51) in all 2,235 measured runs of the unaware backend, and with `ring` and one
/// active chunk in those of the aware one. std::nullopt = not covered by these runs:
/// - types other than the four of CollectiveSystem, implementations other than those named above;
/// - halvingDoubling and doubleBinaryTree of other than 2^k members, the tree in a part of the
///   ranks or on several dimensions (the simulator crashes on the former);
/// - three dimensions; two others than Switches, or with `direct1`; a part of the ranks on two of
///   which one is a Ring, or with unequal links where not all of them talk through one dimension
///   (else, and on equal ones, it is as on one: a message pays one dimension alone);
/// - members that are unevenly spaced on a Ring with several active chunks, or not ascending;
/// - the aware backend with another implementation, several active chunks or a part of the ranks;
/// - an endpoint delay of 0 (the simulator aborts), fewer bytes than least_bytes, lists of
///   implementations that it refuses;
/// - numbers beyond 65,536 NPUs or dataset splits, a total of 2^60 bytes or 30 years; members that
///   are followed one by one in more than 4 million steps (16 ms).
std::optional<Ns> collective_time(const Collective& collective, const Network& network,
                                  const CollectiveSystem& system);

/// The time at which each member is done, where each issues it at a time of its own: `starts_ns`,
/// in the order of `members`, of all ranks where these are empty. A member that comes late finds
/// what the others have sent it by then, so the last end can be earlier than the last start plus
/// collective_time. The latter is what all get where the starts are equal, and where following each
/// member takes more than 100,000 steps, or several chunks run at a time or on two dimensions.
/// std::nullopt = as collective_time.
std::optional<std::vector<Ns>> collective_ends(const Collective& collective,
                                               const std::vector<Ns>& starts_ns,
                                               const Network& network,
                                               const CollectiveSystem& system);

/// The dimension of two through which all of the ranks talk with each other, where it is the same
/// one: a message pays the first dimension in which the places of its ends differ.
std::optional<std::size_t> dimension_between(const std::vector<std::int64_t>& ranks,
                                             const Network& network);

/// ns of a message from one rank to another; both are held as long. Covered are one dimension, and
/// two that are no Rings.
std::optional<Ns> message_time(std::int64_t source, std::int64_t destination, std::int64_t bytes,
                               const Network& network);

/// What of the network or the system file, and not of the collective, is the reason why
/// collective_time knows none: "a network with a dimension of one NPU was not measured"; empty =
/// none is. `collective`: nullptr = a message, and message_time.
std::string unmeasured_setting(const Collective* collective, const Network& network,
                               const CollectiveSystem& system);

}  // namespace nadi::astra_sim
