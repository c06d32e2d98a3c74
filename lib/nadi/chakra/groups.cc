#include "nadi/chakra/groups.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"

namespace nadi {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

/// The parser's reason, without the text and the mark below it that follow.
std::string reason_of(const google::protobuf::util::Status& status) {
  constexpr std::size_t kMostShown = 80;
  const std::string reason(status.message());
  return reason.substr(0, std::min(reason.find('\n'), kMostShown));
}

Struct parse_object(const std::string& text, const std::string& where, const char* what,
                    const char* remedy) {
  Struct object;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  std::string problem;
  if (begin == std::string::npos)
    problem = "is empty";
  else if (text[begin] != '{')
    problem = "is no JSON object: it begins with '" + text.substr(begin, 1) + "', not '{'";
  else if (const auto status = google::protobuf::util::JsonStringToMessage(text, &object);
           !status.ok())
    problem = "is no valid JSON (" + reason_of(status) + ")";
  if (!problem.empty()) throw Error(ErrorCode::kInput, where, what + problem, remedy);
  return object;
}

/// Ranks as JSON has them; strings and fractions are none.
std::vector<std::int64_t> ranks_of(const Value& value, const std::string& where,
                                   const std::string& group) {
  constexpr double kMost = 1 << 24;
  const auto refuse = [&] {
    throw Error(ErrorCode::kInput, where,
                "the ranks of group \"" + group + "\" are no whole numbers",
                "Give ranks from 0 as numbers: {\"1\": [0, 1]}");
  };
  if (value.kind_case() != Value::kListValue) refuse();
  std::vector<std::int64_t> ranks;
  for (const Value& rank : value.list_value().values()) {
    const double number = rank.number_value();
    if (rank.kind_case() != Value::kNumberValue || number < 0 || number > kMost ||
        number != std::floor(number))
      refuse();
    ranks.push_back(static_cast<std::int64_t>(number));
  }
  return ranks;
}

}  // namespace

DescribedGroups described_groups(const ChakraProtoMsg::GlobalMetadata& metadata,
                                 const std::string& where) {
  DescribedGroups groups;
  const auto* text = find_attribute(metadata, "process_groups");
  if (text == nullptr) return groups;
  const Struct object = parse_object(text->string_val(), where, "its attribute process_groups ",
                                     "Convert the traces again with nadi convert");
  for (const auto& [name, value] : object.fields()) {
    DescribedGroup group;
    for (const auto& [key, member] : value.struct_value().fields()) {
      if (key == "desc") group.desc = member.string_value();
      if (key == "ranks") group.ranks = RankList(ranks_of(member, where, name));
      if (key == "size" && std::abs(member.number_value()) < 1e9)
        group.size = static_cast<std::int64_t>(member.number_value());
    }
    groups[name] = std::move(group);
  }
  return groups;
}

std::shared_ptr<const DescribedGroups> GroupReader::read(
    const ChakraProtoMsg::GlobalMetadata& metadata, const std::string& where) {
  const auto* attribute = find_attribute(metadata, "process_groups");
  const std::string text = attribute == nullptr ? std::string() : attribute->string_val();
  if (last_ && text == last_text_) return last_;
  DescribedGroups groups = described_groups(metadata, where);
  for (auto& [name, group] : groups) group.ranks = *lists_.insert(group.ranks).first;
  last_ = std::make_shared<const DescribedGroups>(std::move(groups));
  last_text_ = text;
  return last_;
}

std::optional<std::int64_t> group_number_of(std::string_view name) {
  const std::size_t blanks = std::min(name.find_first_not_of(" \t\n\v\f\r"), name.size());
  name.remove_prefix(blanks);
  const bool has_plus = name.starts_with('+');
  if (has_plus) name.remove_prefix(1);
  if (has_plus && name.starts_with('-')) return std::nullopt;
  return number_at_front<int>(name);
}

std::map<std::string, std::vector<std::int64_t>> parse_comm_groups(const std::string& text,
                                                                   const std::string& where) {
  std::map<std::string, std::vector<std::int64_t>> groups;
  const Struct object =
      parse_object(text, where, "", "A group file looks like this: {\"1\": [0, 1], \"2\": [2, 3]}");
  for (const auto& [name, value] : object.fields()) groups[name] = ranks_of(value, where, name);
  return groups;
}

std::string comm_groups_json(const std::map<std::int64_t, std::vector<std::int64_t>>& groups) {
  std::string text = "{";
  for (const auto& [number, ranks] : groups) {
    text += (text.size() == 1 ? "\n  \"" : ",\n  \"") + std::to_string(number) + "\": [";
    for (std::size_t i = 0; i < ranks.size(); ++i)
      text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    text += "]";
  }
  return text + (groups.empty() ? "}\n" : "\n}\n");
}

std::optional<std::int64_t> declared_world_size(std::span<const Graph> graphs,
                                                std::span<const std::int64_t> ranks) {
  std::optional<std::int64_t> declared;
  std::size_t by = 0;
  for (std::size_t of = 0; of < graphs.size(); ++of) {
    const auto* attribute = find_attribute(metadata_of(graphs[of]), "world_size");
    if (attribute == nullptr) continue;
    const std::optional<std::int64_t> size = whole_number_of(*attribute);
    if (!size) continue;
    if (declared && *declared != *size)
      throw Error(ErrorCode::kInput, graphs[of].name,
                  "rank " + std::to_string(ranks[of]) + " is of a job of " +
                      count_text(*size, "rank") + ", " + graphs[by].name + " of one of " +
                      std::to_string(*declared),
                  "Pass the graphs or traces of one job");
    declared = size;
    by = of;
  }
  return declared;
}

bool is_of_all_ranks(const DescribedGroup& group, std::int64_t world_size) {
  return group.ranks.empty() && (group.size < 0 || group.size == world_size);
}

RankList all_ranks(std::int64_t world_size) {
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return RankList(std::move(ranks));
}

}  // namespace nadi
