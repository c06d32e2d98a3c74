// What every timeline file can hold: processes, tracks, slices that nest, arrows between them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "nadi/base/byte_sink.h"
#include "nadi/base/time.h"

namespace nadi {

enum class TimelineFormat : std::uint8_t { kTraceEvents, kPerfetto };

/// Returns the format by the name's ending: a Perfetto trace of .pftrace, packed or not, else JSON.
TimelineFormat timeline_format_of(std::string_view path);

/// One fact of a slice, shown where it is selected.
struct TimelineArgument {
  std::string_view name;  ///< holds nothing to escape
  std::variant<std::int64_t, std::uint64_t, std::string_view> value;
};

struct TimelineSlice {
  std::uint32_t track = 0;      ///< of add_track()
  Ns start_ns = 0, end_ns = 0;  ///< from the timeline's 0
  std::string_view category, name;
  std::span<const TimelineArgument> arguments;
  std::span<const std::uint64_t> arrows;  ///< that end where it begins
};

/// Where an arrow begins or ends: inside the slice that is open on the track then.
struct TimelineMark {
  std::uint32_t track = 0;
  Ns time_ns = 0;
  std::uint64_t arrow = 0;  ///< the number that both of its ends have
  std::string_view name;
};

/// Processes and tracks are shown in the order of their numbers. The sink gets pieces of about a
/// MB.
class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;

  /// The number is from 1 to 999,999,999.
  virtual void name_process(std::uint64_t process, std::string_view name) = 0;
  /// Returns what slices name the track by. Tracks of a process are shown by ascending `order`.
  virtual std::uint32_t add_track(std::uint64_t process, std::uint64_t order,
                                  std::string_view name) = 0;

  /// Slices of a track begin and end in the order of time; one that begins while another is open
  /// ends first.
  virtual void begin_slice(const TimelineSlice& slice) = 0;
  /// Ends the slice that began last of those open on the track, at its end.
  virtual void end_slice(std::uint32_t track, Ns end_ns) = 0;
  void add_slice(const TimelineSlice& slice) {
    begin_slice(slice);
    end_slice(slice.track, slice.end_ns);
  }

  virtual void begin_arrow(const TimelineMark& mark) = 0;
  /// An arrow that ends where no slice begins.
  virtual void end_arrow(const TimelineMark& mark) = 0;

  /// Ends the file. Call once, last.
  virtual void finish() = 0;
};

/// The sink must outlive the writer.
std::unique_ptr<TimelineWriter> make_timeline_writer(TimelineFormat format, const ByteSink& sink);

}  // namespace nadi
