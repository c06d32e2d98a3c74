// The graphs from which the job for a simulator is made, in files: those to which the traces of an
// archive were converted, or graphs of any writer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/job_inputs.h"

namespace nadi {

/// The prefix of these graphs: PREFIX.recorded/rank.
std::string recorded_prefix(const std::string& prefix);

/// Sets what they are: packed, and with the delays of delays_for.
void set_recorded_form(Target target, ConvertOptions& options);

struct RecordedFile {
  std::string path;        ///< of the graph
  std::string name;        ///< of the graph in messages: its device trace
  std::int64_t rank = -1;  ///< where the graph tells none; -1 = it does
};

/// These converted graphs. They are read as they are asked for; up to so many bytes of them stay.
/// `on_visit`: called each time one is asked for; may be null.
RecordedGraphs recorded_files(std::vector<RecordedFile> files, std::uint64_t most_bytes,
                              std::function<void()> on_visit);

/// Those that the manifest names, by rank.
RecordedGraphs recorded_files(const std::string& prefix, const Manifest& manifest,
                              std::uint64_t most_bytes, std::function<void()> on_visit);

/// The graphs of these inputs, read likewise. What their writers leave out is completed: a rank by
/// the input's, process groups by the file PREFIX.comm_groups.json beside it; dependencies on nodes
/// that the file does not hold are dropped. Files beyond the size that the first one gives for the
/// job are those of idle NPUs, and ignored ("file-ignored"). Throws Error(kInput) where a group
/// file is none.
RecordedGraphs graph_files(const std::vector<JobInput>& inputs, std::uint64_t most_bytes,
                           std::function<void()> on_visit, Diagnostics& diagnostics);

/// What of the reports of these graphs the job's wants: the longest span, and the first
/// `most_reports`.
ConvertRanksReport report_of_recorded(const Manifest& manifest, std::size_t most_reports);

}  // namespace nadi
