// Reports how far a reader has come, for a progress bar.
#pragma once

#include <cstdint>
#include <functional>

namespace nadi {

/// Called at most about once per MiB: bytes of the file taken so far (compressed), of `total`
/// (0 = not known). Called once more at the end.
using Progress = std::function<void(std::uint64_t read, std::uint64_t total)>;

}  // namespace nadi
