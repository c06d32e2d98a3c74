// Programs of the virtual machine through the whole conversion, in memory.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/build.h"
#include "nadi/graph/built_graph.h"
#include "nadi/link/link.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"
#include "nadi/model/linked_trace.h"
#include "tests/vm/compare.h"
#include "tests/vm/execute.h"
#include "tests/vm/write.h"

namespace nadi {

struct Conversion {
  Diagnostics diagnostics;
  LinkedTrace linked;
  BuiltGraph graph;
};

/// Writes the traces of one rank, reads, links and builds.
Conversion convert_program(const vm::Program& program, const vm::Execution& run, int rank,
                           const vm::WriteOptions& write = {}, const GraphOptions& options = {});

/// The same of the new profiler's two forms of a device trace together (N60).
Conversion convert_both_forms(const vm::Program& program, const vm::Execution& run, int rank,
                              const vm::WriteOptions& write = {}, const GraphOptions& options = {});

/// The two files of one rank, read.
struct ReadTraces {
  Diagnostics diagnostics;
  HostTrace host;
  DeviceTrace device;
};
ReadTraces read_texts(const std::string& host_text, const std::string& device_text);

/// Links and builds.
Conversion convert_traces(ReadTraces traces, const GraphOptions& options, const LinkOptions& link);

/// Reads, links and builds what the two files of one rank hold.
Conversion convert_texts(const std::string& host_text, const std::string& device_text,
                         const GraphOptions& options = {}, const LinkOptions& link = {});

/// The graph as the virtual machine's comparison wants it.
vm::ConvertedGraph plain_graph(const Conversion& conversion);

}  // namespace nadi
