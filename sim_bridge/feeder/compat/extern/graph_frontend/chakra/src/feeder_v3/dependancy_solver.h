// Includes the dependency resolver at the path where ASTRA-sim expects it.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder_v3/dependancy_solver.h"
