// Takes the first look at a trace: whether it is of the kind the reader reads, and else what it is.
#pragma once

#include <string>

#include "nadi/read/detect.h"
#include "nadi/read/window.h"

namespace nadi {

/// Fills the window with the first 64 KiB and passes over a byte-order mark. Throws Error(kInput)
/// when the bytes are known to be something else than `wanted`. Gives describe() of the bytes.
std::string expect_trace(Window& window, TraceType wanted);
/// Throws Error(kInput): "this is WHAT, not a … trace", and what to pass for `found`.
[[noreturn]] void refuse_trace(const Window& window, TraceType wanted, TraceType found,
                               const std::string& what);
/// Throws Error(kInput) of a trace with which nothing can be done, and names what was unpacked and
/// what damage that had.
[[noreturn]] void refuse_contents(const Window& window, const std::string& problem,
                                  const std::string& remedy);
/// Throws Error(kInput) where the file is a trace, whose graph has to be made first, a folder, or
/// what a graph cannot be, such as text. Says nothing of other files, nor of a pipe or a member of
/// an archive.
void refuse_trace_as_graph(const std::string& file);
/// Throws Error(kInput) where the file given as host trace is a device trace and the other way
/// round.
void refuse_swapped(const std::string& host, const std::string& device);
/// Throws Error(kInput) of a JSON array: "this is a JSON array, but no trace: …".
[[noreturn]] void refuse_array(const Window& window, TraceType wanted);

}  // namespace nadi
