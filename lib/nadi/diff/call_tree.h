// The call trees of all iterations and ranks of a side, as one: equal paths are one node.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/string_table.h"
#include "nadi/diff/diff_choice.h"
#include "nadi/diff/diff_summary.h"
#include "nadi/diff/own_times.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

struct CallNode;
using CallNodeIndex = Index<CallNode>;

struct CallNode {
  StringId name{};
  CallNodeIndex parent{0};  ///< the root's is itself
  std::uint32_t depth = 0;
  bool is_device = false;  ///< a device row under the call that launched it
};

/// The first node is the root, which stands for all threads: thread numbers mean nothing in another
/// run.
struct DiffCallTree {
  StringTable names;
  ByRow<CallNode> nodes;              ///< parents before children, children in the order first met
  ByRow<CallNode, KeyTotals> totals;  ///< by node: rows, and their time with all they call
  ByRow<CallNode, KeyTotals> own;     ///< the rows' own time, see OwnTimes
  ByRow<CallNode, KeyTotals> device;  ///< time of the device rows launched at or below the node

  DiffCallTree() : nodes(1) {}
  /// Returns the child of that name, made where there is none. Gives `parent` itself where the tree
  /// has no room: kMostDepth levels, kMostNodes nodes.
  CallNodeIndex child(CallNodeIndex parent, std::string_view name, bool is_device) {
    return child(parent, names.intern(name), is_device);
  }
  CallNodeIndex child(CallNodeIndex parent, StringId name, bool is_device);
  std::string_view name(CallNodeIndex node) const { return names[nodes[node].name]; }

  static constexpr CallNodeIndex kRoot{0};
  static constexpr std::uint32_t kMostDepth = 256, kMostNodes = 1U << 21;

 private:
  struct Key {
    std::uint64_t parent_and_side, name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.parent_and_side << 32 ^ key.name) * 0x9e3779b97f4a7c15U);
    }
  };
  std::unordered_map<Key, CallNodeIndex, Hash> children_;
};

/// Selects the calls to compare: DiffChoice's only and exclude apply to all names on a call's path.
class CallFilter {
 public:
  CallFilter(const DiffChoice& choice, const DiffCallTree& tree) : choice_(choice), tree_(tree) {}

  bool keeps(CallNodeIndex node);

 private:
  struct Path {
    bool holds_only = false, holds_excluded = false;
  };
  const DiffChoice& choice_;
  const DiffCallTree& tree_;
  ByRow<CallNode, Path> known_;
};

/// Puts the iterations of one table into a tree. Steps lose their number, so that iterations add
/// up. A host row is called by the row of its thread that is open at its start; a device row by the
/// call that launched it, by the root where the trace does not record it.
class CallTreeGrower {
 public:
  /// `all` gets the sums of the calls that the choice keeps.
  CallTreeGrower(const TableRows& rows, const OwnTimes& own, const DiffChoice& choice,
                 DiffCallTree& tree, AllRows& all)
      : rows_(rows),
        own_times_(own),
        tree_(tree),
        filter_(choice, tree),
        all_(all),
        node_of_row_(rows.table().rows) {}

  /// Adds one iteration as one sample; `host` are its host rows, measured by the own times. Reports
  /// "call-paths-cut" for rows that had no room.
  void add(const IterationRows& iteration, const std::vector<HostRow>& host,
           Diagnostics& diagnostics);

 private:
  struct Open {
    CallNodeIndex node;
    Ns end_ns;
  };
  void add_host_row(EventRowIndex row);
  void add_device_row(EventRowIndex row);
  std::string_view name(EventRowIndex row) const;
  CallNodeIndex enter(CallNodeIndex parent, EventRowIndex row, bool is_device);

  const TableRows& rows_;
  const OwnTimes& own_times_;
  DiffCallTree& tree_;
  CallFilter filter_;
  AllRows& all_;
  ByRow<EventTable, CallNodeIndex> node_of_row_;
  std::vector<Open> open_;  // of the thread, outermost first
  SampleSums totals_, own_, device_;
  AllRowsSums kept_;
  std::uint64_t cut_ = 0;
};

}  // namespace nadi
