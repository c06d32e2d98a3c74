// One event of a device trace, from whatever form of file: what every event has, and its arguments.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/model/device_trace.h"
#include "nadi/read/event_value.h"
#include "nadi/read/key_table.h"
#include "nadi/read/time_text.h"

namespace nadi {

/// What the model holds of an event, and the keys of `args` for it; several spellings share a place
/// (K10).
enum class Field : std::uint8_t {
  kPhase,
  kCategory,
  kName,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kExternalId,
  kRecordFunctionId,
  kSequenceNumber,
  kForwardThread,
  kCorrelation,
  kDevice,
  kStream,
  kContext,
  kBytes,
  kGraphId,
  kGraphNodeId,
  kConcreteInputs,
  kInputDims,
  kInputType,
  kInputStrides,
  kKernelBackend,
  kKernelFile,
  kCollective,
  kDtype,
  kInNelems,
  kOutNelems,
  kGroupSize,
  kInSplit,
  kOutSplit,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kRank,
  kSrcRank,
  kDstRank,
  kSeq,
  kRankStart,
  kRankStride,
  kSyncKind,
  kWaitOnStream,
  kWaitOnRecord,
  kWaitOnEvent,
  kEventId,
  kEventWaitIds,
  kArgName,
  kOriginalStream,
  kCopyKind,
  kSourceKind,
  kTargetKind,
  kMemoryKind,
  kChannelType,
  kBlocksPerSm,
  kNcclFunction,
  kNcclType,
  kNcclCount,
  kNcclSeq,
  kLaunchedKernel,
  kLaneCorrelation,
  kLaneStream,
  kCount,
};

/// The keys of `args` that are of use to who takes the events, by number.
class ArgumentKeys {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  /// Those that say where an event belongs.
  ArgumentKeys();
  /// All keys that are fields.
  static ArgumentKeys of_fields();

  /// The number of a key, or kNone.
  std::uint16_t find(std::string_view key) const { return slots_[slot_of(key)]; }
  /// The number of a key, a new one if it has none. At most kNone keys.
  std::uint16_t add(std::string_view key);
  std::size_t size() const { return keys_.size(); }
  /// The field that the key of a number, or of kNone, is; kCount = none.
  Field field_of(std::uint16_t number) const {
    return number < fields_.size() ? fields_[number] : Field::kCount;
  }
  /// True where keys are of use that are no fields.
  bool has_others() const { return takes_all || has_others_; }

  bool takes_all = false;  ///< arguments without a number are of use, too

 private:
  static constexpr std::size_t kFirstSlots = 512;

  std::size_t slot_of(std::string_view key) const {
    const std::uint32_t marks = key.empty() ? 0 : key_marks(key);
    std::size_t slot = (marks * 0x9e3779b1U >> 12) & (slots_.size() - 1);
    while (slots_[slot] != kNone && !is_key(keys_[slots_[slot]], key))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow();

  std::vector<std::uint16_t> slots_;  // size is a power of two
  std::vector<std::string> keys_;
  std::vector<Field> fields_;
  bool has_others_ = false;
};

struct EventArgument {
  std::uint16_t key;      ///< of ArgumentKeys; kNone = one that has no number yet
  std::string_view name;  ///< as JSON writes it, without quotes
  EventValue value;
};

/// Refers to text of the file, which is valid while the event is handed on.
class TraceEvent {
 public:
  void clear() {
    present_ = 0;
    arguments_.clear();
  }
  /// Sets a field that is no argument. What is written twice is what it was first.
  void set(Field field, const EventValue& value) {
    if (value.is_absent() || has(field)) return;
    own_[static_cast<std::size_t>(field)] = value;
    present_ |= bit(field);
  }
  /// Adds an argument that is not absent, and is that field, if any.
  void add(const EventArgument& argument, Field field) {
    arguments_.push_back(argument);
    if (field == Field::kCount || has(field)) return;
    indices_[static_cast<std::size_t>(field)] = static_cast<std::uint32_t>(arguments_.size() - 1);
    present_ |= bit(field);
  }

  /// Adds what another event has, behind what this one has.
  void add_all(const TraceEvent& other, const ArgumentKeys& keys);

  bool has(Field field) const { return (present_ & bit(field)) != 0; }
  /// An argument that is written twice is what it was first: what was spread into args stands
  /// behind its own (N53).
  const EventValue& value(Field field) const {
    static constexpr EventValue kAbsent;
    if (!has(field)) return kAbsent;
    const auto index = static_cast<std::size_t>(field);
    return index < kOwn ? own_[index] : arguments_[indices_[index]].value;
  }
  /// In file order.
  const std::vector<EventArgument>& arguments() const { return arguments_; }

  /// Moves all text that the event refers to into `texts`, which it then needs instead.
  void keep_texts(std::vector<char>& texts);

 private:
  static constexpr std::size_t kFields = static_cast<std::size_t>(Field::kCount);
  static constexpr std::size_t kOwn = static_cast<std::size_t>(Field::kExternalId);
  static_assert(kFields < 64, "one bit per field");
  static constexpr std::uint64_t bit(Field field) {
    return std::uint64_t{1} << static_cast<unsigned>(field);
  }

  std::uint64_t present_ = 0;
  std::array<EventValue, kOwn> own_;
  std::array<std::uint32_t, kFields> indices_;  // in arguments_
  std::vector<EventArgument> arguments_;
};

/// Start and duration; kNoTime and 0 where they are not recorded or garbage.
RowTime row_time_of(const TraceEvent& event);

/// Who takes a device trace.
struct EventSubscriber {
  const ArgumentKeys& keys;  ///< may get further ones while events are taken
  DeviceTrace& header;       ///< gets what stands beside the events: rank, clock, groups, devices
  std::function<void(const TraceEvent& event, std::uint32_t index)> take;
};

/// The place in "traceEvents" as trace rows hold it. Throws Error (kInput) where it does not fit.
std::uint32_t event_index(std::uint64_t number);

}  // namespace nadi
