// Ops and calls put together again from a thread's events, as the traces record them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nadi/base/time.h"
#include "nadi/record/device.h"
#include "nadi/record/logged_comm.h"
#include "nadi/record/logged_device.h"
#include "nadi/record/value_json.h"

namespace nadi::record {

struct ClosedOp {
  std::uint64_t id = 0;      ///< of the node, and rf id
  std::uint64_t parent = 0;  ///< id of the op around it, or of the thread's root
  OpKind kind = OpKind::kOp;
  Ns start_ns = 0, duration_ns = 0;
  std::string name;
  LoggedValues inputs, outputs;
  std::int64_t sequence = -1;
  bool is_backward = false;
  ForwardLink forward;  ///< of a backward op
  std::string op_schema, kernel_backend, kernel_file;
  std::string attributes;  ///< of the program: `,{"name":…,"type":…,"value":…}` each
  std::optional<LoggedComm> comm;
};

struct ClosedCall {
  std::uint64_t correlation = 0;
  std::uint64_t op = 0;  ///< innermost op around it that is no annotation; 0 = none
  CallKind kind = CallKind::kCall;
  CallFacts facts{};
  Ns start_ns = 0, duration_ns = 0;
  std::string name;
};

struct ClosedDeviceRow {
  std::uint64_t correlation = 0;
  DeviceRowKind kind = DeviceRowKind::kKernel;
  DeviceRowFacts facts{};
  std::string_view name;
  std::optional<LoggedComm> comm;
};

}  // namespace nadi::record
