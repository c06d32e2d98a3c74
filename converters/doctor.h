// Reads the traces of a rank and finds what they lack: the recipe of `nadi doctor`.
#pragma once

#include <string>
#include <vector>

#include "nadi/converters/examine_traces.h"

namespace nadi {

struct DoctorOptions {
  std::string host;             ///< path, "-", or empty = none
  std::string device;           ///< path or "-"
  std::string other_form = {};  ///< the device trace in its other form, too; empty = none
  std::string process = {};     ///< pid of the one process to examine; empty = all that have rows
};

struct DoctorReport {
  std::vector<DoctorFinding> findings;
  std::string set_up;  ///< a program that records all that is lacking, Python
};

/// The recipe: reads the traces and examines those of each process. Throws Error where one cannot
/// be read.
DoctorReport doctor_report(const DoctorOptions& options);
/// Its findings alone.
std::vector<DoctorFinding> doctor(const DoctorOptions& options);

}  // namespace nadi
