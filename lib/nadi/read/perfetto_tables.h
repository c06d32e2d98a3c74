// What packets of a Perfetto trace refer to: interned text, and the tracks on which slices lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/base/id_map.h"
#include "nadi/read/category_table.h"
#include "perfetto_trace.pb.h"

namespace nadi {

/// Text by its number, in UTF-8.
using InternedTexts = IdMap<std::uint64_t, std::string>;

/// A category of events, or a stage of a GPU as the category of its rows.
struct InternedCategory {
  std::string name;
  EventCategory kind = EventCategory::kUnknown;
  std::string stage;  ///< the stage's own name, for rows without one
};

/// The interned data of one sequence, and its defaults.
struct PerfettoSequence {
  IdMap<std::uint64_t, InternedCategory> categories, stages;
  InternedTexts names, annotation_names, annotation_texts, kernels, launch_argument_names;
  std::uint64_t default_track = 0;

  void add(const perfetto::protos::InternedData& data);
};

/// The place of slices: a thread, a stream of a GPU, or something else with a name.
struct PerfettoTrack {
  std::optional<std::int64_t> pid, tid;
  std::string name, process_name;
  std::uint64_t parent = 0;  ///< 0 = none

  std::int64_t process = 0;  ///< once resolved: the pid of it or of a parent
  std::uint64_t number = 0;  ///< once resolved: in place of a tid or name, where it has neither
  std::uint64_t resolved_at = 0;
  bool is_gpu_stream = false;  ///< a thread "stream N" of a process "GPU N"
  bool is_described = false;   ///< else the trace has no more than its number
  bool is_overhead = false;    ///< of the process in which the profiler shows its own time
};

class PerfettoTables {
 public:
  /// Throws Error(kInput) where there are more than any real trace has.
  PerfettoSequence& sequence(std::uint32_t id) {
    return last_ != nullptr && last_id_ == id ? *last_ : find_sequence(id);
  }
  /// Takes a track over, and gives it.
  const PerfettoTrack& add_track(const perfetto::protos::TrackDescriptor& descriptor);
  /// The track of that number, also where the trace does not describe it.
  const PerfettoTrack& track(std::uint64_t uuid);

 private:
  PerfettoSequence& find_sequence(std::uint32_t id);
  void resolve(PerfettoTrack& track, std::uint64_t uuid) const;

  IdMap<std::uint64_t, PerfettoSequence> sequences_;
  PerfettoSequence* last_ = nullptr;  // most packets are of the sequence of the one before
  std::uint32_t last_id_ = 0;
  IdMap<std::uint64_t, PerfettoTrack> tracks_;
  std::uint64_t descriptors_ = 1;  // a track is resolved anew behind each
};

}  // namespace nadi
