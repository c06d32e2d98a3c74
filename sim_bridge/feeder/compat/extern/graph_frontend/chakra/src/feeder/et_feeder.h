// Includes the feeder at the path where ASTRA-sim of 2024 expects it.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
