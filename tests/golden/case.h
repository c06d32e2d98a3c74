// A golden folder: which traces, which options, what is expected.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nadi/converters/read_traces.h"
#include "nadi/graph/build.h"

namespace nadi::golden {

struct Case {
  std::filesystem::path folder;
  TraceFiles traces;
  LinkOptions link;
  GraphOptions graph;
  bool strict = false;
};

/// Names of the folders beside this file that hold a device trace, sorted.
std::vector<std::string> case_names();

/// Reads a folder. Throws std::runtime_error where its `options` file says what nobody knows.
Case load_case(const std::string& name);

}  // namespace nadi::golden
