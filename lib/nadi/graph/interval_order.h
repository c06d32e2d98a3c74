// The reduced interval order of work that may run side by side.
#pragma once

#include <cstddef>
#include <deque>
#include <queue>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Takes nodes in start order and finds the earlier nodes that each waits for: all that had ended
/// when it started, except those that another of these already waits for. O(n log n) for n nodes.
class IntervalOrder {
 public:
  struct Entry {
    NodeIndex node;
    Ns start_ns, end_ns;
    std::size_t position;  ///< in the order of adding
  };

  /// Returns what a node that starts then waits for, the one that ends first in front. Starts must
  /// not fall from call to call.
  const std::deque<Entry>& waited_for(Ns start_ns);
  /// Adds a node, which waited_for of its start was asked for before. It holds up others from
  /// `end_ns` on.
  void add(NodeIndex node, Ns start_ns, Ns end_ns);
  /// The nodes after which nothing else has started, in the order of adding.
  std::vector<NodeIndex> last() const;

 private:
  struct EndsLater {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.position > b.position;
    }
  };

  std::priority_queue<Entry, std::vector<Entry>, EndsLater> running_;
  std::deque<Entry> ended_;  // those that no other ended node waited for, in end order
  Entry latest_{};           // of all that have ended, the one added last
  Entry newest_{};           // the one added last
  std::size_t count_ = 0;
};

}  // namespace nadi
