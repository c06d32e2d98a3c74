// Counts what is in a Chakra file: what `nadi show --summary` prints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "nadi/chakra/chakra_reader.h"

namespace nadi {

struct CommunicationCount {
  std::uint64_t count = 0;
  std::int64_t bytes = 0;  ///< sum of comm_size
};

struct LaneCount {
  std::uint64_t nodes = 0;   ///< without delays
  std::int64_t busy_ns = 0;  ///< sum of their durations: duration_ns, else the whole µs
  std::int64_t delay_ns = 0;
  std::int64_t until_ns = 0;  ///< last end, from the graph's first start
  /// Idle (lane_sweep.h) since all that its nodes depend on had ended, where the device was not its
  /// own cause.
  std::int64_t unexplained_ns = 0;
};

struct ChakraSummary {
  std::uint64_t nodes = 0, data_edges = 0, ctrl_edges = 0;
  std::map<std::string, std::uint64_t> types;  ///< "COMP_NODE" -> nodes
  /// "op", "part", "call", "device row", "delay" by nadi's attributes; others' files: "host node",
  /// "device row".
  std::map<std::string, std::uint64_t> kinds;
  /// ("ALL_REDUCE" … or "SEND", "RECV"; pg_name) -> count and bytes; ("not recorded", "") of nodes
  /// with `comm_unrecorded`.
  std::map<std::tuple<std::string, std::string>, CommunicationCount> communications;
  std::map<GraphLane, LaneCount> lanes;
  bool tells_starts = false;  ///< else there is no span, nor anything about lanes that needs starts
  /// From the first start to the last end, by start_ns and duration_ns, else by the whole µs.
  std::int64_t span_ns = 0;
};

/// Reads all nodes the reader has not given yet; keeps some 50 bytes a node until its end. Throws
/// what the reader throws.
ChakraSummary summarize_chakra(ChakraReader& reader);

}  // namespace nadi
