// Reads the traces of one rank and links them: the first half of every conversion.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/base/error.h"
#include "nadi/graph/lost_rows.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/link.h"
#include "nadi/model/linked_trace.h"
#include "nadi/read/progress.h"

namespace nadi {

struct TraceFiles {
  std::string host;    ///< path, "archive:member" or "-"; empty = device trace alone
  std::string device;  ///< path, "archive:member" or "-"
  std::string linked =
      {};  ///< linked JSON instead of both: path, "archive:member" or "-"; empty = none
  /// Opens them by these names where they lie elsewhere than ByteSource::open looks.
  std::function<ByteSource(const std::string& name)> open = {};
  bool uses_one_thread = false;  ///< reads one after the other, without other threads
  std::string other_form = {};   ///< the device trace in its other form, too; empty = none
  /// Pid of the process to take of a device trace that holds several; empty = those that
  /// processes_with_rows names.
  std::string process = {};

  /// The name of these traces in messages.
  const std::string& name() const { return linked.empty() ? device : linked; }
};

/// Two files are read at the same time, on a thread each, and unpacked on others (read_ahead). With
/// strict, any loss of data is an Error(kCheck). Progress, if given, is called from either thread,
/// one call at a time. Launches of which many lack their device row are a loss,
/// "device-rows-missing".
LinkedTrace read_and_link(const TraceFiles& files, const LinkOptions& options, bool strict,
                          Diagnostics& diagnostics, const Progress& progress = {});

/// Gets what was linked of one process, and all that was found.
using TakeLinked = std::function<void(const LinkedTrace& linked, Diagnostics& diagnostics)>;

/// Does the same for each process of the device trace whose graph is wanted (files.process), one
/// after the other; a plain trace has one. Their ranks count up from options.rank, or from the one
/// that the trace has. read_and_link takes one process only: of several it throws Error(kInput).
void link_processes(const TraceFiles& files, const LinkOptions& options, bool strict,
                    const TakeLinked& take, const Progress& progress = {});

/// Returns the error with which matched traces of different ranks are refused; nothing otherwise.
/// Ranks of one job match each other nearly whole; where the device trace's name holds its own
/// rank, another number in the host trace's name and another process ("another-process" in the
/// diagnostics of the matching) show that the host trace is of another one.
std::optional<Error> rank_conflict(const TraceFiles& files, const DeviceTrace& device,
                                   const Diagnostics& diagnostics);

/// Launches whose device row is lost, if they are more than a few: rows were lost, or the trace
/// ends before them. None where there are only a few, as at the end of traces, beside others.
LostRowCounts missing_device_rows(const LinkedTrace& linked);
/// "40 kernels, 1 copy".
std::string lost_rows_text(const LostRowCounts& counts);

/// Throws Error(kCheck) naming the first loss of what was read from file, if there is any.
void require_no_loss(const std::string& file, const Diagnostics& diagnostics);

}  // namespace nadi
