// Feeds any bytes to the readers of Chakra files: both may refuse them, but not crash or hang, they
// agree on how many nodes there are, and what they accept runs to its end.
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/feeder/feeder.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace {

std::optional<std::size_t> nodes_fed(const std::string& path) try {
  nadi::FeederOptions options;
  options.window_bytes = 4096;
  nadi::Feeder feeder(path, options);
  while (const auto id = feeder.next_ready()) {
    feeder.take(*id);
    feeder.lookup(*id);
    feeder.finish(*id);
  }
  if (!feeder.is_done()) __builtin_trap();
  return feeder.size();
} catch (const nadi::Error&) {
  return {};
}

std::optional<std::size_t> nodes_replayed(const std::string& path) try {
  std::vector<nadi::SimGraph> graphs;
  graphs.push_back(nadi::load_sim_graph(path, {.shapes = true}));
  nadi::Diagnostics diagnostics;
  nadi::replay(nadi::make_replay_job(graphs, diagnostics));
  return graphs.front().size();
} catch (const nadi::Error&) {
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("graph", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const auto fed = nodes_fed(path);
  const auto replayed = nodes_replayed(path);
  if (fed && replayed && *fed != *replayed) __builtin_trap();
  close(file);
  return 0;
}
