// The rules of `nadi check`: one table, by profile.
#pragma once

#include <cstdint>
#include <string_view>

namespace nadi {

enum class CheckSeverity : std::uint8_t {
  kNote,     ///< worth knowing; runs everywhere, if not as one might think
  kWarning,  ///< some tool misreads it or cannot run it, or not with every setting
  kError,    ///< wrong: simulators abort, hang, or silently lose something
};
std::string_view to_string(CheckSeverity severity);

/// The reader whose demands a rule states.
enum class CheckProfile : std::uint8_t {
  kChakra,    ///< any reader, of one graph alone
  kAstraSim,  ///< ASTRA-sim, of all ranks of a job
};

struct CheckRule {
  CheckProfile profile;
  std::string_view name;  ///< stable, kebab-case: "dangling-data-dep"
  CheckSeverity severity;
  std::string_view message;       ///< what is wrong, or what it does
  std::string_view assumed = {};  ///< what a run under the simulator's issue rules did instead
};

namespace check_rules {
using enum CheckProfile;
using enum CheckSeverity;

// Those of ASTRA-sim are measured on 518bd51 with its analytical backends, but for names of
// implementations, which stand in its source; "silently": it still says "finished".
inline constexpr CheckRule kAll[] = {
    {kChakra, "framing", kError,
     "the file is cut or no Chakra graph: readers lose all that follows"},
    {kChakra, "metadata-missing", kError, "no GlobalMetadata first: readers lose the first node"},
    {kChakra, "no-nodes", kError, "no node at all: simulators abort; one is enough"},
    {kChakra, "duplicate-id", kError, "two nodes of one id: feeders silently lose one"},
    {kChakra, "dangling-data-dep", kError,
     "a dependency on a node that is not in the file: ASTRA-sim aborts"},
    {kChakra, "dangling-ctrl-dep", kError,
     "a dependency on a node that is not in the file: ASTRA-sim aborts"},
    {kChakra, "self-dependency", kError, "a node that waits for itself never runs"},
    {kChakra, "cycle", kError,
     "data and ctrl dependencies together go round: those nodes never run"},
    {kChakra, "times-too-long", kError,
     "it starts after 120 years, or all nodes up to it take over 30: clocks wrap"},
    {kChakra, "field-type", kError,
     "a field of another type than the schema's: readers refuse the node or lose it"},
    {kChakra, "attribute-member", kWarning,
     "a number in another value member: MLCommons' feeder reads 0, ASTRA-sim converts it"},
    {kChakra, "attribute-type", kError, "a value of another type: no reader understands it"},
    {kChakra, "attribute-missing", kError, "simulators throw when they run such a node"},
    {kChakra, "type-metadata", kWarning, "ASTRA-sim aborts at METADATA nodes"},
    {kChakra, "type-invalid", kError, "INVALID nodes: what depends on them may never run"},
    {kChakra, "type-unknown", kError, "the type is none of NodeType"},
    {kChakra, "comm-on-host", kError, "is_cpu_op must be false or absent on communication nodes"},
    {kChakra, "comm-size-zero", kWarning,
     "a message without bytes: simulators may never finish it"},
    {kChakra, "comm-type-unknown", kError, "comm_type is none of CollectiveCommType"},
    {kChakra, "comm-type-not-simulated", kWarning, "ASTRA-sim throws at a collective of this type"},
    {kChakra, "pg-name-not-decimal", kWarning,
     "ASTRA-sim takes a process group's name for the decimal number that it begins with, below "
     "2147483648: there is none"},
    {kAstraSim, "file-name", kError, "the simulator opens PREFIX.<rank>.et, ranks without padding"},
    {kAstraSim, "rank-missing", kError, "a missing PREFIX.<rank>.et ends the run",
     "ranks without a file took no part"},
    {kAstraSim, "one-rank", kError, "the analytical network refuses fewer than two ranks"},
    {kAstraSim, "file-not-writable", kError, "files are opened for writing too: the run ends"},
    {kAstraSim, "file-packed", kError, "packed files are not read", "the unpacked nodes ran"},
    {kAstraSim, "metadata-missing", kError, "the first node is silently lost",
     "the first node ran"},
    {kAstraSim, "framing", kError, "what follows is silently lost",
     "what follows was not read and did not run"},
    {kAstraSim, "no-nodes", kError, "a rank without nodes ends the run", "the rank took no part"},
    {kAstraSim, "duplicate-id", kError, "the first of the two is silently lost",
     "the last of the two ran"},
    {kAstraSim, "dangling-dependency", kError, "the run ends when the graph is loaded",
     "nodes ran as if these dependencies were not there"},
    {kAstraSim, "cycle", kError, "these nodes silently never run"},
    {kAstraSim, "many-ready", kWarning,
     "its cost is quadratic in the nodes ready at one time: minutes"},
    {kAstraSim, "type-metadata", kError, "the simulator aborts at a METADATA node",
     "the node ran for its duration"},
    {kAstraSim, "type-invalid", kError, "what waits for an INVALID node may silently never run",
     "the node ran for its duration"},
    {kAstraSim, "type-unknown", kError, "the simulator aborts at a type it does not know",
     "the node ran for its duration"},
    {kAstraSim, "memory-without-size", kError, "a memory node without tensor_size ends the run",
     "the node ran for its duration"},
    {kAstraSim, "remote-memory-missing", kError,
     "a memory node ends the run: the memory file has no remote memory",
     "the node ran for its duration"},
    {kAstraSim, "local-memory-tracked", kError,
     "with track-local-mem in the system file a node without inputs stops its rank: set it to 0",
     "memory was not tracked"},
    {kAstraSim, "roofline-unknown", kWarning,
     "with the roofline on the simulator throws: num_ops and "
     "tensor_size must be above 0"},
    {kAstraSim, "roofline-no-ops", kWarning,
     "with the roofline on a compute node of 0 operations never ends"},
    {kAstraSim, "device-delay", kWarning,
     "a delay holds the one device slot against other streams' work"},
    {kAstraSim, "attribute-type", kError,
     "a text where a number is wanted, or the reverse, ends the run",
     "the attribute was taken as absent"},
    {kAstraSim, "attribute-missing", kError, "the simulator throws when it runs the node",
     "an absent size counted 1, an absent type as an all-reduce"},
    {kAstraSim, "comm-on-host", kError,
     "a communication node with is_cpu_op true takes the host's slot",
     "the node ran in the host's slot"},
    {kAstraSim, "comm-type-not-simulated", kError, "the simulator throws at such a collective",
     "the collective took its shortest measured duration"},
    {kAstraSim, "broadcast-replayed", kNote,
     "a broadcast is not simulated: it takes its measured duration"},
    {kAstraSim, "all-gather-too-small", kError,
     "less than a byte per dataset split: the simulator never ends",
     "the collective took its shortest measured duration"},
    {kAstraSim, "all-reduce-too-small", kError,
     "the simulator aborts at a halvingDoubling of fewer bytes than 2 for each member and dataset "
     "split: give the collective more, or the type a ring",
     "the network's time is not known"},
    {kAstraSim, "size-zero", kError, "a message without bytes is never received",
     "the node took its measured duration"},
    {kAstraSim, "involved-dim", kWarning,
     "it limits the collective to some dimensions of the network"},
    {kAstraSim, "group-not-decimal", kError,
     "a group whose name begins with no decimal number below 2147483648 ends the run",
     "the collective was one of all ranks"},
    {kAstraSim, "group-unknown", kError, "a group the group file does not hold ends the run",
     "the collective did not run"},
    {kAstraSim, "group-number", kError, "groups are kept apart by numbers from 1 to 2147 only",
     "a group of another number was not told"},
    {kAstraSim, "group-members", kError, "members must be ranks of the job, each once",
     "the group waited for all it names"},
    {kAstraSim, "group-not-member", kError, "a collective of a group the rank is not in never ends",
     "the collective did not run"},
    {kAstraSim, "group-of-one", kError, "a collective of a group of one never ends",
     "the collective did not run"},
    {kAstraSim, "group-file-name", kError,
     "a group file whose path holds the word \"empty\" is not read"},
    {kAstraSim, "collective-freed-twice", kError,
     "the simulator may abort at its end and lose the results: give the network two equal "
     "dimensions of more NPUs than ranks, and the type two implementations"},
    {kAstraSim, "collective-maybe-freed-twice", kNote,
     "the simulator may abort at its end, unless the network has two dimensions and the system "
     "file two implementations of the type"},
    {kAstraSim, "all-to-all-in-two-groups", kWarning,
     "with one implementation the simulator may abort at its end, with two it takes n(n-1)/2 "
     "steps"},
    {kAstraSim, "tree-in-a-part", kError,
     "the simulator crashes at a doubleBinaryTree among a part of the NPUs",
     "the network's time is not known"},
    {kAstraSim, "implementations-refused", kError,
     "the simulator refuses more implementations of a type than the network has dimensions"},
    {kAstraSim, "dimensions-refused", kError,
     "the congestion-aware program refuses more than one dimension: run the unaware one"},
    {kAstraSim, "dimension-of-one", kError, "the simulator refuses a dimension of one NPU"},
    {kAstraSim, "npus-missing", kError,
     "the network has fewer NPUs than there are ranks: those beyond never run"},
    {kAstraSim, "endpoint-delay-zero", kError,
     "the simulator aborts at once: endpoint-delay must be 1 or more"},
    {kAstraSim, "memory-bandwidth-zero", kError,
     "the simulator divides by it: local-mem-bw must be above 0, such as 3350 GB/s",
     "the network's time is not known"},
    {kAstraSim, "implementation-unknown", kError,
     "the simulator ends at once at a name it does not know: give ring, direct, direct1, "
     "halvingDoubling or doubleBinaryTree",
     "the network's time is not known"},
    {kAstraSim, "setting-missing", kWarning,
     "what the simulator takes for a setting that the system file lacks was not measured, so its "
     "time is unknown: add it, as nadi convert writes it"},
    {kAstraSim, "own-rank-wrong", kError,
     "the message is looked for under another rank: silently never "
     "received"},
    {kAstraSim, "tag-too-large", kError, "tags from 500,000,000 up are the simulator's own"},
    {kAstraSim, "message-repeated", kNote,
     "messages of equal tag, ranks and size are paired in order"},
    {kAstraSim, "send-without-receive", kWarning, "nobody takes the message"},
    {kAstraSim, "receive-without-send", kError, "the rank silently waits for ever"},
    {kAstraSim, "ends-on-message", kError,
     "a rank with host nodes may silently never finish after it"},
    {kAstraSim, "collectives-differ", kError,
     "members issue different collectives: the simulator silently "
     "waits for ever, or exchanges the wrong sizes"},
    {kAstraSim, "never-runs", kError,
     "the simulator would wait for ever, or say it had finished without "
     "running these nodes"},
};
}  // namespace check_rules

}  // namespace nadi
