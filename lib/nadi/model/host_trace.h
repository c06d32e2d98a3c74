// The host trace (ExecutionTraceObserver) as columns: ops, nesting, tensors, no times.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/model/communication.h"

namespace nadi {

/// Nodes of the host trace in file order (children before parents, H1); all columns have one
/// length. Text columns of inputs and outputs hold the JSON list exactly as written ("[[1, 2],
/// 0.5]").
struct HostOps {
  std::vector<StringId> name;
  std::vector<std::uint64_t> id;         ///< unique, 1 = process root
  std::vector<std::uint64_t> parent;     ///< `ctrl_deps` / `parent`: may not exist (H1)
  std::vector<std::uint64_t> rf_id;      ///< equals Kineto's `Record function id`; 0 = none
  std::vector<std::uint64_t> fw_parent;  ///< forward node of a backward op; 0 = none
  std::vector<std::int64_t> seq_id;      ///< links forward and backward; -1 = none
  std::vector<std::uint8_t> scope;       ///< 0 FUNCTION, 1 BACKWARD_FUNCTION, … 7 USER_SCOPE
  std::vector<std::uint64_t> tid;        ///< torch's logical thread id
  std::vector<std::uint64_t> fw_tid;     ///< logical thread of the forward op; 0 = none
  std::vector<StringId> op_schema;
  std::vector<StringId> kernel_backend, kernel_file;  ///< 1.0.4 and later
  std::vector<StringId> input_values, input_shapes, input_types, input_strides;
  std::vector<StringId> output_values, output_shapes, output_types, output_strides;
  std::vector<CommIndex> comm;  ///< into HostTrace::comms

  std::size_t size() const { return id.size(); }
};

/// Schema of graphs and linked JSONs that were made without a host trace.
inline constexpr std::string_view kKinetoSchema = "kineto";

struct HostTrace {
  StringTable strings;
  StringId schema{};  ///< "1.1.1-chakra.0.0.4"
  StringId time{};    ///< wall-clock text as written
  std::uint64_t pid = 0;
  std::uint64_t start_ts = 0;   ///< ms, steady clock
  std::uint64_t finish_ts = 0;  ///< ms; 0 = the observer was not stopped (H5)
  HostOps ops;
  std::vector<CommRecord> comms;
  std::vector<ProcessGroup> groups;  ///< from `## process_group:init ##` (H8)
};

/// True for the names of the process root and the thread roots (H2), which are no ops.
bool is_root(std::string_view op_name);

}  // namespace nadi
