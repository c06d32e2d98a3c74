// Reads the traces of one rank and links them: the first half of every conversion.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/link/link.h"
#include "nadi/model/linked_trace.h"
#include "nadi/read/progress.h"

namespace nadi {

struct TraceFiles {
  std::string host;    ///< path, "archive:member" or "-"; empty = device trace alone
  std::string device;  ///< path, "archive:member" or "-"
  std::string linked =
      {};  ///< linked JSON instead of both: path, "archive:member" or "-"; empty = none

  /// What messages call these traces.
  const std::string& name() const { return linked.empty() ? device : linked; }
};

/// Two files are read at the same time, on a thread each. With strict, any loss of data is an
/// Error(kCheck). Progress, if given, is called from either thread, one call at a time.
LinkedTrace read_and_link(const TraceFiles& files, const LinkOptions& options, bool strict,
                          Diagnostics& diagnostics, const Progress& progress = {});

/// Throws Error(kCheck) naming the first loss of what was read from file, if there is any.
void require_no_loss(const std::string& file, const Diagnostics& diagnostics);

}  // namespace nadi
