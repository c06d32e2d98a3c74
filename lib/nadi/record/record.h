// Records what a running program does as a host trace and a device trace that nadi converts: the
// one header to include. See README.md here.
#pragma once

#include "nadi/record/communication.h"
#include "nadi/record/device.h"
#include "nadi/record/op.h"
#include "nadi/record/session.h"
#include "nadi/record/value.h"
