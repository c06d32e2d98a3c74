#include "tests/invariants/replay_job_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/emit/chakra_writer.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/vm/programs.h"
#include "tests/vm/truth.h"

namespace nadi {

Graph reload(const LinkedTrace& linked, const BuiltGraph& graph, const std::string& name) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("nadi_replay_" + std::to_string(::getpid()) + ".et");
  Diagnostics diagnostics;
  write_chakra(linked, graph, {}, file, diagnostics);
  Graph loaded = load_chakra_graph(file.string());
  std::filesystem::remove(file);
  loaded.name = name;
  return loaded;
}

std::vector<Graph> job_of_program(const vm::Program& program, const vm::Execution& run,
                                  Delays delays, const vm::WriteOptions& write) {
  GraphOptions options;
  options.delays = delays;
  std::vector<Graph> graphs;
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    const Conversion conversion = convert_program(program, run, rank, write, options);
    graphs.push_back(reload(conversion.linked, conversion.graph,
                            program.name + "." + std::to_string(rank) + ".et"));
  }
  return graphs;
}

Ns true_span(const vm::Program& program, const vm::Execution& run) {
  Ns begin = run.makespan, end = 0;
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank)
    for (const vm::TruthNode& node : vm::truth_nodes(program, run, rank)) {
      begin = std::min(begin, node.start_ns);
      end = std::max(end, node.start_ns + node.duration_ns);
    }
  return end - begin;
}

std::vector<std::string> replayed_programs() {
  std::vector<std::string> names = vm::program_names();
  for (int seed = 100; seed < 140; ++seed) names.push_back("random:" + std::to_string(seed));
  return names;
}

}  // namespace nadi
