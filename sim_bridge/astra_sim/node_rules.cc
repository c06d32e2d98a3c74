#include "nadi/sim_bridge/astra_sim/node_rules.h"

#include <algorithm>
#include <optional>

#include "nadi/base/utf8.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/chakra/groups.h"
#include "nadi/chakra/wire_node.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

/// A group that no file holds.
constexpr std::int64_t kNoGroup = -1;

/// A name as far as messages show it.
std::string_view shown_name(std::string_view name) {
  constexpr std::size_t kLongestName = 80;
  return whole_prefix(name, kLongestName);
}

class NodeCheck {
 public:
  NodeCheck(const Node& node, const NodeContext& context, CheckFindingList& findings)
      : node_(node), context_(context), findings_(findings) {}

  void run(IssueRank& of_rank) {
    IssueCommunication communication;
    communication.src = communication.dst = context_.rank;
    const bool is_host = number("is_cpu_op").value_or(0) != 0;
    check_by_type(is_host, communication);
    if (context_.options->tracks_local_memory && !node_.has_inputs()) add(kLocalMemoryTracked);
    const bool communicates = node_.type() >= COMM_SEND_NODE && node_.type() <= COMM_COLL_NODE;
    if (communicates && is_host) add(kCommOnHostInJob);
    Graph& graph = of_rank.graph;
    graph.kind.push_back(is_host ? NodeKind::kHostOther : NodeKind::kDeviceRow);
    graph.communication.push_back(
        communicates ? static_cast<std::uint32_t>(graph.communications.size()) : kNoIndex);
    if (!communicates) return;
    graph.communications.push_back(communication);
    of_rank.group_numbers.push_back(communication.group_number);
  }

 private:
  using enum CheckRule;

  void check_by_type(bool is_host, IssueCommunication& communication) {
    switch (node_.type()) {
      case COMP_NODE:
        check_compute(is_host);
        break;
      case MEM_LOAD_NODE:
      case MEM_STORE_NODE:
        if (number("tensor_size").value_or(0) <= 0) add(kMemoryWithoutSize);
        if (!context_.options->has_remote_memory.value_or(true)) add(kRemoteMemoryMissing);
        break;
      case COMM_COLL_NODE:
        check_collective(communication);
        break;
      case COMM_SEND_NODE:
      case COMM_RECV_NODE:
        check_message(communication);
        break;
      case METADATA_NODE:
        add(kTypeMetadataInJob);
        break;
      case INVALID_NODE:
        add(kTypeInvalidInJob);
        break;
      default:
        add(kTypeUnknownInJob);
    }
  }

  void add(CheckRule rule, const std::string& what = {}) {
    findings_.add(rule, "rank " + std::to_string(context_.rank) + ": node " +
                            std::to_string(node_.id()) + " (" +
                            std::string(shown_name(node_.name())) + ")" +
                            (what.empty() ? "" : ": " + what));
  }

  std::optional<std::int64_t> number(const char* name) {
    const AttributeProto* attribute = find_attribute(node_, name);
    if (attribute == nullptr) return std::nullopt;
    const auto value = whole_number_of(*attribute);
    if (!value) add(kAttributeTypeInJob, std::string(name) + " is no whole number");
    return value;
  }

  std::int64_t require(const char* name, std::int64_t otherwise) {
    const auto value = number(name);
    if (!value && find_attribute(node_, name) == nullptr) add(kAttributeMissingInJob, name);
    return value.value_or(otherwise);
  }

  void check_compute(bool is_host) {
    if (is_host) return;
    const bool has_start_ns = find_attribute(node_, "start_ns") != nullptr;
    if (is_delay(node_.name(), number("is_delay"), has_start_ns)) add(kDeviceDelay);
    const auto operations = number("num_ops"), size = number("tensor_size");
    if (!operations || size.value_or(0) <= 0)
      add(kRooflineUnknown);
    else if (*operations <= 0)
      add(kRooflineNoOps);
  }

  void check_collective(IssueCommunication& c) {
    c.type = require("comm_type", ALL_REDUCE);
    c.bytes = require("comm_size", 1);
    if (find_attribute(node_, "involved_dim") != nullptr) add(kInvolvedDim);
    if (c.type == BROADCAST)
      add(kBroadcastReplayed);
    else if (c.type != ALL_REDUCE && c.type != ALL_GATHER && c.type != ALL_TO_ALL &&
             c.type != REDUCE_SCATTER)
      add(kCommTypeNotSimulatedInJob, collective_name(c.type));
    c.group_number = check_group();
    check_size(c);
  }

  void check_size(const IssueCommunication& c) {
    const std::string bytes = std::to_string(c.bytes) + " bytes, ";
    const std::int64_t splits = context_.options->dataset_splits;
    const std::int64_t members = members_of(c.group_number);
    if (c.type == ALL_GATHER && c.bytes < splits)
      add(kAllGatherTooSmall, bytes + std::to_string(splits) + " splits");
    else if (c.bytes <= 0)
      add(kSizeZero);
    else if (const auto& network = context_.options->network;
             c.type == ALL_REDUCE && network &&
             c.bytes < least_bytes(c.type, members, network->network, network->system))
      add(kAllReduceTooSmall,
          bytes + std::to_string(members) + " members, " + std::to_string(splits) + " splits");
  }

  /// Of a group that the group file holds, or of all ranks; else 0.
  std::int64_t members_of(std::int64_t group_number) const {
    if (group_number == 0) return context_.ranks;
    const auto group = context_.groups->find(group_number);
    return group == context_.groups->end() ? 0 : std::ssize(group->second);
  }

  /// The group's number; 0 = all ranks.
  std::int64_t check_group() {
    const AttributeProto* attribute = find_attribute(node_, "pg_name");
    if (attribute == nullptr) return 0;
    if (attribute->value_case() != AttributeProto::kStringVal) {
      add(kAttributeTypeInJob, "pg_name is no text");
      return 0;
    }
    const std::string name(shown_name(attribute->string_val()));
    if (name.empty() || name == "0") return 0;
    const auto number = group_number_of(attribute->string_val());
    if (!number) {
      add(kGroupNotDecimal, "pg_name \"" + name + "\"");
      return 0;
    }
    return check_group(name, *number);
  }

  std::int64_t check_group(const std::string& name, std::int64_t number) {
    if (number > kMostGroups) add(kGroupNumber, "pg_name " + name);
    const auto group = context_.groups->find(number);
    if (group == context_.groups->end()) {
      add(kGroupUnknown, "pg_name " + name);
      return number == 0 ? kNoGroup : number;  // "00" is not "0"
    }
    if (group->second.size() < 2) add(kGroupOfOne, "pg_name " + name);
    if (!std::binary_search(group->second.begin(), group->second.end(), context_.rank))
      add(kGroupNotMember, "pg_name " + name);
    return number;
  }

  void check_message(IssueCommunication& c) {
    const bool is_send = node_.type() == COMM_SEND_NODE;
    const std::int64_t peer = require(is_send ? "comm_dst" : "comm_src", -1);
    const std::int64_t own = number(is_send ? "comm_src" : "comm_dst").value_or(context_.rank);
    c.tag = require("comm_tag", 0);
    c.bytes = require("comm_size", 1);
    c.src = is_send ? own : peer;
    c.dst = is_send ? peer : own;
    if (own != context_.rank) add(kOwnRankWrong, "rank " + std::to_string(own));
    if (peer < 0 || peer >= context_.ranks)
      add(kRankMissing, "exchanges a message with rank " + std::to_string(peer));
    if (c.tag < 0 || c.tag >= kTagLimit) add(kTagTooLarge, "tag " + std::to_string(c.tag));
    if (c.bytes <= 0) add(kSizeZero);
  }

  const Node& node_;
  const NodeContext& context_;
  CheckFindingList& findings_;
};

}  // namespace

void check_node(const Node& node, const NodeContext& context, IssueRank& of_rank,
                CheckFindingList& findings) {
  constexpr std::uint64_t kMostMicros = 1'000'000'000'000;  // 11 days
  Graph& graph = of_rank.graph;
  graph.id.push_back(node.id());
  graph.node_name.push_back(graph.strings.intern(shown_name(node.name())));
  graph.type.push_back(node_type_of(static_cast<std::uint64_t>(node.type())));
  graph.duration_ns.push_back(static_cast<Ns>(std::min(node.duration_micros(), kMostMicros)) *
                              1000);
  NodeCheck(node, context, findings).run(of_rank);
}

}  // namespace nadi::astra_sim
