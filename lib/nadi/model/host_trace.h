// The host trace (ExecutionTraceObserver) as columns: ops, nesting, tensors, no times.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/model/comm_record.h"

namespace nadi {

/// Nodes of the host trace in file order (children before parents, H1); all columns have one
/// length. Text columns of inputs and outputs hold the JSON list exactly as written ("[[1, 2],
/// 0.5]").
struct HostOps {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<HostOps, T, absent>;
  Column<StringId> name;
  Column<std::uint64_t> id;         ///< unique, 1 = process root
  Column<std::uint64_t> parent;     ///< `ctrl_deps` / `parent`: may not exist (H1)
  Column<std::uint64_t> rf_id;      ///< equals Kineto's `Record function id`; 0 = none
  Column<std::uint64_t> fw_parent;  ///< forward node of a backward op; 0 = none
  Column<std::int64_t, -1> seq_id;  ///< links forward and backward; -1 = none
  Column<std::uint8_t> scope;       ///< 0 FUNCTION, 1 BACKWARD_FUNCTION, … 7 USER_SCOPE
  Column<std::uint64_t> tid;        ///< torch's logical thread id
  Column<std::uint64_t> fw_tid;     ///< logical thread of the forward op; 0 = none
  Column<StringId> op_schema;
  Column<StringId> kernel_backend, kernel_file;  ///< 1.0.4 and later
  Column<StringId> input_values, input_shapes, input_types, input_strides;
  Column<StringId> output_values, output_shapes, output_types, output_strides;
  Column<CommIndex> comm;  ///< into HostTrace::comms

  static constexpr auto columns() {
    return std::tuple(&HostOps::name, &HostOps::id, &HostOps::parent, &HostOps::rf_id,
                      &HostOps::fw_parent, &HostOps::seq_id, &HostOps::scope, &HostOps::tid,
                      &HostOps::fw_tid, &HostOps::op_schema, &HostOps::kernel_backend,
                      &HostOps::kernel_file, &HostOps::input_values, &HostOps::input_shapes,
                      &HostOps::input_types, &HostOps::input_strides, &HostOps::output_values,
                      &HostOps::output_shapes, &HostOps::output_types, &HostOps::output_strides,
                      &HostOps::comm);
  }
  std::size_t size() const { return id.size(); }
};
using HostOpIndex = Index<HostOps>;

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
  ByRow<CommRecord> comms;
  std::vector<ProcessGroup> groups;  ///< from `## process_group:init ##` (H8)
};

/// True for the names of the process root and the thread roots (H2), which are no ops.
bool is_root(std::string_view op_name);

}  // namespace nadi
