// Includes the feeder at the path where ASTRA-sim expects it.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder.h"
