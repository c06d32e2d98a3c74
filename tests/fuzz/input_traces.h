// The traces of one rank among the files of an input: told by what they hold, as the tool tells
// them.
#pragma once

#include <string>

#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/read_traces.h"
#include "tests/fuzz/input_files.h"
#include "tests/temporary_folder.h"

namespace nadi {

/// Writes the files into the folder. Of several of one kind the last is taken; what nothing tells
/// is taken for a device trace, which its reader may refuse.
inline TraceFiles write_traces(const InputFiles& input, const TemporaryFolder& folder) {
  TraceFiles traces;
  std::string name = "a";
  for (const std::string_view text : input.files) {
    const std::string path = folder.write(name, text);
    if (name[0]++ == 'z') break;
    switch (peek_trace(path).type) {
      case TraceType::kHostTrace:
        traces.host = path;
        break;
      case TraceType::kLinkedJson:
        traces.linked = path;
        break;
      default:
        traces.device = path;
    }
  }
  return traces;
}

}  // namespace nadi
