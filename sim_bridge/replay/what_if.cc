#include "nadi/sim_bridge/replay/what_if.h"

#include <algorithm>

#include "nadi/base/count_text.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"

namespace nadi {
namespace {

using ChakraProtoMsg::GlobalMetadata;

constexpr const char* kScale = "scale";
constexpr const char* kGpu = "gpu";
constexpr const char* kGrownFrom = "grown_from";

void add_once(const std::string& change, std::vector<std::string>& changes) {
  if (std::find(changes.begin(), changes.end(), change) == changes.end()) changes.push_back(change);
}

}  // namespace

void name_scales(const std::vector<std::string>& scales, Graph& graph) {
  if (scales.empty()) return;
  change_metadata(graph, [&](GlobalMetadata& metadata) {
    auto& named = *add_attribute(metadata, kScale)->mutable_string_list();
    for (const std::string& scale : scales) named.add_values(scale);
  });
}

void name_device(const std::string& device, Graph& graph) {
  change_metadata(graph, [&](GlobalMetadata& metadata) {
    for (auto& attribute : *metadata.mutable_attr())
      if (attribute.name() == "device_name") attribute.set_string_val(device);
    add_attribute(metadata, kGpu)->set_string_val(device);
  });
  graph.device_name = device;
}

void name_growth(std::int64_t recorded_ranks, GlobalMetadata& metadata) {
  if (find_attribute(metadata, kGrownFrom) == nullptr)
    add_attribute(metadata, kGrownFrom)->set_int64_val(recorded_ranks);
}

std::string device_change(const std::string& device) { return "kernels on " + device; }

void add_what_if(const GlobalMetadata& metadata, std::vector<std::string>& changes) {
  for (const auto& attribute : metadata.attr()) {
    if (attribute.name() == kScale)
      for (const std::string& scale : attribute.string_list().values()) add_once(scale, changes);
    if (attribute.name() == kGpu) add_once(device_change(attribute.string_val()), changes);
    if (attribute.name() == kGrownFrom)
      add_once("grown from " + count_text(whole_number_of(attribute).value_or(0), "rank"), changes);
  }
}

std::vector<std::string> what_if_of(std::span<const Graph> graphs) {
  std::vector<std::string> changes;
  for (const Graph& graph : graphs) add_what_if(metadata_of(graph), changes);
  return changes;
}

const char* measured_word(const std::vector<std::string>& what_if) {
  return what_if.empty() ? "measured" : "what-if";
}

std::string what_if_text(const std::vector<std::string>& what_if) { return list_of(what_if); }

}  // namespace nadi
