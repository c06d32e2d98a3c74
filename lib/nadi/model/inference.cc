#include "nadi/model/inference.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

constexpr std::array<std::string_view, kInferenceCount> kInferenceNames = {"told", "pattern",
                                                                           "place", "timing"};

}  // namespace

std::string_view to_string(Inference inference) {
  return kInferenceNames[static_cast<std::size_t>(inference)];
}

std::optional<Inference> inference_named(std::string_view name) {
  const auto* const found = std::find(kInferenceNames.begin(), kInferenceNames.end(), name);
  if (found == kInferenceNames.end()) return std::nullopt;
  return static_cast<Inference>(found - kInferenceNames.begin());
}

}  // namespace nadi
