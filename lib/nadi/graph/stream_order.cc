#include <algorithm>

#include "nadi/graph/stages.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

using Nodes = std::vector<std::uint32_t>;

/// Walks the rows of one device lane in start order, unit by unit.
class LaneOrder {
 public:
  LaneOrder(Draft& draft, Diagnostics& diagnostics) : draft_(draft), diagnostics_(diagnostics) {}

  void add_lane(const std::vector<std::uint32_t>& rows) {
    before_.clear();
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      while (end < rows.size() && is_one_launch(rows[begin], rows[end])) ++end;
      add_unit({rows.begin() + static_cast<std::ptrdiff_t>(begin),
                rows.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
  }

 private:
  bool is_one_launch(std::uint32_t a, std::uint32_t b) const {
    const LinkedRows& rows = draft_.linked.rows;
    return rows.launch[a] && rows.launch[a] == rows.launch[b];
  }

  std::uint32_t append(const Nodes& nodes) {
    draft_.unit_nodes.insert(draft_.unit_nodes.end(), nodes.begin(), nodes.end());
    return static_cast<std::uint32_t>(draft_.unit_nodes.size());
  }

  void add_unit(const std::vector<std::uint32_t>& rows) {
    Nodes first, last;
    if (rows.size() == 1)
      first = last = add_single(rows.front());
    else
      add_graph_launch(rows, first, last);
    StreamUnit unit{};
    unit.first_begin = append({});
    unit.first_end = unit.last_begin = append(first);
    unit.last_end = append(last);
    for (std::uint32_t row : rows)
      draft_.unit_of_row[row] = static_cast<std::uint32_t>(draft_.units.size());
    draft_.units.push_back(unit);
    before_ = std::move(last);
  }

  Nodes nodes_of(std::uint32_t row) const {
    Nodes nodes;
    for (std::uint32_t node = draft_.row_node[row]; node < draft_.row_node[row + 1]; ++node)
      nodes.push_back(node);
    return nodes;
  }

  Nodes add_single(std::uint32_t row) {
    Nodes nodes = nodes_of(row);
    for (std::uint32_t node : nodes)
      for (std::uint32_t source : before_)
        draft_.add_certain_edge({source, node, Evidence::kStreamOrder}, diagnostics_);
    return nodes;
  }

  /// Inside one graph launch a row waits for those rows that had ended when it started and that no
  /// other such row waited for; a row that found none waits for what came before the launch.
  void add_graph_launch(const std::vector<std::uint32_t>& rows, Nodes& first, Nodes& last) {
    Nodes live;     // nodes that are not implied by one that started after they had ended
    Nodes running;  // of these, the ones still running
    Ns latest_start = kNoTime;  // among the nodes that have ended
    for (std::uint32_t row : rows)
      for (std::uint32_t node : nodes_of(row)) {
        const Ns start = draft_.start_ns(node);
        std::erase_if(running, [&](std::uint32_t other) {
          if (draft_.end_ns(other) > start) return false;
          latest_start = std::max(latest_start, draft_.start_ns(other));
          return true;
        });
        std::erase_if(live, [&](std::uint32_t other) {
          return draft_.end_ns(other) <= latest_start && draft_.start_ns(other) < latest_start;
        });
        bool waits_inside = false;
        for (std::uint32_t other : live)
          if (draft_.end_ns(other) <= start &&
              draft_.row_node[draft_.nodes[other].source] != draft_.row_node[row]) {
            draft_.add_edge({other, node, Evidence::kGraphOrder}, diagnostics_);
            waits_inside = true;
          }
        if (!waits_inside) {
          first.push_back(node);
          for (std::uint32_t source : before_)
            draft_.add_certain_edge({source, node, Evidence::kStreamOrder}, diagnostics_);
        }
        live.push_back(node);
        running.push_back(node);
      }
    Ns last_start = kNoTime;
    for (std::uint32_t node : live) last_start = std::max(last_start, draft_.start_ns(node));
    for (std::uint32_t node : live)
      if (draft_.end_ns(node) > last_start || draft_.start_ns(node) == last_start)
        last.push_back(node);
  }

  Draft& draft_;
  Diagnostics& diagnostics_;
  Nodes before_;  // what the next unit of the lane waits for
};

}  // namespace

void add_stream_order(Draft& draft, Diagnostics& diagnostics) {
  draft.unit_of_row.assign(draft.linked.rows.lane.size(), kNoIndex);
  LaneOrder order(draft, diagnostics);
  for (const auto& rows : rows_by_lane(draft.linked)) order.add_lane(rows);
}

}  // namespace nadi
