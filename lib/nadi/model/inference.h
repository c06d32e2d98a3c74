// Names what a dependency rests on: the trace records it, or something makes it likely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi {

/// Strongest first.
enum class Inference : std::uint8_t {
  kNone,     ///< recorded by the trace: no guess
  kPattern,  ///< PyTorch and the runtimes always make these calls for it (K29)
  kPlace,    ///< the same place in the program was seen to do it in another iteration
  kTiming,   ///< what ran when shows it here
};
inline constexpr std::size_t kInferenceCount = 4;

constexpr bool is_guess(Inference inference) { return inference != Inference::kNone; }

/// "told" (kNone, as --report has it), "pattern", "place", "timing".
std::string_view to_string(Inference inference);
/// Returns the inference of that name; none where no inference has it.
std::optional<Inference> inference_named(std::string_view name);

}  // namespace nadi
