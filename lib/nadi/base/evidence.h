// Names why an edge of a dependency graph exists, and what that rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi {

/// What a dependency rests on: the trace records it, or something makes it likely. Strongest first.
enum class Inference : std::uint8_t {
  kNone,     ///< recorded by the trace: no guess
  kPattern,  ///< PyTorch and the runtimes always make these calls for it (K29)
  kPlace,    ///< the same place in the program was seen to do it in another iteration
  kTiming,   ///< what ran when shows it here
};
inline constexpr std::size_t kInferenceCount = 4;

constexpr bool is_guess(Inference inference) { return inference != Inference::kNone; }

/// "recorded" (kNone), "pattern", "place", "timing".
std::string_view to_string(Inference inference);
/// Returns the inference of that name; none where no inference has it.
std::optional<Inference> inference_named(std::string_view name);

/// The reason why an edge exists.
enum class Evidence : std::uint8_t {
  kThreadOrder,  ///< next on the host lane
  kNesting,      ///< op -> child (ctrl)
  kLaunch,       ///< lane node that ends where the launch begins -> device row
  kStreamOrder,  ///< next on the device lane
  /// Order of rows inside one graph launch; or, inferred, between a row of the launch and the row
  /// right before or right after the launch.
  kGraphOrder,
  kGraphDependency,  ///< inside one graph launch, an edge of the CUDA graph that was recorded
  kEventWait,        ///< stream waited for an event
  kSynchronisation,  ///< host waited for the device
  kThreadHandOff,    ///< one host thread waited for another
  kGroupOrder,       ///< collectives of one process group
  kUnrecordedWork,   ///< to a delay in which the device did work that has no row
  kBusyDevice,       ///< to a delay in which kernels of other streams left no room on the device
  kDelay,            ///< to and from another delay node
};
inline constexpr std::size_t kEvidenceCount = static_cast<std::size_t>(Evidence::kDelay) + 1;

/// The device itself needed the time of a delay to which an edge of this evidence leads.
constexpr bool is_of_device(Evidence evidence) {
  return evidence == Evidence::kUnrecordedWork || evidence == Evidence::kBusyDevice;
}

std::string_view to_string(Evidence evidence);  ///< "thread order", …
/// Returns the evidence of that name; none where no evidence has it.
std::optional<Evidence> evidence_named(std::string_view name);

/// What an edge of a dependency graph holds, in one byte: graphs have millions.
struct Edge {
  Evidence evidence : 4;
  Inference inferred : 2;
  bool is_control : 1;  ///< caller -> callee, a `ctrl_deps` of the file

  constexpr Edge(Evidence why = Evidence::kThreadOrder, Inference rests_on = Inference::kNone,
                 bool is_call = false)
      : evidence(why), inferred(rests_on), is_control(is_call) {}
};
static_assert(sizeof(Edge) == 1 && kEvidenceCount <= 16 && kInferenceCount <= 4);

}  // namespace nadi
