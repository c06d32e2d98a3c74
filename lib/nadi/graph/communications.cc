#include "nadi/graph/communications.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/dtype.h"
#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"
#include "nadi/model/communication_kernels.h"

namespace nadi {
namespace {

using NameRow = std::pair<std::string_view, CommKind>;

/// Lower case, letters and digits only, so that all_to_all, AllToAll and alltoall are one word.
std::string plain(std::string_view name) {
  std::string result;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// First prefix that fits wins, so longer words stand before the words they begin with.
constexpr std::array kWords = {
    NameRow{"allreduce", CommKind::kAllReduce}, NameRow{"allgather", CommKind::kAllGather},
    NameRow{"alltoall", CommKind::kAllToAll},   NameRow{"reducescatter", CommKind::kReduceScatter},
    NameRow{"reduce", CommKind::kReduce},       NameRow{"gather", CommKind::kGather},
    NameRow{"scatter", CommKind::kScatter},     NameRow{"broadcast", CommKind::kBroadcast},
    NameRow{"bcast", CommKind::kBroadcast},     NameRow{"barrier", CommKind::kBarrier},
    NameRow{"send", CommKind::kSend},           NameRow{"recv", CommKind::kRecv},
};

CommKind kind_of_word(std::string_view word) {
  for (const auto& [prefix, kind] : kWords)
    if (word.starts_with(prefix)) return kind;
  return CommKind::kNone;
}

}  // namespace

CommKind comm_kind_of_operation(std::string_view recorded) { return kind_of_word(plain(recorded)); }

CommKind comm_kind_of_kernel(std::string_view kernel) {
  // nccl[Dev]Kernel_AllReduce_…, mscclKernel_…, HcclAllReduce…: the word after the library's own.
  const std::string_view name = kernel.substr(0, kernel.find('('));
  if (const std::size_t bar = name.find('_'); bar != std::string_view::npos) {
    const std::string word = plain(name.substr(bar + 1));
    return word.starts_with("sendrecv") ? CommKind::kNone : kind_of_word(word);
  }
  for (std::string_view prefix : {"hccl", "Hccl", "rccl", "nccl"})
    if (name.starts_with(prefix)) return kind_of_word(plain(name.substr(prefix.size())));
  return CommKind::kNone;
}

namespace {

/// a x b, both at least 0; a product that no message has is unknown (-1).
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? -1 : result;
}

/// By the elements, else by the tensors; -1 = not known.
std::int64_t known_bytes(std::int64_t elements, std::int64_t element_bytes, std::int64_t tensors) {
  return elements >= 0 && element_bytes > 0 ? product(elements, element_bytes) : tensors;
}

/// Bytes as simulators define them per type: the full buffer, for an all-gather the shard of one
/// rank, for a reduce-scatter the full input.
std::int64_t message_bytes(CommKind kind, const CommRecord& record, std::string_view dtype) {
  const std::int64_t element = dtype_bytes(dtype);
  const std::int64_t in = known_bytes(record.in_nelems, element, record.input_bytes);
  const std::int64_t out = known_bytes(record.out_nelems, element, record.output_bytes);
  const std::int64_t size = std::max<std::int64_t>(record.group_size, 1);
  switch (kind) {
    case CommKind::kAllGather:
      return in >= 0 ? in : out >= 0 ? out / size : 0;
    case CommKind::kReduceScatter:
    case CommKind::kReduceScatterBlock:
      return in >= 0 ? in : out >= 0 ? std::max<std::int64_t>(product(out, size), 0) : 0;
    case CommKind::kRecv:
    case CommKind::kScatter:
      return out > 0 ? out : std::max<std::int64_t>(in, 0);
    case CommKind::kBroadcast:
      return std::max<std::int64_t>({in, out, 0});
    default:
      return in > 0 ? in : std::max<std::int64_t>(out, 0);
  }
}

/// What a rank puts into an all-to-all, and how it shares that out.
struct AllToAllInput {
  std::vector<std::int64_t> splits;  ///< by member: elements, or rows of so many elements
  std::size_t own = 0;               ///< the rank's position among the members: its part stays
  std::int64_t elements = -1;        ///< of the whole input; -1 = not recorded
  std::int64_t element_bytes = 0;    ///< 0 = not known
  std::int64_t bytes = -1;           ///< of the whole input; -1 = not known
};

/// Elements or bytes beyond this are none that a machine holds.
constexpr std::int64_t kMostHeld = 1LL << 55;

/// Bytes of what one of a split's numbers counts: a row of the input where its size is a multiple
/// of all rows, else an element; 0 = not known.
std::int64_t unit_bytes(const AllToAllInput& input, std::int64_t sum) {
  const bool has_rows =
      input.elements >= 0 ? input.elements % sum == 0 : input.bytes >= 0 && input.bytes % sum == 0;
  if (has_rows && input.bytes >= 0) return input.bytes / sum;
  return input.element_bytes;
}

/// The bytes that leave the rank: all parts but its own. Even splits are as no splits: the whole
/// input. 0 where nothing leaves it; -1 where the size of a split is not known.
std::int64_t all_to_all_bytes(const AllToAllInput& input) {
  std::int64_t sum = 0;
  for (const std::int64_t split : input.splits)
    sum = std::min(sum + std::min(split, kMostHeld), kMostHeld);
  if (sum == 0 || input.splits.size() < 2) return 0;
  const std::int64_t unit = unit_bytes(input, sum);
  if (unit <= 0 || sum >= kMostHeld / unit) return -1;
  const bool are_even = std::adjacent_find(input.splits.begin(), input.splits.end(),
                                           std::not_equal_to<>()) == input.splits.end();
  return (are_even ? sum : sum - input.splits[input.own]) * unit;
}

}  // namespace

Communication CommunicationMaker::make(const CommRecord& record, std::string_view kernel) {
  Communication communication;
  const std::string_view recorded = linked_.strings[record.collective];
  communication.kind = comm_kind_of_operation(recorded);
  const bool is_unrecorded =
      recorded.empty() && comm_kernel_of(kernel) == CommKernelOrigin::kUnrecorded;
  if (communication.kind == CommKind::kNone && !is_unrecorded)
    communication.kind = comm_kind_of_kernel(kernel);
  if (communication.kind == CommKind::kNone) {
    if (!is_unrecorded)
      diagnostics_.report(Finding::kUnknownCollective, recorded.empty() ? kernel : recorded);
    return communication;
  }
  communication.bytes = message_bytes(communication.kind, record, linked_.strings[record.dtype]);
  if (communication.kind == CommKind::kAllToAll)
    communication.bytes = bytes_by_splits(record).value_or(communication.bytes);
  communication.group = record.pg_name;
  communication.dtype = record.dtype;
  communication.seq = record.seq;
  if (communication.bytes == 0 && (record.in_nelems > 0 || record.out_nelems > 0))
    diagnostics_.report(Finding::kUnknownDtype, linked_.strings[record.dtype]);
  const bool has_peer =
      communication.kind == CommKind::kSend || communication.kind == CommKind::kRecv;
  if (has_peer && !set_peers(communication, record)) communication.kind = CommKind::kNone;
  report_size(communication, kernel);
  return communication;
}

std::optional<std::int64_t> CommunicationMaker::bytes_by_splits(const CommRecord& record) {
  constexpr std::size_t kLongest = 60;
  const std::string_view list = linked_.strings[record.in_split];
  if (list.empty() || list == "[]") return std::nullopt;
  const auto unknown = [&](std::string_view why) {
    diagnostics_.report(Finding::kSplitsUnknown,
                        [&] { return fmt::format("{}: {}", why, whole_prefix(list, kLongest)); });
    return std::nullopt;
  };
  auto splits = numbers_of_list(list);
  if (!splits) return unknown("the list is cut, or holds no numbers");
  const std::int64_t own = position_in_group(record);
  if (own < 0 || own >= std::ssize(*splits))
    return unknown("the rank's position in its group is not recorded, or not in the list");
  const std::int64_t element = dtype_bytes(linked_.strings[record.dtype]);
  const std::int64_t bytes =
      all_to_all_bytes({std::move(*splits), static_cast<std::size_t>(own), record.in_nelems,
                        element, known_bytes(record.in_nelems, element, record.input_bytes)});
  // Simulators never finish a collective of no bytes: one that sends nothing counts what it gets.
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::int64_t CommunicationMaker::position_in_group(const CommRecord& record) const {
  if (record.peer_rank >= 0) return record.peer_rank;  // of a collective without a root: its own
  if (const auto known = group_of_name_.find(linked_.strings[record.pg_name]);
      known != group_of_name_.end() && !known->second->ranks.empty()) {
    const auto& ranks = known->second->ranks;
    const auto own = std::find(ranks.begin(), ranks.end(), linked_.rank);
    return own == ranks.end() ? -1 : own - ranks.begin();
  }
  const std::int64_t beyond_first = linked_.rank - record.rank_start;
  if (record.rank_start < 0 || record.rank_stride <= 0 || beyond_first < 0 ||
      beyond_first % record.rank_stride != 0)
    return -1;
  return beyond_first / record.rank_stride;
}

void CommunicationMaker::report_size(const Communication& communication, std::string_view kernel) {
  constexpr std::size_t kLongest = 60;
  const bool moves_data =
      communication.kind != CommKind::kNone && communication.kind != CommKind::kBarrier;
  if (communication.bytes != 0 || !moves_data) return;
  diagnostics_.report(Finding::kCommSizeZero, [&] {
    return fmt::format("{} ({})", to_string(communication.kind), whole_prefix(kernel, kLongest));
  });
}

bool CommunicationMaker::set_peers(Communication& communication, const CommRecord& record) {
  const bool sends = communication.kind == CommKind::kSend;
  const std::int64_t recorded = sends ? record.dst_rank : record.src_rank;
  const std::int64_t peer = recorded >= 0 ? recorded : global_rank(record, record.peer_rank);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // as graphs keep them
  if (peer < 0 || peer > kMost || linked_.rank > kMost) {
    diagnostics_.report(Finding::kPeerUnknown, to_string(communication.kind));
    return false;
  }
  communication.src = sends ? linked_.rank : peer;
  communication.dst = sends ? peer : linked_.rank;
  communication.tag = messages_[{communication.group, communication.src, communication.dst}]++;
  return true;
}

std::int64_t CommunicationMaker::global_rank(const CommRecord& record,
                                             std::int64_t rank_in_group) const {
  if (rank_in_group < 0) return -1;
  if (const auto known = group_of_name_.find(linked_.strings[record.pg_name]);
      known != group_of_name_.end())
    if (const std::vector<std::int64_t>& ranks = known->second->ranks;
        rank_in_group < std::ssize(ranks))
      return ranks[static_cast<std::size_t>(rank_in_group)];
  constexpr std::int64_t kMostRanks = 1 << 30;
  if (record.rank_start >= 0 && record.rank_stride >= 0 && rank_in_group <= kMostRanks &&
      record.rank_start <= kMostRanks && record.rank_stride <= kMostRanks)
    return record.rank_start + rank_in_group * record.rank_stride;
  return rank_in_group;  // `ranks: []` = all ranks (H8), and a group that nothing describes
}

}  // namespace nadi
