// Input whose reading moves a progress bar.
#pragma once

#include <string_view>

#include "nadi/converters/cli/progress.h"
#include "nadi/input/byte_source.h"

namespace nadi::cli {

/// Opens path ("-" is standard input) and shows what was read on the bar, which must outlive it.
/// Damage of the file shows as an Error(kInput) at the place where it ends.
ByteSource open_watched(std::string_view path, ProgressBar& bar);

}  // namespace nadi::cli
