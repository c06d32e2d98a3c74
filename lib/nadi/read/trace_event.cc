#include "nadi/read/trace_event.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/base/error.h"

namespace nadi {
namespace {

struct FieldKey {
  std::string_view name;
  Field field;
};

// K10: `External id` is also written `external id`.
constexpr std::array kFieldKeys = {
    FieldKey{"External id", Field::kExternalId},
    FieldKey{"external id", Field::kExternalId},
    FieldKey{"Record function id", Field::kRecordFunctionId},
    FieldKey{"Sequence number", Field::kSequenceNumber},
    FieldKey{"Fwd thread id", Field::kForwardThread},
    FieldKey{"correlation", Field::kCorrelation},
    FieldKey{"device", Field::kDevice},
    FieldKey{"stream", Field::kStream},
    FieldKey{"context", Field::kContext},
    FieldKey{"bytes", Field::kBytes},
    FieldKey{"graph id", Field::kGraphId},
    FieldKey{"graph node id", Field::kGraphNodeId},
    FieldKey{"Concrete Inputs", Field::kConcreteInputs},
    FieldKey{"Input Dims", Field::kInputDims},
    FieldKey{"Input type", Field::kInputType},
    FieldKey{"Input Strides", Field::kInputStrides},
    FieldKey{"kernel_backend", Field::kKernelBackend},
    FieldKey{"kernel_file", Field::kKernelFile},
    FieldKey{"Collective name", Field::kCollective},
    FieldKey{"dtype", Field::kDtype},
    FieldKey{"In msg nelems", Field::kInNelems},
    FieldKey{"Out msg nelems", Field::kOutNelems},
    FieldKey{"Group size", Field::kGroupSize},
    FieldKey{"In split size", Field::kInSplit},
    FieldKey{"Out split size", Field::kOutSplit},
    FieldKey{"Process Group Name", Field::kGroupName},
    FieldKey{"Process Group Description", Field::kGroupDescription},
    FieldKey{"Process Group Ranks", Field::kGroupRanks},
    FieldKey{"Rank", Field::kRank},
    FieldKey{"Src Rank", Field::kSrcRank},
    FieldKey{"Dst Rank", Field::kDstRank},
    FieldKey{"Seq", Field::kSeq},
    FieldKey{"Global rank start", Field::kRankStart},
    FieldKey{"Global rank stride", Field::kRankStride},
    FieldKey{"cuda_sync_kind", Field::kSyncKind},
    FieldKey{"wait_on_stream", Field::kWaitOnStream},
    FieldKey{"wait_on_cuda_event_record_corr_id", Field::kWaitOnRecord},
    FieldKey{"wait_on_cuda_event_id", Field::kWaitOnEvent},
    FieldKey{"event_id", Field::kEventId},
    FieldKey{"event_wait_ids", Field::kEventWaitIds},
    FieldKey{"name", Field::kArgName},
    FieldKey{"original_stream", Field::kOriginalStream},
    FieldKey{"copy kind", Field::kCopyKind},
    FieldKey{"src kind", Field::kSourceKind},
    FieldKey{"dst kind", Field::kTargetKind},
    FieldKey{"memory kind", Field::kMemoryKind},
    FieldKey{"channel_type", Field::kChannelType},
    FieldKey{"blocks per SM", Field::kBlocksPerSm},
    FieldKey{"func", Field::kNcclFunction},
    FieldKey{"datatype", Field::kNcclType},
    FieldKey{"count", Field::kNcclCount},
    FieldKey{"seq", Field::kNcclSeq},
    FieldKey{"kernel", Field::kLaunchedKernel},
    FieldKey{"correlation_id", Field::kLaneCorrelation},  // XLA
    FieldKey{"connection_id", Field::kLaneCorrelation},   // torch_npu
    FieldKey{"Stream Id", Field::kLaneStream}};           // torch_npu

}  // namespace

ArgumentKeys::ArgumentKeys() : slots_(kFirstSlots, kNone) {
  for (const FieldKey& key : kFieldKeys)
    if (key.field == Field::kArgName || key.field >= Field::kLaneCorrelation) add(key.name);
}

ArgumentKeys ArgumentKeys::of_fields() {
  ArgumentKeys keys;
  for (const FieldKey& key : kFieldKeys) keys.add(key.name);
  return keys;
}

std::uint16_t ArgumentKeys::add(std::string_view key) {
  const std::size_t slot = slot_of(key);
  if (slots_[slot] != kNone) return slots_[slot];
  const auto known = std::find_if(kFieldKeys.begin(), kFieldKeys.end(),
                                  [&](const FieldKey& of) { return of.name == key; });
  fields_.push_back(known != kFieldKeys.end() ? known->field : Field::kCount);
  has_others_ = has_others_ || known == kFieldKeys.end();
  const auto number = slots_[slot] = static_cast<std::uint16_t>(keys_.size());
  keys_.emplace_back(key);
  if (keys_.size() * 4 > slots_.size()) grow();
  return number;
}

void ArgumentKeys::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  for (std::size_t i = 0; i < keys_.size(); ++i)
    slots_[slot_of(keys_[i])] = static_cast<std::uint16_t>(i);
}

void TraceEvent::add_all(const TraceEvent& other, const ArgumentKeys& keys) {
  for (std::size_t field = 0; field < kOwn; ++field)
    set(static_cast<Field>(field), other.value(static_cast<Field>(field)));
  for (const EventArgument& argument : other.arguments_) add(argument, keys.field_of(argument.key));
}

void TraceEvent::keep_texts(std::vector<char>& texts) {
  const auto for_each_text = [this](const auto& take) {
    for (std::size_t field = 0; field < kOwn; ++field)
      if (has(static_cast<Field>(field))) take(own_[field].referred());
    for (EventArgument& argument : arguments_) {
      take(argument.name);
      take(argument.value.referred());
    }
  };
  std::size_t bytes = 0;
  for_each_text([&](const std::string_view& text) { bytes += text.size(); });
  texts.clear();
  texts.reserve(bytes);  // it must not move
  for_each_text([&](std::string_view& text) {
    const std::size_t begin = texts.size();
    texts.insert(texts.end(), text.begin(), text.end());
    text = {texts.data() + begin, text.size()};
  });
}

RowTime row_time_of(const TraceEvent& event) {
  const EventValue& duration = event.value(Field::kDuration);
  return row_time_of(event.value(Field::kTime).time(),
                     duration.is_absent() ? Ns{0} : duration.time());
}

std::uint32_t event_index(std::uint64_t number) {
  constexpr std::uint64_t kMostEvents = 0xfffffffeU;
  if (number > kMostEvents)
    throw Error(ErrorCode::kInput, fmt::format("event {}", number),
                "more events than nadi can number", "Record fewer steps");
  return static_cast<std::uint32_t>(number);
}

}  // namespace nadi
