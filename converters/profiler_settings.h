// Settings of PyTorch's profilers that record what a trace lacks.
#pragma once

#include <string>
#include <string_view>

#include "nadi/model/device_trace.h"

namespace nadi {

inline constexpr const char* kWarmUpSetting =
    "profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)): with a warm-up step, "
    "and torch.cuda.synchronize() before the first active step";

/// How a profile is asked for with an option of Cuspy's, all of which are off by default.
std::string cuspy_option(std::string_view option);

bool is_of_rocm(const DeviceTrace& device);

/// What gives sync rows; "" where nothing does.
std::string sync_rows_setting(const DeviceTrace& device);

/// What makes sync rows name the records that they wait for.
std::string record_names_setting(const DeviceTrace& device);

/// A program that records all that traces of such a device can hold.
std::string recording_set_up(const DeviceTrace& device);

}  // namespace nadi
