#include "nadi/sim_bridge/job/group_json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>

#include "nadi/base/error.h"

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

std::map<std::string, DescribedGroup> parse_process_groups(const std::string& text,
                                                           const std::string& where) {
  std::map<std::string, DescribedGroup> groups;
  const Struct object = parse_object(text, where, "its attribute process_groups ",
                                     "Convert the traces again with nadi convert");
  for (const auto& [name, value] : object.fields()) {
    DescribedGroup group;
    for (const auto& [key, member] : value.struct_value().fields()) {
      if (key == "desc") group.desc = member.string_value();
      if (key == "ranks") group.ranks = ranks_of(member, where, name);
      if (key == "size" && std::abs(member.number_value()) < 1e9)
        group.size = static_cast<std::int64_t>(member.number_value());
    }
    groups[name] = std::move(group);
  }
  return groups;
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

}  // namespace nadi
