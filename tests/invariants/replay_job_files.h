// Programs of the virtual machine, and real traces, as loaded graphs to replay.
#pragma once

#include <string>
#include <vector>

#include "nadi/graph/build.h"
#include "nadi/model/graph.h"
#include "tests/vm/execute.h"
#include "tests/vm/write.h"

namespace nadi {

/// The Chakra file of a graph, written and read again.
Graph reload(const LinkedTrace& linked, const BuiltGraph& graph, const std::string& name);

/// All ranks of a program as the machine ran it.
std::vector<Graph> job_of_program(const vm::Program& program, const vm::Execution& run,
                                  Delays delays, const vm::WriteOptions& write = {});

/// From the first start of a node of any rank to the last end, as truth has the nodes.
Ns true_span(const vm::Program& program, const vm::Execution& run);

/// The machine's programs, and random ones with the seeds 100 to 139.
std::vector<std::string> replayed_programs();

}  // namespace nadi
