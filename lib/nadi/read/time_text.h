// Microseconds as traces write them, to int64 nanoseconds, without a detour over doubles.
#pragma once

#include <optional>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

/// "1694128201435418", "4458676522690.655", "1.5e3", also quoted -> nanoseconds; the fourth decimal
/// is rounded. Nothing if the token is no number or does not fit.
std::optional<Ns> nanoseconds_of(std::string_view microseconds);

}  // namespace nadi
