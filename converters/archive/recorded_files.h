// The graphs from which the job for a simulator is made, where they were converted as those of an
// archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/archive/manifest.h"

namespace nadi {

/// The prefix of these graphs: PREFIX.recorded/rank.
std::string recorded_prefix(const std::string& prefix);

/// Sets what they are: packed, and with the delays of delays_for.
void set_recorded_form(Target target, ConvertOptions& options);

/// The graphs that the manifest names, by rank, named after their device traces. They are read as
/// they are asked for; up to so many bytes of them stay. `on_visit`: called each time one is asked
/// for; may be null.
RecordedGraphs recorded_files(const std::string& prefix, const Manifest& manifest,
                              std::uint64_t most_bytes, std::function<void()> on_visit);

/// What of the reports of these graphs the job's wants: the longest span, and the first
/// `most_reports`.
ConvertRanksReport report_of_recorded(const Manifest& manifest, std::size_t most_reports);

}  // namespace nadi
