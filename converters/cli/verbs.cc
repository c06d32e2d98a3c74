#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

constexpr Verb kVerbs[] = {
    {"doctor", "Say what traces lack for a good graph, and the profiler setting that gives it",
     "nadi doctor --host host.0.json.gz --device device.0.json.gz", add_doctor},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

}  // namespace nadi::cli
