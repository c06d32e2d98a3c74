#include "nadi/read/join_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "nadi/base/median.h"
#include "nadi/base/sort_unique.h"

namespace nadi {
namespace {

/// Stamps of the two forms are rounded by themselves.
constexpr Ns kMostApart = 1000;

/// What names a row in both forms.
struct RowName {
  std::int64_t correlation = -1;
  std::uint64_t graph = 0, node = 0;
  DeviceRowIndex row;

  auto name() const { return std::tie(correlation, graph, node); }
};

/// In the order of names, then of rows. Rows without correlation have no name.
std::vector<RowName> names_of(const DeviceRows& rows) {
  std::vector<RowName> names;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.correlation[i] > 0)
      names.push_back(
          {rows.correlation[i], rows.graph_id[i], rows.graph_node_id[i], DeviceRowIndex(i)});
  std::stable_sort(names.begin(), names.end(),
                   [](const RowName& a, const RowName& b) { return a.name() < b.name(); });
  return names;
}

/// For each row of `rows` the one of its name, or none. Rows of a node that ran several times in
/// one launch pair up in order; where one form lacks some, the last row stands for all, as that has
/// the dependencies (N36).
std::vector<DeviceRowIndex> partners_of(const DeviceRows& rows,
                                        const std::vector<RowName>& others) {
  std::vector<DeviceRowIndex> partners(rows.size());
  const std::vector<RowName> names = names_of(rows);
  const auto end_of = [](const std::vector<RowName>& of, std::size_t first, const RowName& name) {
    while (first < of.size() && of[first].name() == name.name()) ++first;
    return first;
  };
  std::size_t other = 0;
  for (std::size_t first = 0; first < names.size();) {
    const std::size_t end = end_of(names, first, names[first]);
    while (other < others.size() && others[other].name() < names[first].name()) ++other;
    const std::size_t other_end = end_of(others, other, names[first]);
    const bool is_whole = end - first == other_end - other;
    for (std::size_t i = first; i < end && other < other_end; ++i)
      partners[names[i].row.value] = others[is_whole ? other + (i - first) : other_end - 1].row;
    first = end;
    other = other_end;
  }
  return partners;
}

/// True where nine in ten pairs are as far apart as the one in the middle: stamps of JSON may be
/// relative to a base.
bool begin_together(const DeviceRows& rows, const std::vector<DeviceRowIndex>& partners,
                    const DeviceRows& others) {
  std::vector<Ns> apart;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (partners[i] && rows.start_ns[i] != kNoTime && others.start_ns[partners[i]] != kNoTime)
      apart.push_back(rows.start_ns[i] - others.start_ns[partners[i]]);
  if (apart.empty()) return false;
  const Ns usual = upper_median(apart);
  const auto fitting = std::count_if(apart.begin(), apart.end(), [&](Ns one) {
    return one >= usual - kMostApart && one <= usual + kMostApart;
  });
  return 10 * static_cast<std::size_t>(fitting) >= 9 * apart.size();
}

std::uint64_t count_unjoined(const DeviceRows& rows, const std::vector<DeviceRowIndex>& partners) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) count += rows.graph_id[i] != 0 && !partners[i];
  return count;
}

}  // namespace

bool take_graph_dependencies(const DeviceTrace& perfetto, DeviceTrace& json,
                             Diagnostics& diagnostics) {
  const auto partners = partners_of(perfetto.rows, names_of(json.rows));
  if (!begin_together(perfetto.rows, partners, json.rows)) return false;
  // Those of launches that the Perfetto trace lacks are known from the JSON alone.
  std::vector<GraphDependency> taken = json.graph_dependencies;
  std::set<std::uint64_t> recorded_graphs;
  for (const auto& [target, source] : perfetto.graph_dependencies) {
    recorded_graphs.insert(perfetto.rows.graph_id[target]);
    if (partners[target.value] && partners[source.value])
      taken.push_back({partners[target.value], partners[source.value]});
  }
  std::vector<DeviceRowIndex> partly;
  for (const DeviceRowIndex row : json.partly_recorded_rows)
    if (!recorded_graphs.contains(json.rows.graph_id[row])) partly.push_back(row);
  for (const DeviceRowIndex row : perfetto.partly_recorded_rows)
    if (partners[row.value]) partly.push_back(partners[row.value]);
  sort_unique(taken);
  sort_unique(partly);
  json.graph_dependencies = std::move(taken);
  json.partly_recorded_rows = std::move(partly);
  const std::uint64_t unjoined =
      count_unjoined(perfetto.rows, partners) +
      count_unjoined(json.rows, partners_of(json.rows, names_of(perfetto.rows)));
  if (unjoined > 0)
    diagnostics.report(Finding::kDeviceTraceRowsUnjoined, std::string_view(), unjoined);
  return true;
}

}  // namespace nadi
