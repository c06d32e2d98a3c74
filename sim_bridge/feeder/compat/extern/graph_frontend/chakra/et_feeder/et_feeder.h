// Includes the feeder at the path where ASTRA-sim of 2023 expects it.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
