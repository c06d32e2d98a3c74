// Finds the graphs of an earlier job beside those of a new one.
#pragma once

#include <string>
#include <vector>

namespace nadi {

/// Returns the files named PREFIX.<rank>.et that are none of `written`, by rank. Patterns like
/// PREFIX.*.et, and simulators that count files, would take them for ranks of the job.
std::vector<std::string> find_stale_outputs(const std::string& prefix,
                                            const std::vector<std::string>& written);

}  // namespace nadi
