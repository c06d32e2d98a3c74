// The graphs that a verb made, as the tests of text and generate look at them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nadi/chakra/chakra_check.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "tests/file_bytes.h"
#include "tests/temporary_folder.h"

namespace nadi {

inline std::vector<ChakraProtoMsg::Node> nodes_of(const std::string& path) {
  ChakraReader reader{MessageStream(path)};
  std::vector<ChakraProtoMsg::Node> nodes;
  for (ChakraProtoMsg::Node node; reader.next(node);) nodes.push_back(node);
  return nodes;
}

inline const ChakraProtoMsg::AttributeProto& attribute_of(const ChakraProtoMsg::Node& node,
                                                          const std::string& name) {
  static const ChakraProtoMsg::AttributeProto none;
  for (const auto& attribute : node.attr())
    if (attribute.name() == name) return attribute;
  return none;
}

inline std::vector<std::string> files_of(const std::string& prefix, std::int64_t ranks) {
  std::vector<std::string> files;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    files.push_back(prefix + "." + std::to_string(rank) + ".et");
  return files;
}

/// `nadi check` of every rank: not even a warning. `nadi check --profile astra-sim` of all of them:
/// no error, and every node runs under the simulator's issue rules, on the network written.
inline astra_sim::JobCheck expect_passes_all_checks(const std::string& prefix,
                                                    const astra_sim::JobNetwork& network) {
  astra_sim::CheckOptions options;
  options.files = files_of(prefix, astra_sim::npus_of(network.network));
  options.network = network;
  options.dataset_splits = network.system.dataset_splits;
  options.has_remote_memory = false;
  for (const std::string& file : options.files) {
    const ChakraCheck check = check_chakra(file);
    for (const CheckFinding& finding : check.findings)
      ADD_FAILURE() << file << ": " << to_string(finding.rule) << ": " << finding.first.front();
  }
  if (std::filesystem::exists(prefix + ".comm_groups.json"))
    options.comm_groups = prefix + ".comm_groups.json";
  const astra_sim::JobCheck job = astra_sim::check_job(options);
  for (const CheckFinding& finding : job.findings)
    if (severity_of(finding.rule) == CheckSeverity::kError)
      ADD_FAILURE() << prefix << ": " << to_string(finding.rule) << ": " << finding.first.front();
  EXPECT_TRUE(job.all_run);
  EXPECT_EQ(job.network_unknown, "");
  return job;
}

}  // namespace nadi
