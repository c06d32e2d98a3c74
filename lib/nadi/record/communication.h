// Communication between ranks: process groups, collectives, sends and receives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/record/op.h"

namespace nadi::record {

struct ProcessGroup {
  std::string name;                 ///< unique in the job: "0", "tensor_parallel_3", …
  std::string description;          ///< what it is for: "default_pg", "TENSOR_MODEL_PARALLEL_GROUP"
  std::vector<std::int64_t> ranks;  ///< global, by rank within the group; empty = all ranks
  std::string backend_config = "cuda:nccl";

  bool operator==(const ProcessGroup&) const = default;
};

/// Adds a process group, before or during a recording; each recording writes all that are known. A
/// group of the same name is replaced. Groups are kept for the process's life, since what names
/// them is written later.
void add_process_group(const ProcessGroup& group);
/// Removes a process group: later recordings do not write it.
void remove_process_group(std::string_view name);

/// One operation between ranks.
struct Communication {
  std::string_view collective;  ///< "allreduce", "all_to_allv", "send", "recv", …, as c10d names it
  std::string_view group;       ///< ProcessGroup::name; an unknown one is taken for all ranks
  std::string_view dtype;       ///< "Float", "BFloat16", …
  std::int64_t in_elements = 0;   ///< this rank puts in
  std::int64_t out_elements = 0;  ///< this rank gets out
  std::int64_t peer = -1;      ///< send and recv: rank WITHIN the group; broadcast, …: the root
  std::int64_t sequence = -1;  ///< number within the group; -1 = the next one
  std::span<const std::int64_t> in_split, out_split;  ///< elements by rank of the group
};

/// begin_op for a communication: an op `record_param_comms` with these facts.
std::uint64_t begin_communication(const Communication& communication,
                                  std::span<const Value> inputs);

/// The op `record_param_comms` around the launch of a communication kernel: the kernels launched
/// inside it are that communication.
class CommunicationOp : public Op {
 public:
  /// inputs: the tensors that go in.
  template <class... Inputs>
  explicit CommunicationOp(const Communication& communication, const Inputs&... inputs)
      : Op(Nothing{}) {
    if (!is_recording()) return;
    const std::array<Value, sizeof...(inputs)> values{Value(inputs)...};
    id_ = begin_communication(communication, values);
  }
};

}  // namespace nadi::record
