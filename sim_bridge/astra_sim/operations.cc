#include "nadi/sim_bridge/astra_sim/steps.h"

namespace nadi::astra_sim {

void add_operations(const SimGraph&, JobRank&, double, Diagnostics&) {}

}  // namespace nadi::astra_sim
