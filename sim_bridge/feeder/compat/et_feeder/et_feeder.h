// Where a simulator with Chakra on its include path includes it from.
#pragma once

#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
