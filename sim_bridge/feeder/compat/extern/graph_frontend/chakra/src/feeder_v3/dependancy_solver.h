// Where ASTRA-sim includes it from.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder_v3/dependancy_solver.h"
