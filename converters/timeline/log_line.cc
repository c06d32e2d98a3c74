#include "nadi/converters/timeline/log_line.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "et_def.pb.h"
#include "nadi/base/number_text.h"

namespace nadi {
namespace {

constexpr std::string_view kIssue = "issue,", kCallback = "callback,";

/// What stands behind a logger's "[…] [….] " brackets.
std::string_view message_of(std::string_view line) {
  while (line.starts_with('[')) {
    const std::size_t close = line.find(']');
    if (close == std::string_view::npos) return line;
    line.remove_prefix(close + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

/// Takes "ANY=NUMBER," from the front.
bool take_number(std::string_view& rest, std::uint64_t& number) {
  const std::size_t equals = rest.find('='), comma = rest.find(',');
  if (comma == std::string_view::npos || equals > comma) return false;
  const auto value =
      number_of_text<std::uint64_t>(trimmed(rest.substr(equals + 1, comma - equals - 1)));
  if (!value) return false;
  number = *value;
  rest.remove_prefix(comma + 1);
  return true;
}

Resource resource_of_type(std::uint64_t type) {
  switch (type) {
    case ChakraProtoMsg::MEM_LOAD_NODE:
    case ChakraProtoMsg::MEM_STORE_NODE:
      return Resource::kRemoteMemory;
    case ChakraProtoMsg::COMM_SEND_NODE:
    case ChakraProtoMsg::COMM_RECV_NODE:
    case ChakraProtoMsg::COMM_COLL_NODE:
      return Resource::kCommunication;
    default:
      return Resource::kCompute;
  }
}

/// Operations of communication as traces and generators spell them, in lower case without "_".
constexpr std::string_view kCommunications[] = {
    "allreduce", "allgather", "alltoall", "reducescatter", "broadcast",
    "barrier",   "nccl",      "rccl",     "commsend",      "commrecv"};

/// "ALL_REDUCE.1" -> "allreduce1".
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

Resource resource_of_name(std::string_view name) {
  const auto says = [name](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  if (says("MEM_LOAD_NODE") || says("MEM_STORE_NODE"))
    return says("LOCAL") ? Resource::kLocalMemory : Resource::kRemoteMemory;
  if (says("COMM_")) return Resource::kCommunication;
  if (says("COMP_NODE")) return Resource::kCompute;  // its layer may be named after anything
  const std::string letters = letters_of(name);
  const bool communicates =
      std::any_of(std::begin(kCommunications), std::end(kCommunications),
                  [&](std::string_view word) { return letters.find(word) != std::string::npos; });
  return communicates ? Resource::kCommunication : Resource::kCompute;
}

}  // namespace

std::string_view to_string(Resource resource) {
  constexpr std::string_view kNames[] = {"local memory", "remote memory", "compute",
                                         "communication"};
  return kNames[static_cast<std::size_t>(resource)];
}

std::optional<LogLine> parse_log_line(std::string_view line) {
  std::string_view rest = message_of(line);
  LogLine parsed;
  parsed.is_issue = rest.starts_with(kIssue);
  if (!parsed.is_issue && !rest.starts_with(kCallback)) return std::nullopt;
  rest.remove_prefix(parsed.is_issue ? kIssue.size() : kCallback.size());
  if (!take_number(rest, parsed.npu) || !take_number(rest, parsed.tick) ||
      !take_number(rest, parsed.node))
    return std::nullopt;
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(equals + 1);
  constexpr std::string_view kType = "node->type=";
  const std::size_t type_at = rest.rfind(kType);
  std::optional<std::uint64_t> type;
  if (type_at != std::string_view::npos)
    type = number_of_text<std::uint64_t>(trimmed(rest.substr(type_at + kType.size())));
  if (type) {
    parsed.name = trimmed(rest.substr(0, type_at));
    if (parsed.name.ends_with(',')) parsed.name.remove_suffix(1);
    parsed.resource = resource_of_type(*type);
  } else {
    parsed.name = trimmed(rest);
    parsed.resource = resource_of_name(parsed.name);
  }
  return parsed;
}

bool is_broken_log_line(std::string_view line) {
  const std::string_view message = message_of(line);
  return (message.starts_with(kIssue) || message.starts_with(kCallback)) && !parse_log_line(line);
}

}  // namespace nadi
