#include "nadi/read/event_fields.h"

#include "nadi/read/key_table.h"

namespace nadi {
namespace {

static_assert(static_cast<unsigned>(Field::kCount) <= 64, "one bit per field");

constexpr Key key(std::string_view name, Field field) {
  return {name, static_cast<std::uint8_t>(field)};
}

constexpr KeyTable kEventKeys(std::array{
    key("ph", Field::kPhase), key("cat", Field::kCategory), key("name", Field::kName),
    key("pid", Field::kPid), key("tid", Field::kTid), key("ts", Field::kTime),
    key("dur", Field::kDuration), key("id", Field::kId), key("args", Field::kArgs)});

// K10: `External id` is also written `external id`.
constexpr KeyTable kArgKeys(std::array{
    key("External id", Field::kExternalId),
    key("external id", Field::kExternalId),
    key("Record function id", Field::kRecordFunctionId),
    key("Sequence number", Field::kSequenceNumber),
    key("Fwd thread id", Field::kForwardThread),
    key("correlation", Field::kCorrelation),
    key("device", Field::kDevice),
    key("stream", Field::kStream),
    key("context", Field::kContext),
    key("bytes", Field::kBytes),
    key("graph id", Field::kGraphId),
    key("graph node id", Field::kGraphNodeId),
    key("Concrete Inputs", Field::kConcreteInputs),
    key("Input Dims", Field::kInputDims),
    key("Input type", Field::kInputType),
    key("Input Strides", Field::kInputStrides),
    key("kernel_backend", Field::kKernelBackend),
    key("kernel_file", Field::kKernelFile),
    key("Collective name", Field::kCollective),
    key("dtype", Field::kDtype),
    key("In msg nelems", Field::kInNelems),
    key("Out msg nelems", Field::kOutNelems),
    key("Group size", Field::kGroupSize),
    key("In split size", Field::kInSplit),
    key("Out split size", Field::kOutSplit),
    key("Process Group Name", Field::kGroupName),
    key("Process Group Description", Field::kGroupDescription),
    key("Process Group Ranks", Field::kGroupRanks),
    key("Rank", Field::kRank),
    key("Src Rank", Field::kSrcRank),
    key("Dst Rank", Field::kDstRank),
    key("Seq", Field::kSeq),
    key("Global rank start", Field::kRankStart),
    key("Global rank stride", Field::kRankStride),
    key("cuda_sync_kind", Field::kSyncKind),
    key("wait_on_stream", Field::kWaitOnStream),
    key("wait_on_cuda_event_record_corr_id", Field::kWaitOnRecord),
    key("wait_on_cuda_event_id", Field::kWaitOnEvent),
    key("event_id", Field::kEventId),
    key("event_wait_ids", Field::kEventWaitIds),
    key("name", Field::kArgName),
    key("original_stream", Field::kOriginalStream),
    key("copy kind", Field::kCopyKind),
    key("src kind", Field::kSourceKind),
    key("dst kind", Field::kTargetKind),
    key("memory kind", Field::kMemoryKind),
    key("channel_type", Field::kChannelType),
    key("blocks per SM", Field::kBlocksPerSm),
    key("func", Field::kNcclFunction),
    key("datatype", Field::kNcclType),
    key("count", Field::kNcclCount),
    key("seq", Field::kNcclSeq),
    key("kernel", Field::kLaunchedKernel)});

}  // namespace

Field field_of_argument(std::string_view key) {
  const std::uint8_t slot = kArgKeys.find(key);
  return slot == kNoSlot ? Field::kCount : static_cast<Field>(slot);
}

bool EventFields::keep(std::uint8_t slot, std::string_view token, JsonValue& value) {
  if (token.starts_with("null")) return true;
  if (present_ >> slot & 1) return true;  // what was spread into args stands behind its own (N53)
  const std::string_view whole = whole_token(token, value);
  if (whole.empty() || (whole.front() == '"' && has_bad_escape(whole))) return false;
  set(static_cast<Field>(slot), whole);
  return true;
}

bool EventFields::parse_args(JsonValue& value) {
  JsonObject args;
  if (value.get_object().get(args) != simdjson::SUCCESS) return false;
  return for_each_field(args,
                        [this](std::string_view name, std::string_view token, JsonValue& arg) {
                          const std::uint8_t slot = kArgKeys.find(name);
                          return slot == kNoSlot || keep(slot, token, arg);
                        });
}

bool EventFields::parse(JsonParser& parser, std::string_view event) {
  present_ = 0;
  simdjson::ondemand::document document;
  JsonObject object;
  if (!open_object(parser, event, document, object)) return false;
  return for_each_field(
      object, [this](std::string_view name, std::string_view token, JsonValue& value) {
        const std::uint8_t slot = kEventKeys.find(name);
        if (slot == kNoSlot) return true;
        if (slot == static_cast<std::uint8_t>(Field::kArgs) && token.front() == '{')
          return parse_args(value);
        return keep(slot, token, value);
      });
}

}  // namespace nadi
