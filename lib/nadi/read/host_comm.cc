#include "nadi/read/host_comm.h"

#include <algorithm>
#include <vector>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

using Elements = std::vector<std::string_view>;

bool is_list(std::string_view token) { return token.starts_with('['); }
bool is_string(std::string_view token) { return token.starts_with('"'); }

constexpr std::string_view kTensor = "Tensor(";

/// Bytes of the tensor [id, storage, offset, num_elem, elem_bytes(, device)] (H3); -1 = not
/// recorded.
std::int64_t one_tensor_bytes(std::string_view tensor) {
  const Elements parts = elements_of(tensor);
  if (parts.size() < 5) return -1;
  const auto count = integer_of(parts[3]), size = integer_of(parts[4]);
  std::int64_t bytes = 0;
  if (!count || !size || *count < 0 || *size < 0 || __builtin_mul_overflow(*count, *size, &bytes))
    return -1;
  return bytes;
}

/// Adds bytes that are known to a sum of which -1 says that nothing was added yet.
void add_bytes(std::int64_t bytes, std::int64_t& sum) {
  std::int64_t more = 0;
  if (bytes >= 0 && !__builtin_add_overflow(std::max<std::int64_t>(sum, 0), bytes, &more))
    sum = more;
}

/// Bytes of all tensors among the values, also of those in lists. Only the type beside a value
/// says what it is: "Tensor(float)", "GenericList[Tensor(float),Int]" (H9). -1 = there are none.
std::int64_t tensor_bytes(std::string_view values, std::string_view types) {
  struct List {
    std::string_view values, types;
    int depth;
  };
  constexpr int kDeepest = 16;  // a list is read again for each list around it
  std::int64_t sum = -1;
  for (std::vector<List> open = {{values, types, 0}}; !open.empty();) {
    const List list = open.back();
    open.pop_back();
    const Elements value = elements_of(list.values), type = elements_of(list.types);
    for (std::size_t i = 0; i < std::min(value.size(), type.size()); ++i) {
      const std::string_view name = unquoted(type[i]);
      const std::size_t bracket = name.find('[');
      if (name.starts_with(kTensor))
        add_bytes(one_tensor_bytes(value[i]), sum);
      else if (bracket != std::string_view::npos && list.depth < kDeepest)
        open.push_back({value[i], name.substr(bracket), list.depth + 1});
    }
  }
  return sum;
}

/// "GenericList[Tensor(float)]" -> "float".
std::string_view tensor_dtype(std::string_view types) {
  const std::size_t at = types.find(kTensor);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = types.substr(at + kTensor.size());
  return rest.substr(0, rest.find(')'));
}

/// The positional inputs of record_param_comms, told apart by the collective's name, which is the
/// last string: … seq, group, rank, NAME, in_split, out_split(, start, stride)(, group size).
/// Order: torch/csrc/distributed/c10d/ParamCommsUtils.hpp (RECORD_PARAM_COMMS), all versions.
class PositionalInputs {
 public:
  explicit PositionalInputs(std::string_view values) : values_(elements_of(values)) {
    const auto last = std::find_if(values_.rbegin(), values_.rend(), is_string);
    if (last != values_.rend()) name_ = static_cast<std::size_t>(values_.rend() - last) - 1;
  }

  bool is_known() const { return name_ != std::string_view::npos && name_ >= 3; }
  /// `places` before (negative) or behind the name; empty = there is none.
  std::string_view at(std::ptrdiff_t places) const {
    const std::size_t position = name_ + static_cast<std::size_t>(places);
    return position < values_.size() ? values_[position] : std::string_view{};
  }
  std::size_t behind() const { return values_.size() - name_ - 1; }

 private:
  Elements values_;
  std::size_t name_ = std::string_view::npos;
};

void take_group(std::string_view group, CommRecord& record, StringTable& strings,
                std::string& scratch) {
  const Elements pair = elements_of(group);
  if (!pair.empty()) record.pg_name = strings.intern(text_of(pair[0], scratch));
  if (pair.size() > 1) record.pg_desc = strings.intern(text_of(pair[1], scratch));
  // The oldest traces give the address of the backend; "wait" gives 0.
  if (!is_list(group) && group != "0") record.pg_name = strings.intern(text_of(group, scratch));
}

void take_sequence(std::string_view sequence, CommRecord& record) {
  const Elements pair = elements_of(sequence);
  record.seq = integer_of(pair.empty() ? sequence : pair[0]).value_or(-1);
  if (pair.size() > 1) record.is_p2p = pair[1] == "true" || pair[1] == "1";
}

void take_positional(std::string_view values, CommRecord& record, StringTable& strings,
                     std::string& scratch) {
  const PositionalInputs inputs(values);
  if (!inputs.is_known()) return;
  record.collective = strings.intern(text_of(inputs.at(0), scratch));
  record.peer_rank = integer_of(inputs.at(-1)).value_or(-1);
  take_group(inputs.at(-2), record, strings, scratch);
  take_sequence(inputs.at(-3), record);
  record.in_split = strings.intern(inputs.at(1));
  record.out_split = strings.intern(inputs.at(2));
  const bool has_ranks = inputs.behind() >= 5;
  if (has_ranks) {
    record.rank_start = integer_of(inputs.at(3)).value_or(-1);
    record.rank_stride = integer_of(inputs.at(4)).value_or(-1);
  }
  record.group_size = integer_of(inputs.at(has_ranks ? 5 : 3)).value_or(-1);
}

void take_attributes(const NodeFields& node, CommRecord& record, StringTable& strings,
                     std::string& scratch) {
  const auto text = [&](NodeField field, StringId& target) {
    const std::string_view value = text_of(node.token(field), scratch);
    if (!value.empty()) target = strings.intern(value);
  };
  const auto number = [&](NodeField field, std::int64_t& target) {
    if (const auto value = integer_of(node.token(field))) target = *value;
  };
  text(NodeField::kCollective, record.collective);
  text(NodeField::kDtype, record.dtype);
  for (const auto& [field, member] : {std::pair(NodeField::kInSplit, &CommRecord::in_split),
                                      std::pair(NodeField::kOutSplit, &CommRecord::out_split)})
    if (record.*member == StringId::kEmpty ||
        !is_cut_list(text_of(node.token(field), scratch)))  // the position has the whole list
      text(field, record.*member);
  text(NodeField::kGroupName, record.pg_name);
  text(NodeField::kGroupDescription, record.pg_desc);
  number(NodeField::kInNelems, record.in_nelems);
  number(NodeField::kOutNelems, record.out_nelems);
  number(NodeField::kRankStart, record.rank_start);
  number(NodeField::kRankStride, record.rank_stride);
  number(NodeField::kGroupSize, record.group_size);
}

}  // namespace

std::optional<CommRecord> read_host_comm(const NodeFields& node, StringTable& strings,
                                         std::string& scratch) {
  const bool is_recorder = unquoted(node.token(NodeField::kName)) == "record_param_comms";
  if (!is_recorder && !node.has(NodeField::kCollective)) return std::nullopt;
  CommRecord record;
  if (is_recorder) take_positional(node.token(NodeField::kInputValues), record, strings, scratch);
  take_attributes(node, record, strings, scratch);
  record.input_bytes =
      tensor_bytes(node.token(NodeField::kInputValues), node.token(NodeField::kInputTypes));
  record.output_bytes =
      tensor_bytes(node.token(NodeField::kOutputValues), node.token(NodeField::kOutputTypes));
  if (record.dtype == StringId::kEmpty)
    record.dtype = strings.intern(tensor_dtype(node.token(NodeField::kInputTypes)));
  if (record.dtype == StringId::kEmpty)
    record.dtype = strings.intern(tensor_dtype(node.token(NodeField::kOutputTypes)));
  const std::string_view name = strings[record.collective];
  record.is_p2p = record.is_p2p || name == "send" || name == "recv";
  return record;
}

}  // namespace nadi
