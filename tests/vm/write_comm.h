// How PyTorch writes communication into its traces; shared by both writers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

namespace nadi::vm {

/// The keys of a record_param_comms row and of communication kernels in a Kineto trace.
nlohmann::ordered_json kineto_comm_args(const Program& program, const CommOp& comm);
/// Those of record_param_comms "wait".
nlohmann::ordered_json kineto_wait_args();
/// `pg_config` of distributedInfo; `## process_group:init ##` holds the same as text.
nlohmann::ordered_json process_groups(const Program& program);
/// Rank of a global rank within a group; -1 = not a member.
int rank_in_group(const Group& group, int rank);
int stride_of(const Group& group);
/// "Float" -> 4.
int bytes_per_element(const std::string& dtype);

}  // namespace nadi::vm
