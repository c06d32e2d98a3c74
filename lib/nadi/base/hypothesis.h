// The hypotheses by which rules go: what is taken to hold for all calls of a class since some of
// them show it, with what must be seen of it. The table stands in hypothesis.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "nadi/base/evidence.h"
#include "nadi/base/time.h"

namespace nadi {

/// What the members of a class have in common.
enum class ClassOf : std::uint8_t {
  kCall,          ///< nothing: each call is a class of its own
  kPosition,      ///< their position in ops of one path (StreamCall::position_in_op)
  kNameInOp,      ///< their name, the op's, and that of what the op did right before them
  kPath,          ///< the names of the ops around them, their own name, and the thread
  kProgramPlace,  ///< the path, and that of the call before (StreamCalls::Place)
  kCallSite,      ///< the line of the program (StreamCall::call_site)
  kCallSites,     ///< the lines of two calls, one of which waits for what the other launched
  kThread,
  kApi,         ///< the call's name
  kEventId,     ///< the id of the event that a sync row names
  kSuccession,  ///< the names of a row and of the one before it on its stream
  kThreads,     ///< what a thread did before it was idle, or does then, and what another did
};
/// "call", "position in an op", …
std::string_view to_string(ClassOf of);

enum class Hypothesis : std::uint8_t {
  // What the runtimes do.
  kUnknownCopyWaits,
  kPageableCopyWaits,
  kAllocationWaits,
  kFullQueueWaits,
  kLaunchesWait,
  kLostCopyWaits,
  kLostCallBlocks,
  // Which stream is current.
  kOneStreamInOp,
  kOneStreamOfPath,
  kOneStreamOfMost,
  kSwitchAtWait,
  // What PyTorch calls for it.
  kSyncBehindCopy,
  kForkInOp,
  kExchange,
  kWaitAlone,
  kBetweenLaunches,
  kCommunicationBehindCurrent,
  kMessagesBehindCurrent,
  kWorkOfWait,
  kOldestWork,
  kWorksInOrder,
  kPrefetch,
  kPrefetchLimit,
  // What ran when.
  kHeldUp,
  kHeldUpAtSites,
  kSameStreamsInOp,
  kHeldUpInQueue,
  kOnlyStream,
  kReturnsWithWork,
  kReturnsLate,
  kLongestOfPath,
  kReturnsAtSite,
  kSyncsOneStream,
  kEventInTurn,
  kEventByPosition,
  kQueryLoop,
  // Which event an id is, and on which stream it was recorded.
  kIdsCounted,
  kRecordedAgain,
  kRecordRightBefore,
  kRecordBehindLaunch,
  kRecordHeldUp,
  // What is found in the graph.
  kUnlaunchedWaits,
  kCallerOfBackward,
  kBackwardThreads,
  kJoinedThreads,
  kRepeatedHandOff,
  kTakenInTurn,
  kBranchOfGraph,
  kRecurringWork,
};

/// A row of the table. The limits are those of a class; where nothing is asked they are 0, those of
/// chance 1.
struct HypothesisInfo {
  Hypothesis hypothesis;
  std::string_view name;  ///< short, and stable
  ClassOf of;
  Ns evident_ns;             ///< what lasted no less shows it of one member; 0 = any time does
  std::size_t least;         ///< members that could show it
  double least_share;        ///< of these that do
  double most_contradicted;  ///< share of them that contradict it, as damaged stamps may
  double most_chance;        ///< that so many would show it if it did not hold
  Inference inferred;        ///< how what follows from it is marked
  std::string_view why;      ///< whose behaviour it is, or which fact
};

/// All rows, in the order of the enumeration.
std::span<const HypothesisInfo> hypotheses();
const HypothesisInfo& info(Hypothesis hypothesis);

/// What is known of a class.
struct ClassCounts {
  std::size_t possible =
      0;  ///< members that could show it, or where that is not counted, do show it
  std::size_t seen = 0, contradicted = 0;  ///< of these
  /// Logarithm of the likelihood that it is chance.
  double log_chance = -std::numeric_limits<double>::infinity();
};

/// More members contradict it than its row lets.
bool is_contradicted(Hypothesis hypothesis, const ClassCounts& counts);

/// The hypotheses that are tested: all of them, but where tests measure what one of them is worth.
class Hypotheses {
 public:
  Hypotheses() = default;
  static Hypotheses without(Hypothesis one) {
    Hypotheses others;
    others.left_out_ = one;
    return others;
  }

  bool has(Hypothesis one) const { return left_out_ != one; }
  /// True where the class shows the hypothesis as often, and contradicts it as seldom, as its row
  /// asks.
  bool hold(Hypothesis one, const ClassCounts& counts) const;

 private:
  std::optional<Hypothesis> left_out_;
};

}  // namespace nadi
