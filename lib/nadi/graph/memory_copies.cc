#include "nadi/graph/memory_copies.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi {
namespace {

/// A copy between host and device.
struct HostCopy {
  DeviceRowIndex row;
  MemoryAccess access;
  bool is_pageable;
};

/// By start; equal starts in file order.
std::vector<HostCopy> host_copies(const LinkedTrace& linked) {
  const DeviceRows& rows = linked.device.rows;
  std::vector<HostCopy> copies;
  for (const DeviceRowIndex row : rows_of(rows)) {
    if (rows.kind[row] != DeviceRowKind::kMemcpy || rows.bytes[row] <= 0 ||
        rows.start_ns[row] == kNoTime)
      continue;
    const std::string_view name = linked.strings[rows.name[row]];
    const bool is_store = name.find("DtoH") != name.npos;
    if (!is_store && name.find("HtoD") == name.npos) continue;
    copies.push_back({row, is_store ? MemoryAccess::kStore : MemoryAccess::kLoad,
                      name.find("Pageable") != name.npos});
  }
  std::stable_sort(copies.begin(), copies.end(), [&](const HostCopy& a, const HostCopy& b) {
    return rows.start_ns[a.row] < rows.start_ns[b.row];
  });
  return copies;
}

/// Marks the stores that have a load, and these.
void mark_offloads(const DeviceRows& rows, const std::vector<HostCopy>& copies,
                   ByRow<DeviceRows, MemoryAccess>& access) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<DeviceRowIndex>> away;
  for (const HostCopy& copy : copies) {
    if (copy.is_pageable) continue;
    std::vector<DeviceRowIndex>& stores = away[{rows.device[copy.row], rows.bytes[copy.row]}];
    if (copy.access == MemoryAccess::kStore) {
      stores.push_back(copy.row);
      continue;
    }
    if (stores.empty()) continue;
    const DeviceRowIndex store = stores.back();
    if (rows.start_ns[store] + rows.duration_ns[store] > rows.start_ns[copy.row]) continue;
    stores.pop_back();
    access[store] = MemoryAccess::kStore;
    access[copy.row] = MemoryAccess::kLoad;
  }
}

}  // namespace

ByRow<DeviceRows, MemoryAccess> find_memory_copies(const LinkedTrace& linked, MemoryNodes wanted,
                                                   Diagnostics& diagnostics) {
  if (wanted == MemoryNodes::kNone) return {};
  const DeviceRows& rows = linked.device.rows;
  const std::vector<HostCopy> copies = host_copies(linked);
  ByRow<DeviceRows, MemoryAccess> access(rows.size(), MemoryAccess::kNone);
  if (wanted == MemoryNodes::kOffload)
    mark_offloads(rows, copies, access);
  else
    for (const HostCopy& copy : copies) access[copy.row] = copy.access;
  for (const HostCopy& copy : copies) {
    const bool is_offloaded = access[copy.row] != MemoryAccess::kNone;
    diagnostics.report(is_offloaded ? Finding::kCopyOffloaded : Finding::kCopyNotOffloaded,
                       linked.strings[rows.name[copy.row]]);
  }
  return access;
}

}  // namespace nadi
