#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "nadi/sim_bridge/astra_sim/check.h"

namespace nadi::astra_sim {
namespace {

struct Rule {
  std::string_view name;
  CheckSeverity severity;
  std::string_view consequence;
  std::string_view assumed = {};  ///< what the run under the issue rules did instead
};
using enum CheckSeverity;

// Measured on ASTRA-sim 518bd51 with its analytical backends; "silently": it still says "finished".
constexpr Rule kRules[] = {
    {"file-name", kError, "the simulator opens PREFIX.<rank>.et, ranks without padding"},
    {"rank-missing", kError, "a missing PREFIX.<rank>.et ends the run",
     "ranks without a file took no part"},
    {"one-rank", kError, "the analytical network refuses fewer than two ranks"},
    {"file-not-writable", kError, "files are opened for writing too: the run ends"},
    {"file-packed", kError, "packed files are not read", "the unpacked nodes ran"},
    {"metadata-missing", kError, "the first node is silently lost", "the first node ran"},
    {"framing", kError, "what follows is silently lost",
     "what follows was not read and did not run"},
    {"no-nodes", kError, "a rank without nodes ends the run", "the rank took no part"},
    {"duplicate-id", kError, "the first of the two is silently lost", "the last of the two ran"},
    {"dangling-dependency", kError, "the run ends when the graph is loaded",
     "nodes ran as if these dependencies were not there"},
    {"cycle", kError, "these nodes silently never run"},
    {"many-ready", kWarning, "its cost is quadratic in the nodes ready at one time: minutes"},
    {"type-metadata", kError, "the simulator aborts at a METADATA node",
     "the node ran for its duration"},
    {"type-invalid", kError, "what waits for an INVALID node may silently never run",
     "the node ran for its duration"},
    {"type-unknown", kError, "the simulator aborts at a type it does not know",
     "the node ran for its duration"},
    {"memory-without-size", kError, "a memory node without tensor_size ends the run",
     "the node ran for its duration"},
    {"roofline-unknown", kWarning,
     "with the roofline on the simulator throws: num_ops and "
     "tensor_size must be above 0"},
    {"roofline-no-ops", kWarning, "with the roofline on a compute node of 0 operations never ends"},
    {"device-delay", kWarning, "a delay holds the one device slot against other streams' work"},
    {"attribute-type", kError, "a text where a number is wanted, or the reverse, ends the run",
     "the attribute was taken as absent"},
    {"attribute-missing", kError, "the simulator throws when it runs the node",
     "an absent size counted 1, an absent type as an all-reduce"},
    {"comm-on-host", kError, "a communication node with is_cpu_op true takes the host's slot",
     "the node ran in the host's slot"},
    {"comm-type-not-simulated", kError, "the simulator throws at such a collective",
     "the collective took its shortest measured duration"},
    {"broadcast-replayed", kNote, "a broadcast is not simulated: it takes its measured duration"},
    {"all-gather-too-small", kError, "less than a byte per dataset split: the simulator never ends",
     "the collective took its shortest measured duration"},
    {"size-zero", kError, "a message without bytes is never received",
     "the node took its measured duration"},
    {"involved-dim", kWarning, "it limits the collective to some dimensions of the network"},
    {"group-not-decimal", kError, "a group that is no decimal number ends the run",
     "the collective was one of all ranks"},
    {"group-unknown", kError, "a group the group file does not hold ends the run",
     "the collective did not run"},
    {"group-number", kError, "groups are kept apart by numbers from 1 to 499 only",
     "a group of another number was not told"},
    {"group-members", kError, "members must be ranks of the job, each once",
     "the group waited for all it names"},
    {"group-not-member", kError, "a collective of a group the rank is not in never ends",
     "the collective did not run"},
    {"group-of-one", kError, "a collective of a group of one never ends",
     "the collective did not run"},
    {"group-file-name", kError, "a group file whose path holds the word \"empty\" is not read"},
    {"own-rank-wrong", kError,
     "the message is looked for under another rank: silently never "
     "received"},
    {"tag-too-large", kError, "tags from 500,000,000 up are the simulator's own"},
    {"message-repeated", kNote, "messages of equal tag, ranks and size are paired in order"},
    {"send-without-receive", kWarning, "nobody takes the message"},
    {"receive-without-send", kError, "the rank silently waits for ever"},
    {"ends-on-message", kError, "a rank with host nodes may silently never finish after it"},
    {"collectives-differ", kError,
     "members issue different collectives: the simulator silently "
     "waits for ever, or exchanges the wrong sizes"},
    {"never-runs", kError,
     "the simulator would wait for ever, or say it had finished without "
     "running these nodes"},
};

}  // namespace

void RuleFindings::add(std::string_view rule, std::string place) {
  const auto* known = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& r) { return r.name == rule; });
  assert(known != std::end(kRules));
  findings_.add(rule, known->severity, std::move(place), known->consequence, known->assumed);
}

}  // namespace nadi::astra_sim
