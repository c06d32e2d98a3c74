// Reads a device trace into an event table.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/events/attribute_registry.h"
#include "nadi/events/event_table.h"
#include "nadi/events/iteration_choice.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"
#include "nadi/read/time_text.h"

namespace nadi {

struct EventTableOptions {
  std::vector<Attribute> attributes;  ///< columns, see choose_attributes()
  /// All other keys of `args` become columns, too, up to 256 columns in all: as the registry has
  /// them, else by column_name_of() and the first value's type.
  bool all_attributes = false;
  AttributeRegistry registry = {};  ///< for all_attributes
  std::vector<std::string> skip_categories = {"python_function"};
  bool keep_gpu_annotations = false;  ///< rows of category gpu_user_annotation
  /// Longer rows are left out, but still mark iterations: "longer-than-asked". Beyond
  /// kLongestDuration it is garbage (K8).
  Ns max_duration_ns = kLongestDuration;
  IterationChoice iterations;
  bool round_to_micros = false;  ///< see round_to_micros()
};

/// Reads all of `source`. Memory: the table, a window of 256 KiB (more for one larger event) and a
/// few MB for partners. Reports beside what the walk finds (read/trace_walk.h) "garbage-time",
/// "longer-than-asked", "attribute-of-another-type" (the row has the fallback) and
/// "too-many-columns". Throws Error(kInput) when it is no device trace, Error(kUsage) that lists
/// the iterations when one chosen is not there. Format: schema/kineto.md.
EventTable read_event_table(ByteSource& source, const EventTableOptions& options,
                            Diagnostics& diagnostics, const Progress& progress = {});

}  // namespace nadi
