// What the times of a graph are of, where nobody recorded them: the metadata names the change.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nadi/model/graph.h"

namespace nadi {

/// Of a graph that has the times of a replay with these scales (`scale`).
void name_scales(const std::vector<std::string>& scales, Graph& graph);

/// Of a graph whose kernels take the times estimated for a device: that is its device (`gpu`,
/// `device_name`).
void name_device(const std::string& device, Graph& graph);

/// "kernels on H200".
std::string device_change(const std::string& device);

/// "kernels=2", "kernels on H200": the changes that any of the graphs names, each once; empty = the
/// times, if there are any, were recorded.
std::vector<std::string> what_if_of(std::span<const Graph> graphs);

/// "measured" where there is no such change, else "what-if": in front of "time", and the name of
/// these times beside replayed ones.
const char* measured_word(const std::vector<std::string>& what_if);

/// "kernels=2, kernels on H200".
std::string what_if_text(const std::vector<std::string>& what_if);

}  // namespace nadi
