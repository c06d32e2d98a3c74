// What the times of a graph are of, where nobody recorded them: the metadata names the change.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nadi/model/graph.h"

namespace ChakraProtoMsg {
class GlobalMetadata;
}

namespace nadi {

/// Of a graph that has the times of a replay with these scales (`scale`).
void name_scales(const std::vector<std::string>& scales, Graph& graph);

/// Of a graph whose kernels take the times estimated for a device: that is its device (`gpu`,
/// `device_name`).
void name_device(const std::string& device, Graph& graph);

/// Of a graph of a job whose ranks do what so many recorded ones did, at the same times
/// (`grown_from`). One that names such a number keeps it.
void name_growth(std::int64_t recorded_ranks, ChakraProtoMsg::GlobalMetadata& metadata);

/// "kernels on H200".
std::string device_change(const std::string& device);

/// Adds the changes that the metadata name and that are not there.
void add_what_if(const ChakraProtoMsg::GlobalMetadata& metadata, std::vector<std::string>& changes);

/// "kernels=2", "kernels on H200", "grown from 2 ranks": the changes that any of the graphs names,
/// each once; empty = the times, if there are any, were recorded.
std::vector<std::string> what_if_of(std::span<const Graph> graphs);

/// "measured" where there is no such change, else "what-if": in front of "time", and the name of
/// these times beside replayed ones.
const char* measured_word(const std::vector<std::string>& what_if);

/// "kernels=2, kernels on H200".
std::string what_if_text(const std::vector<std::string>& what_if);

}  // namespace nadi
