#include <algorithm>

#include "nadi/graph/stages.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

using Nodes = std::vector<std::uint32_t>;

/// Rows of a stream that started together and hold up what comes next.
constexpr std::size_t kMostBeside = 16;

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
      add_single(rows.front(), first, last);
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

  /// What started together with the row cannot hold it up; both hold up what comes next then. Of
  /// very many only those that end last, so that garbage times do not make a graph explode.
  void add_single(std::uint32_t row, Nodes& first, Nodes& last) {
    first = nodes_of(row);
    const Ns start = draft_.start_ns(first.front());
    Nodes beside;
    for (std::uint32_t source : before_)
      if (draft_.start_ns(source) >= start && draft_.end_ns(source) > start)
        beside.push_back(source);
    for (std::uint32_t node : first)
      for (std::uint32_t source : before_)
        draft_.add_certain_edge({source, node, Evidence::kStreamOrder}, diagnostics_);
    if (beside.size() > kMostBeside) {
      std::stable_sort(beside.begin(), beside.end(), [&](std::uint32_t a, std::uint32_t b) {
        return draft_.end_ns(a) > draft_.end_ns(b);
      });
      beside.resize(kMostBeside);
    }
    last = first;
    last.insert(last.end(), beside.begin(), beside.end());
  }

  /// Inside one graph launch a row waits for those rows that had ended when it started and that no
  /// other such row waited for; a row that found none waits for what came before the launch.
  void add_graph_launch(const std::vector<std::uint32_t>& rows, Nodes& first, Nodes& last) {
    live_.clear();
    running_.clear();
    ended_ = {};
    std::size_t place = 0;
    for (std::uint32_t row : rows) {
      for (std::uint32_t node : nodes_of(row)) {
        forget_implied(draft_.start_ns(node));
        if (!add_graph_order(node)) {
          first.push_back(node);
          for (std::uint32_t source : before_)
            draft_.add_certain_edge({source, node, Evidence::kStreamOrder}, diagnostics_);
        }
      }
      for (std::uint32_t node : nodes_of(row)) {
        live_.push_back({node, place});
        running_.push_back({node, place++});
      }
    }
    // Last are those after which, in this order, nothing else started.
    Ns later_start = kNoTime;
    for (auto p = live_.rbegin(); p != live_.rend(); ++p) {
      if (later_start == kNoTime || draft_.end_ns(p->node) > later_start) last.push_back(p->node);
      later_start = std::max(later_start, draft_.start_ns(p->node));
    }
  }

  /// A row of the launch and its place in start order.
  struct Placed {
    std::uint32_t node = kNoIndex;
    std::size_t place = 0;
  };

  /// Rows that ended by the time imply the rows that had ended when they started.
  void forget_implied(Ns time) {
    std::erase_if(running_, [&](const Placed& p) {
      if (draft_.end_ns(p.node) > time) return false;
      if (ended_.node == kNoIndex || p.place > ended_.place) ended_ = p;
      return true;
    });
    if (ended_.node == kNoIndex) return;
    std::erase_if(live_, [&](const Placed& p) {
      return p.place < ended_.place && draft_.end_ns(p.node) <= draft_.start_ns(ended_.node);
    });
  }

  bool add_graph_order(std::uint32_t node) {
    bool has_waited = false;
    for (const Placed& p : live_) {
      if (draft_.end_ns(p.node) > draft_.start_ns(node)) continue;
      draft_.add_edge({p.node, node, Evidence::kGraphOrder}, diagnostics_);
      has_waited = true;
    }
    return has_waited;
  }

  Draft& draft_;
  Diagnostics& diagnostics_;
  Nodes before_;  // what the next unit of the lane waits for
  // Of the graph launch being added: rows not implied by a later one that has ended; of these, the
  // ones still running; the latest that has ended.
  std::vector<Placed> live_, running_;
  Placed ended_;
};

}  // namespace

void add_stream_order(Draft& draft, Diagnostics& diagnostics) {
  draft.unit_of_row.assign(draft.linked.rows.lane.size(), kNoIndex);
  LaneOrder order(draft, diagnostics);
  for (const auto& rows : rows_by_lane(draft.linked)) order.add_lane(rows);
}

}  // namespace nadi
