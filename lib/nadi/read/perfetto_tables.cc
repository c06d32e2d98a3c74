#include "nadi/read/perfetto_tables.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"

namespace nadi {
namespace {

/// Parents of parents that are looked at: a hostile trace may have them in a cycle.
constexpr int kMostParents = 16;
/// One for each thread that writes packets.
constexpr std::size_t kMostSequences = 1 << 16;

/// Stages of the profiler (P11), and the category that its JSON gives to their rows.
struct Stage {
  std::string_view name, category;
};
constexpr std::array kStages = {
    Stage{"Kernel", "kernel"},
    Stage{"Memcpy", "gpu_memcpy"},
    Stage{"Memset", "gpu_memset"},
    Stage{"Annotation", "gpu_user_annotation"},
    Stage{"EventRecord", "graph_event_node"},
    Stage{"HostNode", "graph_host_node"},
};

InternedCategory category_of_stage(std::string_view name) {
  std::string_view category = name;
  for (const Stage& stage : kStages)
    if (stage.name == name) category = stage.category;
  return {repair_utf8(category), event_category_of(category), repair_utf8(name)};
}

/// Longer names are taken for missing: each use would cost as much again.
constexpr std::size_t kMostNameBytes = 1 << 18;

/// Calls take(entry) for those with a name of a real length.
template <class List, class Take>
void for_each_named(const List& list, const Take& take) {
  for (const auto& entry : list)
    if (entry.name().size() <= kMostNameBytes) take(entry);
}

template <class List>
void add_texts(const List& list, InternedTexts& texts) {
  for_each_named(list, [&](const auto& entry) { texts[entry.iid()] = repair_utf8(entry.name()); });
}

}  // namespace

void PerfettoSequence::add(const perfetto::protos::InternedData& data) {
  for_each_named(data.event_categories(), [&](const auto& entry) {
    categories[entry.iid()] = {repair_utf8(entry.name()), event_category_of(entry.name()), {}};
  });
  for_each_named(data.gpu_specifications(),
                 [&](const auto& entry) { stages[entry.iid()] = category_of_stage(entry.name()); });
  add_texts(data.event_names(), names);
  add_texts(data.debug_annotation_names(), annotation_names);
  add_texts(data.debug_annotation_string_values(), annotation_texts);
  add_texts(data.compute_arg_names(), launch_argument_names);
  for (const auto& kernel : data.compute_kernels()) {
    const auto& name = kernel.has_demangled_name() ? kernel.demangled_name() : kernel.name();
    if (name.size() <= kMostNameBytes) kernels[kernel.iid()] = repair_utf8(name);
  }
}

PerfettoSequence& PerfettoTables::find_sequence(std::uint32_t id) {
  last_ = &sequences_[id];
  last_id_ = id;
  if (sequences_.size() > kMostSequences)
    throw Error(ErrorCode::kInput, "the Perfetto trace",
                fmt::format("more than {} sequences of packets", kMostSequences),
                "Check that it is the right file");
  return *last_;
}

const PerfettoTrack& PerfettoTables::add_track(
    const perfetto::protos::TrackDescriptor& descriptor) {
  PerfettoTrack track{{}, {}, repair_utf8(descriptor.name()), {}, descriptor.parent_uuid()};
  if (descriptor.has_process()) {
    track.pid = descriptor.process().pid();
    track.process_name = repair_utf8(descriptor.process().process_name());
  }
  if (descriptor.has_thread()) {
    track.pid = descriptor.thread().pid();
    track.tid = descriptor.thread().tid();
    if (descriptor.thread().has_thread_name())
      track.name = repair_utf8(descriptor.thread().thread_name());
  }
  track.is_described = true;
  ++descriptors_;
  tracks_[descriptor.uuid()] = std::move(track);
  return this->track(descriptor.uuid());
}

const PerfettoTrack& PerfettoTables::track(std::uint64_t uuid) {
  PerfettoTrack& track = tracks_[uuid];
  if (track.resolved_at != descriptors_) resolve(track, uuid);
  return track;
}

void PerfettoTables::resolve(PerfettoTrack& track, std::uint64_t uuid) const {
  std::optional<std::int64_t> pid = track.pid;
  std::string_view process = track.process_name;
  std::uint64_t parent = track.parent;
  for (int i = 0; i < kMostParents && parent != 0; ++i) {
    const auto entry = tracks_.find(parent);
    if (entry == tracks_.end()) break;
    if (!pid) pid = entry->second.pid;
    if (process.empty()) process = entry->second.process_name;
    parent = entry->second.parent;
  }
  track.resolved_at = descriptors_;
  track.is_overhead = process == "Overhead";
  track.is_gpu_stream = process.starts_with("GPU ") && track.name.starts_with("stream ");
  track.process = pid.value_or(0);
  track.number = track.process_name.empty() ? uuid : 0;
}

}  // namespace nadi
