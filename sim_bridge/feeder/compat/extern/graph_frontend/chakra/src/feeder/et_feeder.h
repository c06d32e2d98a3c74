// Where ASTRA-sim of 2024 includes it from.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
