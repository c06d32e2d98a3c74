// What must hold of every graph that nadi wrote, whatever it was made of.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "nadi/chakra/chakra_check.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

/// It passes `nadi check`, replays and is profiled; else the fuzzer ends here.
inline void require_sound(const std::string& path) {
  const ChakraCheck check = check_chakra(std::filesystem::path(path));
  if (check.has_errors()) {
    const CheckFinding& finding = check.findings.front();
    std::fprintf(stderr, "nadi check: %s: %s\n", to_string(finding.rule).data(),
                 finding.first.empty() ? "" : finding.first.front().c_str());
    __builtin_trap();
  }
  std::vector<Graph> graphs;
  graphs.push_back(load_chakra_graph(path, {.shapes = true, .parents = true}));
  if (graphs.front().size() != check.nodes) __builtin_trap();
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  make_replay_report(job, measured_times(job), replay(job), nullptr, {});
  profile_json(profile_graphs(std::move(graphs), diagnostics));
}

}  // namespace nadi
