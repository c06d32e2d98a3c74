#include "nadi/sim_bridge/astra_sim/check.h"

#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/adjacency.h"
#include "nadi/base/error.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/groups.h"
#include "nadi/chakra/message_stream.h"
#include "nadi/chakra/node_ids.h"
#include "nadi/chakra/rank_name.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/network_rules.h"
#include "nadi/sim_bridge/astra_sim/node_rules.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"

namespace nadi::astra_sim {
namespace {

// Finds the file of each rank.

using RankFiles = std::map<std::int64_t, std::string>;  // paths, by rank

constexpr std::int64_t kMostRanks = 1 << 16;

/// The attribute `rank` of the file's metadata; -1 = not recorded. What else is wrong is found
/// later.
std::int64_t rank_in_metadata(const std::string& file) {
  try {
    const ChakraReader reader(MessageStream(file), ChakraReader::MissingMetadata::kAccept);
    const auto* attribute = find_attribute(reader.metadata(), "rank");
    const auto rank = attribute == nullptr ? std::nullopt : whole_number_of(*attribute);
    return rank && *rank >= 0 && *rank < kMostRanks ? *rank : -1;
  } catch (const Error&) {
    return -1;
  }
}

void find_holes(const RankFiles& files, CheckFindingList& findings) {
  std::int64_t next = 0;
  for (const auto& [rank, path] : files) {
    for (; next < rank; ++next)
      findings.add(CheckRule::kRankMissing, "rank " + std::to_string(next));
    ++next;
  }
}

/// The rank of a file: the number in PREFIX.<rank>.et, else the rank in the file's metadata, else
/// the lowest that is free. Adds what the simulator would not find under these names. Ranks are
/// below 65,536; a larger number is not believed.
RankFiles find_rank_files(const std::vector<std::string>& files, CheckFindingList& findings) {
  RankFiles by_rank;
  std::set<std::string_view> prefixes;
  std::vector<std::string> unnamed;
  for (const std::string& file : files) {
    const std::optional<RankName> name = parse_rank_name(file);
    const bool is_believed = name && name->rank < kMostRanks;
    if (is_believed) prefixes.insert(name->prefix);
    if (is_believed && by_rank.try_emplace(name->rank, file).second) continue;
    findings.add(CheckRule::kFileName, file);
    unnamed.push_back(file);
  }
  if (prefixes.size() > 1)
    findings.add(CheckRule::kFileName, "two prefixes: " + std::string(*prefixes.rbegin()));
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
  find_holes(by_rank, findings);
  return by_rank;
}

class JobChecker {
 public:
  explicit JobChecker(const CheckOptions& options) : options_(options), run_(options.memory) {}

  JobCheck run() {
    files_ = find_rank_files(options_.files, findings_);
    if (files_.size() < 2 && options_.job_ranks < 2)
      findings_.add(CheckRule::kOneRank, files_.empty() ? "" : files_.begin()->second);
    ranks_ = std::max(files_.empty() ? 0 : files_.rbegin()->first + 1, options_.job_ranks);
    read_groups();
    const std::int64_t npus = options_.network ? npus_of(options_.network->network) : 0;
    use_ = CollectiveUse(npus > 0 ? npus : ranks_);
    for (const auto& [rank, path] : files_) read_rank(static_cast<std::size_t>(rank), path);
    check_network(use_, ranks_, options_.network, findings_);
    check_messages();
    static_cast<RunResult&>(result_) = std::move(run_).finish(options_, listed_groups_, findings_);
    result_.findings = std::move(findings_).sorted();
    result_.all_run = result_.all_read_ran && !result_.has_errors();
    return std::move(result_);
  }

 private:
  void read_groups() {
    const std::string& path = options_.comm_groups;
    if (path.empty()) return;
    if (path.find("empty") != std::string::npos) findings_.add(CheckRule::kGroupFileName, path);
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
      throw Error(ErrorCode::kInput, path, "cannot be read", "Check the path of `comm_groups`");
    for (const auto& [key, ranks] : parse_comm_groups(text.str(), path)) {
      const std::int64_t number = group_number_of(key).value_or(0);
      if (number < 1 || number > kMostGroups) {
        findings_.add(CheckRule::kGroupNumber, "group \"" + key + "\"");
        continue;
      }
      if (listed_groups_.contains(number))
        findings_.add(CheckRule::kGroupNumber, "group \"" + key +
                                                   "\" takes the place of another one, " +
                                                   std::to_string(number) + " to the simulator");
      check_members(key, ranks);
      listed_groups_[number] = ranks;
      std::vector<std::int64_t>& members = groups_[number] = ranks;
      std::sort(members.begin(), members.end());
    }
  }

  void check_members(const std::string& key, const std::vector<std::int64_t>& ranks) {
    const std::set<std::int64_t> unique(ranks.begin(), ranks.end());
    if (unique.size() != ranks.size())
      findings_.add(CheckRule::kGroupMembers, "group \"" + key + "\" names a rank twice");
    for (const std::int64_t rank : unique)
      if (!has_file(rank))
        findings_.add(CheckRule::kGroupMembers, "group \"" + key + "\" names rank " +
                                                    std::to_string(rank) + ", which has no file");
  }

  bool has_file(std::int64_t rank) const {
    if (options_.job_ranks > 0) return rank >= 0 && rank < options_.job_ranks;
    return files_.contains(rank);
  }

  void read_rank(std::size_t rank, const std::string& file) {
    if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), W_OK) != 0)
      findings_.add(CheckRule::kFileNotWritable, file);
    IssueRank read;
    const Graph& graph = read.graph;
    MessageStream stream(file);
    try {
      read_nodes(stream, read, rank);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInput) throw;
      findings_.add(CheckRule::kFramingInJob, error.where() + ": " + error.problem());
    }
    if (!stream.is_plain()) findings_.add(CheckRule::kFilePacked, file);
    if (graph.size() == 0) findings_.add(CheckRule::kNoNodesInJob, file);
    result_.nodes += graph.size();
    sort_by_id(rank, read);
    resolve(rank, read);
    check_end(rank, read);
    count_messages(graph);
    use_.add_rank(static_cast<std::int64_t>(rank), uses_of(read));
    run_.add(rank, std::move(read));
  }

  void read_nodes(MessageStream& stream, IssueRank& read, std::size_t rank) {
    const NodeContext context{static_cast<std::int64_t>(rank), ranks_, &groups_, &options_};
    dependencies_ = {};
    const google::protobuf::LogSilencer silence;  // text that is no UTF-8 is an error below
    ChakraProtoMsg::GlobalMetadata metadata;
    ChakraProtoMsg::Node node;
    bool is_first = true;
    for (std::string_view message; stream.next(message); is_first = false) {
      if (is_first && parse_metadata(message, metadata)) continue;
      if (is_first) findings_.add(CheckRule::kMetadataMissingInJob, stream.name());
      if (!node.ParseFromArray(message.data(), static_cast<int>(message.size())))
        stream.fail("here is no Chakra node", "Write the file again");
      dependencies_.add_node(stream.name(), node.data_deps(), node.ctrl_deps());
      check_node(node, context, read, findings_);
    }
  }

  /// Rows in id order; of two equal ids the last counts, as in the simulator.
  void sort_by_id(std::size_t rank, IssueRank& read) {
    Graph& graph = read.graph;
    position_ = order_by_id(graph.id);
    std::vector<bool> is_replaced;
    for_each_repeated_id(graph.id, position_, [&](std::uint32_t node, std::uint32_t) {
      findings_.add(CheckRule::kDuplicateIdInJob, place_of(rank, read, node));
      is_replaced.resize(graph.size());
      is_replaced[node] = true;
    });
    if (!is_replaced.empty()) {
      if (position_.empty()) {
        position_.resize(graph.size());
        std::iota(position_.begin(), position_.end(), 0U);
      }
      std::erase_if(position_, [&](std::uint32_t node) { return is_replaced[node]; });
    }
    if (!position_.empty()) reorder_rows(position_, static_cast<GraphNodes&>(graph));
  }

  void resolve(std::size_t rank, IssueRank& read) {
    const std::size_t nodes = read.graph.size();
    std::vector<std::uint32_t> row_of(dependencies_.data.size(), kNoIndex);
    for (std::uint32_t row = 0; row < nodes; ++row) row_of[position_by_id(position_, row)] = row;
    const auto add_missing = [&](std::size_t position, std::uint64_t id, bool) {
      if (row_of[position] != kNoIndex)
        findings_.add(CheckRule::kDanglingDependency, place_of(rank, read, row_of[position]) +
                                                          " depends on node " + std::to_string(id) +
                                                          ", which is not there");
    };
    const Adjacency waits = find_sources(std::move(dependencies_), read.graph.id, {}, add_missing)
                                .together(nodes, position_);
    read.dependents = reversed(nodes, [&](std::size_t row) { return waits.of(row); });
    check_cycle(rank, read);
  }

  void check_cycle(std::size_t rank, const IssueRank& read) {
    const std::vector<std::uint32_t> blocked = find_blocked(read.dependents);
    if (blocked.empty()) return;
    findings_.add(CheckRule::kCycleInJob, place_of(rank, read, blocked.front()) + " and " +
                                              std::to_string(blocked.size() - 1) + " more");
  }

  static bool is_message(NodeType type) {
    return type == NodeType::kSend || type == NodeType::kReceive;
  }

  /// A rank with host nodes whose last node, by the dependencies, is a message.
  void check_end(std::size_t rank, const IssueRank& read) {
    const auto& kind = read.graph.kind;
    if (std::find(kind.begin(), kind.end(), NodeKind::kHostOther) == kind.end()) return;
    for (std::uint32_t node = 0; node < kind.size(); ++node)
      if (is_message(read.graph.type[node]) && read.dependents.of(node).empty())
        findings_.add(CheckRule::kEndsOnMessage, place_of(rank, read, node));
  }

  void count_messages(const Graph& graph) {
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      if (!is_message(graph.type[node])) continue;
      const GraphCommunication& c = graph.communications[graph.communication[node]];
      MessageEnds& ends = messages_[{c.src, c.dst, c.tag, c.bytes}];
      ++(graph.type[node] == NodeType::kSend ? ends.sends : ends.receives);
    }
  }

  std::set<GroupUse> uses_of(const IssueRank& read) const {
    std::set<GroupUse> uses;
    for (std::uint32_t node = 0; node < read.graph.size(); ++node) {
      if (read.graph.type[node] != NodeType::kCollective) continue;
      const IssueCommunication c = read.communication_of(node);
      const auto group = groups_.find(c.group_number);
      if (c.group_number == 0)
        uses.insert({c.type, 0, use_.npus()});
      else if (group != groups_.end())
        uses.insert({c.type, c.group_number, std::ssize(group->second)});
    }
    return uses;
  }

  void check_messages() {
    for (const auto& [key, ends] : messages_) {
      const auto& [src, dst, tag, bytes] = key;
      const std::string place = "rank " + std::to_string(src) + " to rank " + std::to_string(dst) +
                                ", tag " + std::to_string(tag) + ", " + std::to_string(bytes) +
                                " bytes";
      if (ends.sends > ends.receives) findings_.add(CheckRule::kSendWithoutReceive, place);
      if (ends.receives > ends.sends) findings_.add(CheckRule::kReceiveWithoutSend, place);
      if (ends.sends == ends.receives && ends.sends > 1)
        findings_.add(CheckRule::kMessageRepeated, place);
    }
  }

  using MessageKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct MessageEnds {
    std::uint64_t sends = 0, receives = 0;
  };

  const CheckOptions& options_;
  std::int64_t ranks_ = 0;
  RankFiles files_;
  GroupMembers groups_, listed_groups_;  // ascending; as the file lists them
  JobRun run_;
  CollectiveUse use_{0};
  std::map<MessageKey, MessageEnds> messages_;  // by source, destination, tag, bytes
  // Of the rank being read.
  FileDependencies dependencies_;
  std::vector<std::uint32_t> position_;  // of each row in the file; empty = the same
  CheckFindingList findings_;
  JobCheck result_;
};

}  // namespace

JobCheck check_job(const CheckOptions& options) { return JobChecker(options).run(); }

}  // namespace nadi::astra_sim
