#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

std::span<const Verb> verbs() { return {}; }

}  // namespace nadi::cli
