#include "tests/invariants/what_if.h"

#include <fmt/format.h>

#include <map>

#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {
namespace {

/// The stream most rows of the program are on.
int busiest_stream(const vm::Program& program) {
  std::map<int, int> rows;
  for (const vm::RankProgram& rank : program.ranks)
    for (const vm::Call& call : rank.calls)
      for (const vm::Row& row : call.rows) ++rows[vm::number_on_device(row.stream)];
  int busiest = 7;
  for (const auto& [stream, count] : rows)
    if (count > rows[busiest]) busiest = stream;
  return busiest;
}

}  // namespace

std::vector<Change> changes_of(const vm::Program& program) {
  const int stream = busiest_stream(program);
  std::vector<Change> changes(5);
  changes[0].text = "kernels=0.5";
  changes[0].scale.kernels = 0.5;
  changes[1].text = "kernels=2";
  changes[1].scale.kernels = 2;
  changes[2].text = "host=0.5";
  changes[2].scale.host = 0.5;
  changes[3].text = "comm=2";
  changes[3].scale.communication = 2;
  changes[4].text = fmt::format("stream:{}=3", stream);
  changes[4].scale.streams[stream] = 3;
  return changes;
}

Ns replayed_span(const std::vector<Graph>& graphs, const std::vector<std::string>& scales) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  ReplayOptions options;
  for (const std::string& scale : scales) options.scales.push_back(parse_scale(scale));
  return span_of(job, replay(job, options)).length();
}

}  // namespace nadi
