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
  for (std::uint32_t n = 0; n < whole.size(); ++n) {
    if (!whole.has_row(n) || whole.type[n] != NodeType::kCompute) continue;
    if (whole.is_host[n] || whole.is_delay[n] || whole.is_dropped[n]) continue;
    if (!is_optimizer[whole.row[n]]) continue;
    for (std::int64_t* amount : {&whole.duration_ns[n], &whole.num_ops[n], &whole.tensor_size[n]})
      *amount = share_of(*amount, job.copies);
    ++count;
  }
  return count;
}

}  // namespace nadi
