// Launches of CUDA graphs as the text of Cuspy's JSON, for tests; times in us.
#pragma once

#include "tests/unit/link/trace_text.h"

namespace nadi::test {

/// A row of graph 3, whose name is its node's: "k2" is node 2.
inline std::string graph_row(int node, double ts, double dur, std::int64_t correlation,
                             int stream = 7, const std::string& more = "") {
  return row("k" + std::to_string(node), ts, dur, correlation, stream,
             fmt::format(R"("graph id": 3, "graph node id": {}{}{})", node,
                         more.empty() ? "" : ", ", more));
}

/// A recorded dependency: from the end of one row to the start of another (N22).
inline Lines dependency(int number, double source_end, double target_start, int source_stream = 7,
                        int target_stream = 7) {
  const auto end = [&](const char* phase, double ts, int stream) {
    return fmt::format(R"({{"ph": "{}", "cat": "ac2g", "name": "ac2g", "id": {}, "pid": 0, )"
                       R"("tid": {}, "ts": {}}})",
                       phase, (std::int64_t{1} << 40) + number, stream, ts);
  };
  return {end("s", source_end, source_stream), end("f", target_start, target_stream)};
}

inline Lines joined(std::initializer_list<Lines> parts) {
  Lines all;
  for (const Lines& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace nadi::test
