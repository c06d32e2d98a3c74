// Includes the feeder at the path where simulators with Chakra on their include path expect it.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
