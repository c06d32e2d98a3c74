#include "nadi/sim_bridge/astra_sim/rank_files.h"

#include <google/protobuf/stubs/logging.h>

#include <map>
#include <set>

#include "et_def.pb.h"
#include "nadi/base/error.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/message_stream.h"
#include "nadi/chakra/rank_name.h"

namespace nadi::astra_sim {
namespace {

constexpr std::int64_t kMostRanks = 1 << 16;

/// The attribute `rank` of the file's metadata; -1 = not told. What else is wrong is found later.
std::int64_t rank_in_metadata(const std::string& file) {
  const google::protobuf::LogSilencer silence;
  ChakraProtoMsg::GlobalMetadata metadata;
  try {
    MessageStream stream(file);
    std::string_view message;
    if (!stream.next(message) ||
        !metadata.ParseFromArray(message.data(), static_cast<int>(message.size())))
      return -1;
  } catch (const Error&) {
    return -1;
  }
  const auto* attribute = find_attribute(metadata, "rank");
  const auto rank = attribute == nullptr ? std::nullopt : whole_number_of(*attribute);
  return rank && *rank >= 0 && *rank < kMostRanks ? *rank : -1;
}

void find_holes(const std::map<std::int64_t, std::string>& by_rank, RuleFindings& findings) {
  std::int64_t next = 0;
  for (const auto& [rank, path] : by_rank) {
    for (; next < rank; ++next) findings.add("rank-missing", "rank " + std::to_string(next));
    ++next;
  }
}

}  // namespace

std::vector<RankFile> find_rank_files(const std::vector<std::string>& files,
                                      RuleFindings& findings) {
  std::map<std::int64_t, std::string> by_rank;
  std::set<std::string_view> prefixes;
  std::vector<std::string> unnamed;
  for (const std::string& file : files) {
    const std::optional<RankName> name = parse_rank_name(file);
    const bool is_believed = name && name->rank < kMostRanks;
    if (is_believed) prefixes.insert(name->prefix);
    if (is_believed && by_rank.try_emplace(name->rank, file).second) continue;
    findings.add("file-name", file);
    unnamed.push_back(file);
  }
  if (prefixes.size() > 1)
    findings.add("file-name", "two prefixes: " + std::string(*prefixes.rbegin()));
  std::vector<std::string> unknown;
  for (const std::string& file : unnamed) {
    const std::int64_t rank = file == "-" ? -1 : rank_in_metadata(file);
    if (rank < 0 || !by_rank.try_emplace(rank, file).second) unknown.push_back(file);
  }
  std::int64_t next = 0;
  for (const std::string& file : unknown) {
    while (by_rank.contains(next)) ++next;
    by_rank.emplace(next, file);
  }
  std::vector<RankFile> result;
  result.reserve(by_rank.size());
  for (const auto& [rank, path] : by_rank) result.push_back({rank, path});
  if (!by_rank.empty()) find_holes(by_rank, findings);
  if (result.size() < 2) findings.add("one-rank", result.empty() ? "" : result.front().path);
  return result;
}

}  // namespace nadi::astra_sim
