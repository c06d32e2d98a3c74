#include "nadi/sim_bridge/replay/what_if.h"

#include <algorithm>

#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"

namespace nadi {
namespace {

using ChakraProtoMsg::GlobalMetadata;

constexpr const char* kScale = "scale";
constexpr const char* kGpu = "gpu";

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

std::string device_change(const std::string& device) { return "kernels on " + device; }

std::vector<std::string> what_if_of(std::span<const Graph> graphs) {
  std::vector<std::string> changes;
  for (const Graph& graph : graphs)
    for (const auto& attribute : metadata_of(graph).attr()) {
      if (attribute.name() == kScale)
        for (const std::string& scale : attribute.string_list().values()) add_once(scale, changes);
      if (attribute.name() == kGpu) add_once(device_change(attribute.string_val()), changes);
    }
  return changes;
}

const char* measured_word(const std::vector<std::string>& what_if) {
  return what_if.empty() ? "measured" : "what-if";
}

std::string what_if_text(const std::vector<std::string>& what_if) {
  std::string text;
  for (const std::string& change : what_if) text += (text.empty() ? "" : ", ") + change;
  return text;
}

}  // namespace nadi
