// The host trace of shared/traces/linear, and ways to edit it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nadi/input/byte_source.h"
#include "tests/file_bytes.h"
#include "tests/unit/link/trace_text.h"

namespace nadi::test {

using Json = nlohmann::json;

inline const std::filesystem::path kLinear = NADI_SHARED_TRACES "/linear";

/// Ids of the whole trace times ten, so that there is room for ops between them.
inline Json whole_host() {
  Json host = Json::parse(read_unpacked(kLinear / "host.json.gz"));
  for (Json& node : host["nodes"])
    for (const char* id : {"id", "parent", "fw_parent"})
      if (node.contains(id)) node[id] = node[id].get<std::uint64_t>() * 10;
  return host;
}

inline HostTrace read(const Json& host) {
  const std::string text = host.dump();
  ByteSource source = source_of_bytes(text, "trace");
  Diagnostics diagnostics;
  return read_host_trace(source, diagnostics);
}

/// The ops of a thread by id, in order.
inline std::vector<Json*> ops_of(Json& host, int tid) {
  std::vector<Json*> ops;
  for (Json& node : host["nodes"])
    if (node["tid"] == tid && !is_root(node["name"].get<std::string>())) ops.push_back(&node);
  std::sort(ops.begin(), ops.end(), [](Json* a, Json* b) { return (*a)["id"] < (*b)["id"]; });
  return ops;
}

/// Always the same numbers below a bound.
class Numbers {
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 42;
};

inline void rename(Json& host, int tid, std::size_t count, const std::string& name,
                   Numbers& numbers) {
  std::vector<Json*> ops = ops_of(host, tid);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pick = numbers.below(ops.size());
    (*ops[pick])["name"] = name;
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(pick));
  }
}

inline void remove(Json& host, const std::vector<std::uint64_t>& ids) {
  Json nodes = Json::array();
  for (const Json& node : host["nodes"])
    if (std::find(ids.begin(), ids.end(), node["id"].get<std::uint64_t>()) == ids.end())
      nodes.push_back(node);
  host["nodes"] = nodes;
}

inline std::vector<std::uint64_t> ids_of(Json& host, int tid, std::size_t first,
                                         std::size_t count) {
  std::vector<std::uint64_t> ids;
  const std::vector<Json*> ops = ops_of(host, tid);
  for (std::size_t i = first; i < std::min(ops.size(), first + count); ++i)
    ids.push_back((*ops[i])["id"]);
  return ids;
}

inline std::vector<std::uint64_t> some_ids(Json& host, int tid, std::size_t count,
                                           Numbers& numbers) {
  std::vector<std::uint64_t> ids = ids_of(host, tid, 0, 1'000'000), picked;
  while (picked.size() < count) {
    const auto at = ids.begin() + static_cast<std::ptrdiff_t>(numbers.below(ids.size()));
    picked.push_back(*at);
    ids.erase(at);
  }
  return picked;
}

/// Copies these ops under the names of others of the same thread (or a name of their own).
inline void insert_after(Json& host, const std::vector<std::uint64_t>& ids,
                         const std::string& name) {
  Json nodes = host["nodes"];
  for (const Json& node : host["nodes"]) {
    const auto id = node["id"].get<std::uint64_t>();
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
    Json copy = node;
    copy["id"] = id + 5;
    if (!name.empty()) copy["name"] = name;
    nodes.push_back(copy);
  }
  host["nodes"] = nodes;
}

}  // namespace nadi::test
