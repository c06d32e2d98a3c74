#include "nadi/base/hypothesis.h"

#include <array>
#include <cmath>

namespace nadi {
namespace hypothesis_table {
namespace {

using enum Hypothesis;
using enum ClassOf;
using enum Inference;

// hypothesis, name, class, evident_ns, least, least_share, most_contradicted, most_chance,
// inferred, why
constexpr HypothesisInfo kTable[] = {
    {kUnknownCopyWaits, "unknown-copy-waits", kCall, 0, 0, 0, 0, 1, kTiming,
     "ROCm: a copy to the host may wait for its row; whether memory is pageable is not recorded."},
    {kPageableCopyWaits, "pageable-copy-waits", kCall, 20'000, 0, 0, 0, 1, kTiming,
     "CUDA: a copy from pageable memory waits for its stream before it begins; small ones do not, "
     "and no record says which."},
    {kAllocationWaits, "allocation-waits", kCall, 0, 0, 0, 0, 1, kTiming,
     "CUDA: calls that allocate or free memory may wait for the device."},
    {kFullQueueWaits, "full-queue-waits", kCall, 20'000, 0, 0, 0, 1, kTiming,
     "CUDA: a launch waits for the oldest pending one where about a thousand are pending."},
    {kLaunchesWait, "launches-wait", kApi, 100'000, 10, 0.9, 0, 1, kTiming,
     "MTIA: submits return when their rows have ended, all of them."},
    {kLostCopyWaits, "lost-copy-waits", kApi, 20'000, 2, 0, 0, 1, kPlace,
     "A copy that blocks does so whether or not its row is recorded (K24)."},
    {kLostCallBlocks, "lost-call-blocks", kNameInOp, 0, 3, 0, 0, 1, kPlace,
     "A copy to pageable memory blocks whether or not its call is recorded (K20, K24)."},
    {kOneStreamInOp, "one-stream-in-op", kThread, 0, 0, 0, 0.02, 1, kPattern,
     "PyTorch: an operator launches on the stream that is current."},
    {kOneStreamOfPath, "one-stream-of-path", kThread, 0, 8, 0, 0.4, 1, kPattern,
     "PyTorch: the same code runs with the same stream current, wherever it is called."},
    {kOneStreamOfMost, "one-stream-of-most", kThread, 0, 0, 0, 0.6, 1, kPattern,
     "PyTorch: programs change the current stream less often than they launch."},
    {kSwitchAtWait, "switch-at-wait", kCall, 0, 0, 0, 0, 1, kPattern,
     "Programs let a stream wait as they make it current."},
    {kSyncBehindCopy, "sync-behind-copy", kCall, 0, 0, 0, 0, 1, kPattern,
     "PyTorch: `.item()`, `.cpu()` and `copy_` wait for the stream that they gave the copy to."},
    {kForkInOp, "fork-in-op", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "PyTorch: an op that launches on a second stream lets that wait for the current one, and at "
     "its end the current one for that."},
    {kExchange, "exchange", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "Programs let two streams wait for each other around work on the second."},
    {kWaitAlone, "wait-alone", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "`wait_stream` is for what is new: where only one stream has that, for this one."},
    {kBetweenLaunches, "between-launches", kPosition, 0, 0, 0, 0, 1e-3, kPlace,
     "FSDP2: right before a program launches on a stream it lets that wait for the one that it "
     "launched on before."},
    {kCommunicationBehindCurrent, "communication-behind-current", kPosition, 0, 0, 0, 0.05, 1,
     kPattern,
     "ProcessGroupNCCL: the communication's stream waits for the current one before each launch "
     "(K29)."},
    {kMessagesBehindCurrent, "messages-behind-current", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "ProcessGroupNCCL: a group of messages is launched behind the waits of each of them."},
    {kWorkOfWait, "work-of-wait", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "ProcessGroupNCCL: `wait()` records the number of its work, or there is but one."},
    {kOldestWork, "oldest-work", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "Of several works on one stream every wait is at least for the oldest."},
    {kWorksInOrder, "works-in-order", kPosition, 0, 0, 0, 0.05, 1, kPattern,
     "DDP: the reducer waits for its buckets in the order in which it launched them."},
    {kPrefetch, "prefetch", kThread, 0, 4, 0.85, 0, 1, kPattern,
     "FSDP: parameters are gathered ahead on a stream that runs no rows, and the current stream "
     "waits as they are used."},
    {kPrefetchLimit, "prefetch-limit", kPath, 0, 0, 0.51, 0, 1, kPattern,
     "FSDP: with `limit_all_gathers` the host waits until two modules ago were computed."},
    {kHeldUp, "held-up", kCall, 20'000, 0, 0, 1, 1, kTiming,
     "A row that starts late, right when one of another stream ends, waited for it."},
    {kHeldUpAtSites, "held-up-at-sites", kCallSites, 0, 1, 0, 0, 1, kPlace,
     "What a program waits for in one iteration, as held-up shows, it waits for in all."},
    {kSameStreamsInOp, "same-streams-in-op", kPosition, 0, 1, 0, 0, 1, kPlace,
     "Code that lets one stream wait for another does so wherever it runs."},
    {kHeldUpInQueue, "held-up-in-queue", kCallSites, 0, 0, 0.75, 0, 1e-3, kPlace,
     "Traces without records (K26): an event may lie in the middle of what its stream was given."},
    {kOnlyStream, "only-stream", kCall, 0, 0, 0, 0, 1, kPattern,
     "Where one stream has rows, all synchronisations are for it."},
    {kReturnsWithWork, "returns-with-work", kCall, 5'000, 0, 0, 0, 1, kTiming,
     "A call that blocks returns within 20 us of what it waits for (K20)."},
    {kReturnsLate, "returns-late", kCall, 5'000, 0, 0, 0, 1, kTiming,
     "CUDA: with blocking synchronisation calls return 100 us and more after the event (K28)."},
    {kLongestOfPath, "longest-of-path", kPath, 0, 3, 0, 0, 1e-3, kTiming,
     "A call that blocks takes longer than the same code's calls that do not, however short it "
     "is."},
    {kReturnsAtSite, "returns-at-site", kCallSite, 0, 1, 0, 0, 1, kPlace,
     "What the host waits for in one iteration it waits for in all."},
    {kSyncsOneStream, "syncs-one-stream", kPath, 20'000, 3, 0, 0, 1, kPlace,
     "A line of the program synchronises with one stream."},
    {kEventInTurn, "event-in-turn", kPath, 20'000, 3, 0, 0, 1, kPlace,
     "Servers and offloading take events from a queue, one after the other."},
    {kEventByPosition, "event-by-position", kPath, 20'000, 3, 0, 0, 1, kPlace,
     "Loops that run ahead wait for the event of so many iterations ago."},
    {kQueryLoop, "query-loop", kProgramPlace, 0, 3, 0, 0, 1, kPattern,
     "SGLang: a loop of queries asks until the event has happened."},
    {kIdsCounted, "ids-counted", kEventId, 20'000, 3, 0, 0.5, 1, kPattern,
     "CUDA 12.9: ids of events grow by one with each event that is created (K17)."},
    {kRecordedAgain, "recorded-again", kEventId, 0, 3, 0, 0, 1, kPattern,
     "vLLM: one event is recorded, and waited for, again and again."},
    {kRecordRightBefore, "record-right-before", kPosition, 0, 3, 1, 0, 1, kPattern,
     "PyTorch: a copy between devices, and `wait_stream`, wait for the event recorded right "
     "before."},
    {kRecordBehindLaunch, "record-behind-launch", kCall, 0, 0, 0, 0, 1, kPattern,
     "PyTorch: an event is recorded on the current stream, as what was launched right before."},
    {kRecordHeldUp, "record-held-up", kCall, 0, 0, 0, 0, 1, kTiming,
     "All that waited went on when the work of one stream had ended, and of no other (N27)."},
    {kUnlaunchedWaits, "unlaunched-waits", kSuccession, 0, 3, 1, 0, 1, kPlace,
     "What was launched before the trace waited for what the same rows wait for later."},
    {kCallerOfBackward, "caller-of-backward", kThread, 0, 0, 0, 0.5, 1, kTiming,
     "Autograd: the thread that ran forward calls backward(); DataParallel's replicas run forward "
     "in threads of their own."},
    {kBackwardThreads, "backward-threads", kCall, 0, 0, 0, 0, 1, kTiming,
     "Autograd: one thread for each device, which hand work on to each other."},
    {kJoinedThreads, "joined-threads", kThreads, 0, 3, 0, 0, 1e-3, kPlace,
     "DataParallel, gloo: a thread starts others, and goes on when all of them have ended."},
    {kRepeatedHandOff, "repeated-hand-off", kThreads, 10'000, 3, 0.5, 0.25, 1e-3, kPlace,
     "A thread that always goes on as long after another's work waited for it."},
    {kTakenInTurn, "taken-in-turn", kThreads, 0, 0, 0.5, 0, 1, kPlace,
     "Queues hand over in order, whether or not somebody had to wait."},
    {kBranchOfGraph, "branch-of-graph", kCall, 0, 4, 0, 0, 1, kTiming,
     "CUDA graphs: a row starts a usual time after the row of another branch that it waited for."},
    {kRecurringWork, "recurring-work", kProgramPlace, 500'000, 3, 0.9, 0, 1, kTiming,
     "What the device does at one place in each iteration is work, though it has no row."},
};

constexpr bool has_order_of_enumeration() {
  for (std::size_t i = 0; i < std::size(kTable); ++i)
    if (static_cast<std::size_t>(kTable[i].hypothesis) != i) return false;
  return true;
}
static_assert(has_order_of_enumeration() &&
              std::size(kTable) == static_cast<std::size_t>(kRecurringWork) + 1);

}  // namespace
}  // namespace hypothesis_table

namespace {

double share(std::size_t part, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

}  // namespace

std::string_view to_string(ClassOf of) {
  constexpr std::array<std::string_view, 12> kNames = {
      "call",  "position in an op", "name in an op",      "path",
      "place", "call site",         "pair of call sites", "thread",
      "API",   "event id",          "succession of rows", "places of two threads"};
  return kNames[static_cast<std::size_t>(of)];
}

std::span<const HypothesisInfo> hypotheses() { return hypothesis_table::kTable; }

const HypothesisInfo& info(Hypothesis hypothesis) {
  return hypothesis_table::kTable[static_cast<std::size_t>(hypothesis)];
}

bool is_contradicted(Hypothesis hypothesis, const ClassCounts& counts) {
  return share(counts.contradicted, counts.possible) > info(hypothesis).most_contradicted;
}

bool Hypotheses::hold(Hypothesis one, const ClassCounts& counts) const {
  const HypothesisInfo& row = info(one);
  return has(one) && counts.possible >= row.least &&
         (counts.possible == 0 || share(counts.seen, counts.possible) >= row.least_share) &&
         !is_contradicted(one, counts) && counts.log_chance <= std::log(row.most_chance);
}

}  // namespace nadi
