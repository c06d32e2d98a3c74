// Reads a device trace that is given in one form, or in both: JSON and Perfetto.
#pragma once

#include <functional>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/model/device_trace.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Gives the device trace `device`; with `other_form`, unless that is empty, the JSON of the two
/// with the dependencies inside CUDA graphs as the Perfetto trace has them. Throws Error(kInput)
/// where the two are of one form, or of two runs.
DeviceTrace read_device_forms(const std::string& device, const std::string& other_form,
                              const std::function<ByteSource(const std::string& name)>& open,
                              Diagnostics& diagnostics, const Progress& progress = {});

}  // namespace nadi
