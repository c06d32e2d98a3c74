// Holds a converted graph against the truth: what is missing, what is false, what has other times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "truth.h"

namespace nadi::vm {

/// A converted graph, as plain data; the caller fills it from whatever form the graph has.
struct ConvertedNode {
  /// kDelay: stands for no work; order passes through it.
  enum Kind : std::uint8_t { kOp, kPart, kCall, kDeviceRow, kDelay } kind = kOp;
  std::uint64_t rf_id = 0;        ///< op; part: of the op named by part_of
  std::int64_t correlation = -1;  ///< call, row
  std::string name;               ///< row: tells rows of one launch apart, with stream and start
  std::int64_t stream = -1;       ///< row
  Ns start_ns = 0, duration_ns = 0;
};
struct ConvertedEdge {
  int from = -1, to = -1;  ///< into ConvertedGraph::nodes
  bool is_data = true;     ///< false: ctrl
  bool inferred = false;
  std::string evidence;  ///< for messages and counts: "event wait", …
};
struct ConvertedGraph {
  std::vector<ConvertedNode> nodes;
  std::vector<ConvertedEdge> edges;
};

struct Tally {
  std::size_t total = 0, good = 0;
  double share() const {
    return total == 0 ? 1.0 : static_cast<double>(good) / static_cast<double>(total);
  }
};

/// What became of a dependency of the truth.
enum class CheckFinding : std::uint8_t { kNotAsked, kMissing, kImplied };

struct Comparison {
  std::vector<std::string> unmatched_truth;      ///< nodes the graph lacks
  std::vector<std::string> unmatched_converted;  ///< nodes the truth lacks
  std::vector<std::string> missing;  ///< shown direct dependencies no path of data edges implies
  std::vector<std::string>
      false_edges;  ///< edges (data or ctrl) between what truth leaves unordered
  std::vector<std::string> time_mismatches;
  std::map<std::string, Tally> required;  ///< by truth kind: recall (shown dependencies only)
  std::map<std::string, Tally> edges;     ///< by evidence: precision; "… (inferred)" apart
  std::vector<CheckFinding> findings;     ///< by Truth::edges
  std::size_t false_pairs = 0;  ///< ordered pairs, implied ones included, truth leaves unordered

  bool is_exact() const {
    return unmatched_truth.empty() && unmatched_converted.empty() && missing.empty() &&
           false_edges.empty() && time_mismatches.empty() && false_pairs == 0;
  }
  /// First findings of each sort, for a test's failure message.
  std::string text(std::size_t most = 10) const;
};

struct CompareOptions {
  Ns origin_ns = 0;     ///< converted start_ns of the program's time 0
  Ns tolerance_ns = 0;  ///< on starts and durations
  /// Host nodes shorter than this may be of no length in the records, and so be missing: nothing is
  /// asked of them.
  Ns least_host_ns = 0;
};

/// A coalesced row may be several nodes (equal correlation, name, stream and start): the longest
/// carries the time and what follows the row must follow it; what the row follows, each must
/// follow. Throws Error(kInternal) where the converted edges form a cycle.
Comparison compare(const Truth& truth, const ConvertedGraph& graph,
                   const CompareOptions& options = {});

/// How many event waits and synchronisations a graph implies, of those that are shown and in the
/// records, each pair of nodes once.
struct WaitRecall {
  Tally all;
  Tally needed;                      ///< those that no other dependencies imply
  Tally binding;                     ///< those of these that held something up
  Tally binding_queues;              ///< items that a thread stood still for; in none of the others
  std::vector<std::string> missing;  ///< "held up" before those that did
};
WaitRecall recall_of_waits(const Truth& truth, const Comparison& comparison);

/// What a perfect converter would give for truth, delays left out: for tests of the comparison.
ConvertedGraph perfect_graph(const Truth& truth);

}  // namespace nadi::vm
