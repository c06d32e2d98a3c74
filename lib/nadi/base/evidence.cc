#include "nadi/base/evidence.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

constexpr std::array<std::string_view, kInferenceCount> kInferenceNames = {"recorded", "pattern",
                                                                           "place", "timing"};
constexpr std::array<std::string_view, kEvidenceCount> kEvidenceNames = {
    "thread order", "nesting",         "launch",
    "stream order", "graph order",     "graph dependency",
    "event wait",   "synchronisation", "thread hand-off",
    "group order",  "unrecorded work", "busy device",
    "delay"};

/// The value whose name stands at its place in `names`.
template <class Value, std::size_t kCount>
std::optional<Value> named(const std::array<std::string_view, kCount>& names,
                           std::string_view name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

}  // namespace

std::string_view to_string(Inference inference) {
  return kInferenceNames[static_cast<std::size_t>(inference)];
}

std::optional<Inference> inference_named(std::string_view name) {
  return named<Inference>(kInferenceNames, name);
}

std::string_view to_string(Evidence evidence) {
  return kEvidenceNames[static_cast<std::size_t>(evidence)];
}

std::optional<Evidence> evidence_named(std::string_view name) {
  return named<Evidence>(kEvidenceNames, name);
}

}  // namespace nadi
