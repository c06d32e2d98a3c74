// Links the traces of one rank into one JSON file that MLCommons' converter reads.
#pragma once

#include <string>

#include "nadi/converters/read_traces.h"
#include "nadi/converters/report.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/link/link.h"

namespace nadi {

struct LinkedJsonOptions {
  TraceFiles traces;
  LinkOptions link;
  bool strict = false;  ///< loss of data is an error, and nothing is written
  Progress progress;
};

/// Reads, links, finds the dependencies and writes the linked JSON to the sink, in pieces. The
/// report's output is left for the caller.
ConvertReport link_to_json(const LinkedJsonOptions& options, const ByteSink& sink);

}  // namespace nadi
