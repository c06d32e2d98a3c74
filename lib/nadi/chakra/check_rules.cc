#include "nadi/chakra/check_rules.h"

#include <cstddef>
#include <iterator>

namespace nadi {
namespace check_rules {

using enum CheckProfile;
using enum CheckRule;
using enum CheckSeverity;

// Those of ASTRA-sim are measured on 518bd51 with its analytical backends, but for names of
// implementations, which stand in its source; "silently": it still says "finished".
constexpr CheckRuleInfo kTable[] = {
    {kFraming, kChakra, "framing", kError,
     "the file is cut or no Chakra graph: readers lose all that follows"},
    {kMetadataMissing, kChakra, "metadata-missing", kError,
     "no GlobalMetadata first: readers lose the first node"},
    {kNoNodes, kChakra, "no-nodes", kError, "no node at all: simulators abort; one is enough"},
    {kDuplicateId, kChakra, "duplicate-id", kError,
     "two nodes of one id: feeders silently lose one"},
    {kDanglingDataDep, kChakra, "dangling-data-dep", kError,
     "a dependency on a node that is not in the file: ASTRA-sim aborts"},
    {kDanglingCtrlDep, kChakra, "dangling-ctrl-dep", kError,
     "a dependency on a node that is not in the file: ASTRA-sim aborts"},
    {kSelfDependency, kChakra, "self-dependency", kError,
     "a node that waits for itself never runs"},
    {kCycle, kChakra, "cycle", kError,
     "data and ctrl dependencies together go round: those nodes never run"},
    {kTimesTooLong, kChakra, "times-too-long", kError,
     "it starts after 120 years, or all nodes up to it take over 30: clocks wrap"},
    {kFieldType, kChakra, "field-type", kError,
     "a field of another type than the schema's: readers refuse the node or lose it"},
    {kAttributeMember, kChakra, "attribute-member", kWarning,
     "a number in another value member: MLCommons' feeder reads 0, ASTRA-sim converts it"},
    {kAttributeType, kChakra, "attribute-type", kError,
     "a value of another type: no reader understands it"},
    {kAttributeMissing, kChakra, "attribute-missing", kError,
     "simulators throw when they run such a node"},
    {kTypeMetadata, kChakra, "type-metadata", kWarning, "ASTRA-sim aborts at METADATA nodes"},
    {kTypeInvalid, kChakra, "type-invalid", kError,
     "INVALID nodes: what depends on them may never run"},
    {kTypeUnknown, kChakra, "type-unknown", kError, "the type is none of NodeType"},
    {kCommOnHost, kChakra, "comm-on-host", kError,
     "is_cpu_op must be false or absent on communication nodes"},
    {kCommSizeZero, kChakra, "comm-size-zero", kWarning,
     "a message without bytes: simulators may never finish it"},
    {kCommTypeUnknown, kChakra, "comm-type-unknown", kError,
     "comm_type is none of CollectiveCommType"},
    {kCommTypeNotSimulated, kChakra, "comm-type-not-simulated", kWarning,
     "ASTRA-sim throws at a collective of this type"},
    {kPgNameNotDecimal, kChakra, "pg-name-not-decimal", kWarning,
     "ASTRA-sim takes a process group's name for the decimal number that it begins with, below "
     "2147483648: there is none"},
    {kFileName, kAstraSim, "file-name", kError,
     "the simulator opens PREFIX.<rank>.et, ranks without padding"},
    {kRankMissing, kAstraSim, "rank-missing", kError, "a missing PREFIX.<rank>.et ends the run",
     "ranks without a file took no part"},
    {kOneRank, kAstraSim, "one-rank", kError,
     "the analytical network refuses fewer than two ranks"},
    {kFileNotWritable, kAstraSim, "file-not-writable", kError,
     "files are opened for writing too: the run ends"},
    {kFilePacked, kAstraSim, "file-packed", kError, "packed files are not read",
     "the unpacked nodes ran"},
    {kMetadataMissingInJob, kAstraSim, "metadata-missing", kError,
     "the first node is silently lost", "the first node ran"},
    {kFramingInJob, kAstraSim, "framing", kError, "what follows is silently lost",
     "what follows was not read and did not run"},
    {kNoNodesInJob, kAstraSim, "no-nodes", kError, "a rank without nodes ends the run",
     "the rank took no part"},
    {kDuplicateIdInJob, kAstraSim, "duplicate-id", kError, "the first of the two is silently lost",
     "the last of the two ran"},
    {kDanglingDependency, kAstraSim, "dangling-dependency", kError,
     "the run ends when the graph is loaded", "nodes ran as if these dependencies were not there"},
    {kCycleInJob, kAstraSim, "cycle", kError, "these nodes silently never run"},
    {kManyReady, kAstraSim, "many-ready", kWarning,
     "its cost is quadratic in the nodes ready at one time: minutes"},
    {kTypeMetadataInJob, kAstraSim, "type-metadata", kError,
     "the simulator aborts at a METADATA node", "the node ran for its duration"},
    {kTypeInvalidInJob, kAstraSim, "type-invalid", kError,
     "what waits for an INVALID node may silently never run", "the node ran for its duration"},
    {kTypeUnknownInJob, kAstraSim, "type-unknown", kError,
     "the simulator aborts at a type it does not know", "the node ran for its duration"},
    {kMemoryWithoutSize, kAstraSim, "memory-without-size", kError,
     "a memory node without tensor_size ends the run", "the node ran for its duration"},
    {kRemoteMemoryMissing, kAstraSim, "remote-memory-missing", kError,
     "a memory node ends the run: the memory file has no remote memory",
     "the node ran for its duration"},
    {kLocalMemoryTracked, kAstraSim, "local-memory-tracked", kError,
     "with track-local-mem in the system file a node without inputs stops its rank: set it to 0",
     "memory was not tracked"},
    {kRooflineUnknown, kAstraSim, "roofline-unknown", kWarning,
     "with the roofline on the simulator throws: num_ops and "
     "tensor_size must be above 0"},
    {kRooflineNoOps, kAstraSim, "roofline-no-ops", kWarning,
     "with the roofline on a compute node of 0 operations never ends"},
    {kDeviceDelay, kAstraSim, "device-delay", kWarning,
     "a delay holds the one device slot against other streams' work"},
    {kAttributeTypeInJob, kAstraSim, "attribute-type", kError,
     "a text where a number is wanted, or the reverse, ends the run",
     "the attribute was taken as absent"},
    {kAttributeMissingInJob, kAstraSim, "attribute-missing", kError,
     "the simulator throws when it runs the node",
     "an absent size counted 1, an absent type as an all-reduce"},
    {kCommOnHostInJob, kAstraSim, "comm-on-host", kError,
     "a communication node with is_cpu_op true takes the host's slot",
     "the node ran in the host's slot"},
    {kCommTypeNotSimulatedInJob, kAstraSim, "comm-type-not-simulated", kError,
     "the simulator throws at such a collective",
     "the collective took the shortest duration of its nodes"},
    {kBroadcastReplayed, kAstraSim, "broadcast-replayed", kNote,
     "a broadcast is not simulated: it takes the duration of its node"},
    {kAllGatherTooSmall, kAstraSim, "all-gather-too-small", kError,
     "less than a byte per dataset split: the simulator never ends",
     "the collective took the shortest duration of its nodes"},
    {kAllReduceTooSmall, kAstraSim, "all-reduce-too-small", kError,
     "the simulator aborts at a halvingDoubling of fewer bytes than 2 for each member and dataset "
     "split: give the collective more, or the type a ring",
     "the network's time is not known"},
    {kSizeZero, kAstraSim, "size-zero", kError, "a message without bytes is never received",
     "the node took its own duration"},
    {kInvolvedDim, kAstraSim, "involved-dim", kWarning,
     "it limits the collective to some dimensions of the network"},
    {kGroupNotDecimal, kAstraSim, "group-not-decimal", kError,
     "a group whose name begins with no decimal number below 2147483648 ends the run",
     "the collective was one of all ranks"},
    {kGroupUnknown, kAstraSim, "group-unknown", kError,
     "a group the group file does not hold ends the run", "the collective did not run"},
    {kGroupNumber, kAstraSim, "group-number", kError,
     "groups are kept apart by numbers from 1 to 2147 only",
     "the ranks of a group of another number were unknown"},
    {kGroupMembers, kAstraSim, "group-members", kError,
     "members must be ranks of the job, each once", "the group waited for all it names"},
    {kGroupNotMember, kAstraSim, "group-not-member", kError,
     "a collective of a group the rank is not in never ends", "the collective did not run"},
    {kGroupOfOne, kAstraSim, "group-of-one", kError, "a collective of a group of one never ends",
     "the collective did not run"},
    {kGroupFileName, kAstraSim, "group-file-name", kError,
     "a group file whose path holds the word \"empty\" is not read"},
    {kCollectiveFreedTwice, kAstraSim, "collective-freed-twice", kError,
     "the simulator may abort at its end and lose the results: give the network two equal "
     "dimensions of more NPUs than ranks, and the type two implementations"},
    {kCollectiveMaybeFreedTwice, kAstraSim, "collective-maybe-freed-twice", kNote,
     "the simulator may abort at its end, unless the network has two dimensions and the system "
     "file two implementations of the type"},
    {kAllToAllInTwoGroups, kAstraSim, "all-to-all-in-two-groups", kWarning,
     "with one implementation the simulator may abort at its end, with two it takes n(n-1)/2 "
     "steps"},
    {kTreeInAPart, kAstraSim, "tree-in-a-part", kError,
     "the simulator crashes at a doubleBinaryTree among a part of the NPUs",
     "the network's time is not known"},
    {kImplementationsRefused, kAstraSim, "implementations-refused", kError,
     "the simulator refuses more implementations of a type than the network has dimensions"},
    {kDimensionsRefused, kAstraSim, "dimensions-refused", kError,
     "the congestion-aware program refuses more than one dimension: run the unaware one"},
    {kDimensionOfOne, kAstraSim, "dimension-of-one", kError,
     "the simulator refuses a dimension of one NPU"},
    {kNpusMissing, kAstraSim, "npus-missing", kError,
     "the network has fewer NPUs than there are ranks: those beyond never run"},
    {kEndpointDelayZero, kAstraSim, "endpoint-delay-zero", kError,
     "the simulator aborts at once: endpoint-delay must be 1 or more"},
    {kMemoryBandwidthZero, kAstraSim, "memory-bandwidth-zero", kError,
     "the simulator divides by it: local-mem-bw must be above 0, such as 3350 GB/s",
     "the network's time is not known"},
    {kImplementationUnknown, kAstraSim, "implementation-unknown", kError,
     "the simulator ends at once at a name it does not know: give ring, direct, direct1, "
     "halvingDoubling or doubleBinaryTree",
     "the network's time is not known"},
    {kSettingMissing, kAstraSim, "setting-missing", kWarning,
     "what the simulator takes for a setting that the system file lacks was not measured, so its "
     "time is unknown: add it, as nadi convert writes it"},
    {kOwnRankWrong, kAstraSim, "own-rank-wrong", kError,
     "the message is looked for under another rank: silently never "
     "received"},
    {kTagTooLarge, kAstraSim, "tag-too-large", kError,
     "tags from 500,000,000 up are the simulator's own"},
    {kMessageRepeated, kAstraSim, "message-repeated", kNote,
     "messages of equal tag, ranks and size are paired in order"},
    {kSendWithoutReceive, kAstraSim, "send-without-receive", kWarning, "nobody takes the message"},
    {kReceiveWithoutSend, kAstraSim, "receive-without-send", kError,
     "the rank silently waits for ever"},
    {kEndsOnMessage, kAstraSim, "ends-on-message", kError,
     "a rank with host nodes may silently never finish after it"},
    {kCollectivesDiffer, kAstraSim, "collectives-differ", kError,
     "members issue different collectives: the simulator silently "
     "waits for ever, or exchanges the wrong sizes"},
    {kNeverRuns, kAstraSim, "never-runs", kError,
     "the simulator would wait for ever, or say it had finished without "
     "running these nodes"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kTable); ++i)
    if (kTable[i].rule != static_cast<CheckRule>(i)) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace check_rules

std::span<const CheckRuleInfo> all_check_rules() { return check_rules::kTable; }

const CheckRuleInfo& info_of(CheckRule rule) {
  return check_rules::kTable[static_cast<std::size_t>(rule)];
}

std::string_view to_string(CheckRule rule) { return info_of(rule).name; }

CheckSeverity severity_of(CheckRule rule) { return info_of(rule).severity; }

std::string_view to_string(CheckSeverity severity) {
  switch (severity) {
    case CheckSeverity::kNote:
      return "note";
    case CheckSeverity::kWarning:
      return "warning";
    case CheckSeverity::kError:
      return "error";
  }
  return "unknown";
}

}  // namespace nadi
