#include "nadi/sim_bridge/astra_sim/operations.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "nadi/base/id_map.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/operation_cost.h"

namespace nadi::astra_sim {
namespace {

constexpr double kMostBytes = 9e18;

/// The part of `whole` that `share` of `total` makes, at least 1.
std::int64_t part_of(std::int64_t whole, Ns share, Ns total) {
  if (total <= 0 || share == total) return std::max<std::int64_t>(whole, 1);
  const double part =
      static_cast<double>(whole) * static_cast<double>(share) / static_cast<double>(total);
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(part, kMostBytes)), 1);
}

/// What shapes show may be more than was done: an op may look at a part of a tensor, a mask may
/// leave products out, and small tensors stay in caches. Returns whether it was more.
bool cap_cost(JobNodes& nodes, std::uint32_t node, const DeviceSpeed& device) {
  const Ns time = nodes.duration_ns[node];
  const std::int64_t operations = operations_done_in(time, device.peak_tflops),
                     bytes = bytes_moved_in(time, device.memory_gb_per_s);
  const bool is_more = nodes.num_ops[node] > operations || nodes.tensor_size[node] > bytes;
  nodes.num_ops[node] = std::min(nodes.num_ops[node], operations);
  nodes.tensor_size[node] = std::min(nodes.tensor_size[node], bytes);
  return is_more;
}

class OperationFinder {
 public:
  OperationFinder(const Graph& graph, JobRank& rank) : graph_(graph), rank_(rank) {
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (graph.rf_id[row] != 0 && graph.kind[row] == NodeKind::kOp)
        op_of_rf_id_.try_emplace(graph.rf_id[row], row);
    for (std::uint32_t node = 0; node < rank.size(); ++node) {
      if (!computes_on_device(node) || takes_measured_time(node)) continue;
      OpTime& time = time_of_op_[op_of(node)];
      Ns& sum = is_transfer(node) ? time.transfers : time.kernels;
      sum = saturated_sum(sum, rank.duration_ns[node]);
      time.has_kernels |= !is_transfer(node);
    }
  }

  void run(const DeviceSpeed& device, Diagnostics& diagnostics) {
    std::uint64_t by_shape = 0, by_time = 0, capped = 0;
    for (std::uint32_t node = 0; node < rank_.size(); ++node) {
      if (!computes_on_device(node)) continue;
      if (!takes_measured_time(node) && set_by_shape(node)) {
        ++by_shape;
        if (cap_cost(rank_, node, device)) ++capped;
        continue;
      }
      set_cost_by_time(rank_, node, device.memory_gb_per_s);
      ++by_time;
    }
    const std::string rank = "rank " + std::to_string(rank_.recorded_rank);
    for (const auto& [type, tensors] : unknown_types_)
      diagnostics.report(Finding::kTensorTypeUnknown, rank + ", type " + type, tensors);
    if (by_shape > 0) diagnostics.report(Finding::kOperationsFromShapes, rank, by_shape);
    if (capped > 0) diagnostics.report(Finding::kOperationsCapped, rank, capped);
    if (by_time > 0) diagnostics.report(Finding::kOperationsFromTime, rank, by_time);
  }

  std::int64_t element_bytes_of_products() {
    std::map<std::int64_t, std::int64_t> operations;  // by bytes of an element
    for (const auto& [op, time] : time_of_op_) {
      const auto& cost = cost_of(op);
      if (!cost || cost->basis != CostBasis::kProducts) continue;
      std::int64_t& sum = operations[cost->element_bytes];
      sum = saturated_sum(sum, cost->operations);
    }
    const auto most =
        std::max_element(operations.begin(), operations.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == operations.end() ? 0 : most->first;
  }

 private:
  bool computes_on_device(std::uint32_t node) const {
    return !rank_.is_dropped[node] && !rank_.is_host[node] && !rank_.is_delay[node] &&
           rank_.type[node] == NodeType::kCompute;
  }

  /// True of communication that is not recorded as such: what its op computes is done by others;
  /// and of communication that was restored: its op is not known.
  bool takes_measured_time(std::uint32_t node) const {
    return !rank_.has_row(node) || graph_.is_unrecorded_communication(rank_.row[node]);
  }

  /// Row of the op that launched it, by record-function id, else by nesting; the node's own row
  /// where none is known.
  std::uint32_t op_of(std::uint32_t node) const {
    const std::uint32_t row = rank_.row[node];
    if (const auto op = op_of_rf_id_.find(graph_.rf_id[row]);
        graph_.rf_id[row] != 0 && op != op_of_rf_id_.end())
      return op->second;
    for (const std::uint32_t caller : graph_.ctrl_dependencies(row))
      if (graph_.kind[caller] == NodeKind::kOp) return caller;
    return row;
  }

  /// A copy or set of memory, by the names that CUPTI and roctracer give these rows.
  bool is_transfer(std::uint32_t node) const {
    const std::string_view name = graph_.name_of(rank_.row[node]);
    return name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("Copy") ||
           name.starts_with("FillBuffer");
  }

  /// An op's cost is shared out among its kernels by their durations; among its copies and sets
  /// only where it has no kernels: beside kernels they are workspace that has no shape.
  bool set_by_shape(std::uint32_t node) {
    const std::uint32_t op = op_of(node);
    const OpTime& time = time_of_op_[op];
    if (time.has_kernels && is_transfer(node)) return false;
    const auto cost = cost_of(op);
    if (!cost) return false;
    const Ns total = time.has_kernels ? time.kernels : time.transfers;
    rank_.num_ops[node] = part_of(cost->operations, rank_.duration_ns[node], total);
    rank_.tensor_size[node] = part_of(cost->bytes, rank_.duration_ns[node], total);
    return true;
  }

  const std::optional<OperationCost>& cost_of(std::uint32_t op) {
    const auto [known, is_new] = cost_.try_emplace(op);
    if (is_new && !graph_.input_shapes.empty()) {
      const auto text = [&](const std::vector<StringId>& column) {
        return graph_.strings[column[op]];
      };
      const auto inputs = parse_arguments(text(graph_.input_shapes), text(graph_.input_types));
      const auto outputs = parse_arguments(text(graph_.output_shapes), text(graph_.output_types));
      known->second =
          cost_of_operation(graph_.name_of(op), inputs, outputs, text(graph_.input_values));
      if (known->second) count_unknown_types({&inputs, &outputs});
    }
    return known->second;
  }

  /// A tensor that is not there ("nullptr (uninitialized)") has no type to be known.
  void count_unknown_types(std::initializer_list<const std::vector<Argument>*> lists) {
    for (const auto* arguments : lists)
      for (const Argument& argument : *arguments)
        for (const TensorShape& tensor : argument)
          if (!tensor.unknown_type.empty() && !tensor.unknown_type.starts_with("nullptr"))
            ++unknown_types_[std::string(tensor.unknown_type)];
  }

  struct OpTime {
    Ns kernels = 0, transfers = 0;  ///< of all its nodes of that kind
    bool has_kernels = false;
  };

  const Graph& graph_;
  JobRank& rank_;
  IdMap<std::int64_t, std::uint32_t> op_of_rf_id_;
  std::unordered_map<std::uint32_t, OpTime> time_of_op_;
  std::unordered_map<std::uint32_t, std::optional<OperationCost>> cost_;
  std::map<std::string, std::uint64_t> unknown_types_;  // name -> tensors that count 4 bytes each
};

}  // namespace

void set_cost_by_time(JobNodes& nodes, std::uint32_t node, double memory_gb_per_s) {
  nodes.num_ops[node] = 1;
  nodes.tensor_size[node] = bytes_moved_in(nodes.duration_ns[node], memory_gb_per_s);
}

void add_operations(const Graph& graph, JobRank& rank, const DeviceSpeed& device,
                    Diagnostics& diagnostics) {
  OperationFinder(graph, rank).run(device, diagnostics);
}

void cap_costs(JobNodes& nodes, const DeviceSpeed& device) {
  for (std::uint32_t node = 0; node < nodes.size(); ++node) cap_cost(nodes, node, device);
}

std::int64_t element_bytes_of_products(const Graph& graph) {
  JobRank rank;
  rank.add_recorded(graph);
  return OperationFinder(graph, rank).element_bytes_of_products();
}

}  // namespace nadi::astra_sim
