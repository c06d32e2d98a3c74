#include "nadi/chakra/node_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "nadi/base/time.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/groups.h"
#include "nadi/chakra/number_attributes.h"

namespace nadi {
namespace {

using ChakraProtoMsg::AttributeProto;
using ChakraNode = ChakraProtoMsg::Node;

// By attribute that simulators read: the member that every reader accepts.
std::optional<int> member_wanted(std::string_view attribute) {
  if (attribute == "pg_name") return AttributeProto::kStringVal;
  if (attribute == "involved_dim") return AttributeProto::kBoolList;
  for (const NumberAttributeRow& row : kNumberAttributes)
    if (row.is_simulators && row.name == attribute) return static_cast<int>(row.member);
  return std::nullopt;
}

void check_member(const ChakraNode& node, const AttributeProto& attribute,
                  CheckFindingList& findings) {
  const std::optional<int> wanted = member_wanted(attribute.name());
  if (!wanted || attribute.value_case() == *wanted) return;
  const bool is_number =
      *wanted != AttributeProto::kStringVal && *wanted != AttributeProto::kBoolList;
  const bool converts = is_number && whole_number_of(attribute).has_value();
  const std::string place = name_of(node) + ": " + attribute.name() + " should be " +
                            AttributeProto::descriptor()->FindFieldByNumber(*wanted)->name();
  if (converts) {
    findings.add(CheckRule::kAttributeMember, place);
  } else {
    findings.add(CheckRule::kAttributeType, place);
  }
}

// Protobuf keeps such a field as an unknown one.
void check_field_types(const ChakraNode& node, CheckFindingList& findings) {
  const auto& unknown = node.GetReflection()->GetUnknownFields(node);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() <= ChakraNode::kAttrFieldNumber)
      findings.add(CheckRule::kFieldType,
                   name_of(node) + ": field " + std::to_string(unknown.field(i).number()));
}

/// ns; starts may count from 1970.
constexpr double kLatestStart = 4 * kLongestSum;

double nanoseconds(const ChakraNode& node, std::string_view attribute, std::uint64_t micros) {
  const AttributeProto* exact = find_attribute(node, attribute);
  const auto number = exact == nullptr ? std::nullopt : whole_number_of(*exact);
  return number ? static_cast<double>(*number) : static_cast<double>(micros) * kNsPerMicro;
}

void require(const ChakraNode& node, std::string_view attribute, CheckFindingList& findings) {
  if (find_attribute(node, attribute) != nullptr) return;
  findings.add(CheckRule::kAttributeMissing, name_of(node) + ": no " + std::string(attribute));
}

void require_size(const ChakraNode& node, CheckFindingList& findings) {
  require(node, "comm_size", findings);
  if (find_attribute(node, "comm_size") == nullptr || number_of(node, "comm_size", 0) > 0) return;
  findings.add(CheckRule::kCommSizeZero, name_of(node));
}

void check_collective(const ChakraNode& node, CheckFindingList& findings) {
  require(node, "comm_type", findings);
  const std::int64_t type = number_of(node, "comm_type", ChakraProtoMsg::ALL_REDUCE);
  if (type < 0 || type > ChakraProtoMsg::BARRIER) {
    findings.add(CheckRule::kCommTypeUnknown,
                 name_of(node) + ": comm_type " + std::to_string(type));
    return;
  }
  const bool is_simulated =
      type == ChakraProtoMsg::ALL_REDUCE || type == ChakraProtoMsg::ALL_GATHER ||
      type == ChakraProtoMsg::ALL_TO_ALL || type == ChakraProtoMsg::REDUCE_SCATTER ||
      type == ChakraProtoMsg::BROADCAST;
  if (!is_simulated)
    findings.add(
        CheckRule::kCommTypeNotSimulated,
        name_of(node) + ": " + ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type)));
  if (type == ChakraProtoMsg::BARRIER) {
    require(node, "comm_size", findings);
  } else {
    require_size(node, findings);
  }
}

void check_group(const ChakraNode& node, CheckFindingList& findings) {
  const std::string_view group = text_of(node, "pg_name");
  if (!group.empty() && !group_number_of(group))
    findings.add(CheckRule::kPgNameNotDecimal, name_of(node) + ": pg_name " + std::string(group));
}

void check_communication(const ChakraNode& node, CheckFindingList& findings) {
  if (node.type() == ChakraProtoMsg::COMM_COLL_NODE) {
    check_collective(node, findings);
  } else {
    require(node, node.type() == ChakraProtoMsg::COMM_SEND_NODE ? "comm_dst" : "comm_src",
            findings);
    require(node, "comm_tag", findings);
    require_size(node, findings);
  }
  check_group(node, findings);
  if (number_of(node, "is_cpu_op", 0) != 0) findings.add(CheckRule::kCommOnHost, name_of(node));
}

}  // namespace

std::string name_of(const ChakraNode& node) {
  constexpr std::size_t kMostShown = 80;
  const std::string_view shown = whole_prefix(node.name(), kMostShown);
  const std::string name =
      shown.size() < node.name().size() ? repair_utf8(shown) + "…" : node.name();
  return "node " + std::to_string(node.id()) + " (" + name + ")";
}

void check_times(const ChakraNode& node, double& sum_ns, CheckFindingList& findings) {
  const double start = nanoseconds(node, "start_ns", node.start_time_micros());
  sum_ns += std::max(0.0, nanoseconds(node, "duration_ns", node.duration_micros()));
  if (std::abs(start) > kLatestStart || sum_ns > kLongestSum)
    findings.add(CheckRule::kTimesTooLong, name_of(node));
}

void check_node(const ChakraNode& node, CheckFindingList& findings) {
  check_field_types(node, findings);
  for (const AttributeProto& attribute : node.attr()) check_member(node, attribute, findings);
  switch (node.type()) {
    case ChakraProtoMsg::COMP_NODE:
      return;
    case ChakraProtoMsg::COMM_COLL_NODE:
    case ChakraProtoMsg::COMM_SEND_NODE:
    case ChakraProtoMsg::COMM_RECV_NODE:
      return check_communication(node, findings);
    case ChakraProtoMsg::MEM_LOAD_NODE:
    case ChakraProtoMsg::MEM_STORE_NODE:
      return require(node, "tensor_size", findings);
    case ChakraProtoMsg::METADATA_NODE:
      return findings.add(CheckRule::kTypeMetadata, name_of(node));
    case ChakraProtoMsg::INVALID_NODE:
      return findings.add(CheckRule::kTypeInvalid, name_of(node));
    default:
      return findings.add(CheckRule::kTypeUnknown,
                          name_of(node) + ": type " + std::to_string(node.type()));
  }
}

}  // namespace nadi
