#include "nadi/converters/simulator_files.h"

#include <utility>

#include "nadi/emit/atomic_file.h"

namespace nadi {

astra_sim::JobNetwork chosen_network(const astra_sim::NetworkChoice& choice,
                                     astra_sim::NetworkBackend backend, std::int64_t ranks) {
  astra_sim::JobNetwork plain = astra_sim::switch_network(ranks);
  plain.network.backend = backend;
  astra_sim::choose_links(choice, plain.network);
  return plain;
}

std::vector<AddedFile> add_idle_npus(const astra_sim::Network& network, std::int64_t ranks,
                                     FileSet& files) {
  const std::int64_t npus = astra_sim::npus_of(network);
  std::vector<AddedFile> added;
  for (std::int64_t npu = ranks; npu < npus; ++npu) {
    std::string ending = std::to_string(npu) + ".et";
    const auto path = files.add(ending);
    AtomicFile file(path);
    astra_sim::write_idle_npu(npu, file.sink());
    file.commit();
    added.push_back({std::move(ending), path});
  }
  return added;
}

std::vector<AddedFile> add_configuration(const SimulatorConfiguration& configuration,
                                         FileSet& files) {
  const astra_sim::JobNetwork& network = configuration.network;
  const std::pair<const char*, std::string> texts[] = {
      {"comm_groups.json", configuration.comm_groups},
      {"system.json", astra_sim::system_text(network.system, configuration.peak_tflops)},
      {"network.yml", astra_sim::network_text(network.network)},
      {"memory.json", astra_sim::memory_text(configuration.has_remote_memory)},
  };
  std::vector<AddedFile> added;
  added.reserve(std::size(texts));
  for (const auto& [ending, text] : texts) {
    if (text.empty()) {
      files.drop(ending);
      continue;
    }
    added.push_back({ending, files.add(ending)});
    write_file(added.back().path, text);
  }
  return added;
}

}  // namespace nadi
