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

/// Text by its number, as JSON strings, quotes included.
using InternedTexts = IdMap<std::uint64_t, std::string>;

/// A category of events, or a stage of a GPU as the category of its rows.
struct InternedCategory {
  std::string name;  ///< a JSON string
  EventCategory kind = EventCategory::kUnknown;
  std::string stage;  ///< a JSON string: the stage's own name, for rows without one
};

/// The interned data of one sequence, and its defaults.
struct PerfettoSequence {
  IdMap<std::uint64_t, InternedCategory> categories, stages;
  IdMap<std::uint64_t, std::string> annotation_names;  ///< not quoted
  InternedTexts names, annotation_texts, kernels, launch_argument_names;
  std::uint64_t default_track = 0;

  void add(const perfetto::protos::InternedData& data);
};

/// A category by its name, not quoted.
InternedCategory category_of_name(std::string_view name);

/// Before the two numbers of PerfettoTrack::ids.
inline constexpr std::string_view kPidKey = "\"pid\":", kTidKey = ",\"tid\":";

/// The place of slices: a thread, a stream of a GPU, or something else with a name.
struct PerfettoTrack {
  std::optional<std::int64_t> pid, tid;
  std::string name, process_name;
  std::uint64_t parent = 0;  ///< 0 = none

  std::string ids = {};       ///< `"pid":7,"tid":8`, once resolved
  std::size_t pid_bytes = 0;  ///< of the 7 in it
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
