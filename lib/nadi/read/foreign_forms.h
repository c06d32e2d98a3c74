// Knows the files of other tools, and what to pass in their stead.
#pragma once

#include <string_view>

namespace nadi {

struct ForeignForm {
  std::string_view name;    ///< "an Nsight Systems export (SQLite)"
  std::string_view remedy;  ///< what to do; empty = nothing more than to pass a trace
};

/// The form of a file that is no trace, by its first (decompressed) bytes, of which 64 KiB are
/// plenty, or by what `file` is called; nullptr = none that is known.
const ForeignForm* foreign_form(std::string_view prefix, std::string_view file = {});
/// The form of Chrome trace events that are not by Kineto; nullptr = none that is known.
const ForeignForm* foreign_events(std::string_view prefix);
/// The process that a timeline of nadi replay begins with, whose events are named as a profiler's.
inline constexpr std::string_view kTimelineProcess = "critical path (nadi replay)";
/// True of the first bytes of an xplane.pb.
bool starts_as_xspace(std::string_view prefix);

}  // namespace nadi
