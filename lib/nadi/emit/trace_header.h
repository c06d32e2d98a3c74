// Gives the head of a written graph: the host trace's own header, or one made from Kineto.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

struct TraceHeader {
  std::string schema;             ///< the host trace's; "kineto" without one
  std::uint64_t pid = 0;          ///< of the host process; 0 = not a number
  std::string time;               ///< wall clock as the host trace wrote it; empty without one
  std::uint64_t start_ts = 0;     ///< ms; without host trace from the first event
  std::uint64_t finish_ts = 0;    ///< ms; without host trace from the last event
  std::int64_t base_time_ns = 0;  ///< absolute time = base_time_ns + start_ns
  std::string device_name;        ///< of the device that most rows are of; empty = not recorded
};

/// Text is valid UTF-8.
TraceHeader header_of(const LinkedTrace& trace, const BuiltGraph& graph);

}  // namespace nadi
