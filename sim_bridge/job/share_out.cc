#include "nadi/sim_bridge/job/share_out.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nadi {
namespace {

bool names_optimizer(std::string_view name) {
  constexpr std::string_view kWord = "optimizer";
  const auto equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return std::search(name.begin(), name.end(), kWord.begin(), kWord.end(), equal) != name.end();
}

/// By row of the graph: whether it is the optimizer's.
std::vector<bool> optimizer_rows(const Graph& graph) {
  std::vector<bool> is_optimizer(graph.size(), false);
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    is_optimizer[row] = names_optimizer(graph.name_of(row));
    // Ops come behind those around them.
    for (const std::uint32_t around : graph.ctrl_dependencies(row))
      if (around < row && is_optimizer[around]) is_optimizer[row] = true;
  }
  std::unordered_set<std::int64_t> launching;
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (is_optimizer[row] && !graph.is_device(row) && graph.rf_id[row] != 0)
      launching.insert(graph.rf_id[row]);
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.is_device(row) && launching.contains(graph.rf_id[row])) is_optimizer[row] = true;
  return is_optimizer;
}

std::int64_t share_of(std::int64_t amount, std::int64_t copies) {
  return amount <= 0 ? amount : (amount - 1) / copies + 1;
}

}  // namespace

std::uint64_t share_out_optimizer(const Job& job, std::size_t rank, const Graph& graph,
                                  JobRank& whole) {
  if (!job.ranks[rank].shares_optimizer) return 0;
  const std::vector<bool> is_optimizer = optimizer_rows(graph);
  std::uint64_t count = 0;
  for (JobNode& node : whole.nodes) {
    if (node.row == kNoIndex || node.is_host || node.is_delay || node.is_dropped) continue;
    if (node.type != NodeType::kCompute || !is_optimizer[node.row]) continue;
    node.duration_ns = share_of(node.duration_ns, job.copies);
    node.num_ops = share_of(node.num_ops, job.copies);
    node.tensor_size = share_of(node.tensor_size, job.copies);
    ++count;
  }
  return count;
}

}  // namespace nadi
