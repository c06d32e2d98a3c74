#include "nadi/converters/diff/chakra_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/load_graph.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/diff/row_keys.h"
#include "nadi/diff/short_name.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

using Groups = std::map<std::string, DescribedGroup>;

/// What the metadata says of the process groups; none where it cannot be read.
Groups groups_of(const ChakraReader& reader) {
  try {
    return described_groups(reader.metadata(), reader.name());
  } catch (const Error&) {
    return {};
  }
}

/// "ALL_REDUCE, 4096 bytes, 8 ranks, tp"; empty = no communication. Names of groups differ from run
/// to run; what the metadata says of a group does not.
std::string communication_of(const WireNode& node, const Groups& groups) {
  std::string kind = communication_name(node);
  if (kind.empty()) return kind;
  kind += fmt::format(", {} bytes", node.get(WireNumber::kCommSize, 0));
  const std::string name(node.pg_name);
  const auto group = groups.find(name);
  if (group == groups.end()) return name.empty() ? kind : kind + ", group " + name;
  if (group->second.size >= 0) kind += fmt::format(", {} ranks", group->second.size);
  if (!group->second.desc.empty()) kind += ", " + group->second.desc;
  return kind;
}

/// The key of a node; false: it is not compared.
bool key_of(const WireNode& node, const GraphLane& lane, DiffBy by, const Groups& groups,
            std::string& key) {
  switch (by) {
    case DiffBy::kStream:
      key = fmt::format("stream {}", lane.stream);
      return lane.is_device;
    case DiffBy::kCollective:
      key = communication_of(node, groups);
      return !key.empty();
    case DiffBy::kKernelFamily:
      key = kernel_family_of(node.name);
      return lane.is_device;
    case DiffBy::kShortName:
      key = short_name_of(node.name);
      return true;
    default:
      key = node.name;
      return true;
  }
}

/// How long the devices of a graph work and stand idle, from its first start to its last end.
class GraphDevices {
 public:
  void add(const WireNode& node, const GraphLane& lane) {
    constexpr Ns kFar = Ns{1} << 60;  // starts come from strangers
    tells_starts_ |= tells_start(node);
    const Ns start = std::clamp(start_ns_of(node), -kFar, kFar);
    const Ns end = start + std::min(duration_ns_of(node), kFar);
    first_ = std::min(first_, start);
    last_ = std::max(last_, end);
    if (lane.is_device) spans_[lane.device].emplace_back(start, end);
  }

  /// Adds nothing of a graph that records no starts.
  void finish(LaneSummaries& summaries) {
    if (!tells_starts_) return;
    DiffSummary& busy_summary = summaries[static_cast<std::size_t>(LaneMeasure::kDeviceBusy)];
    DiffSummary& idle_summary = summaries[static_cast<std::size_t>(LaneMeasure::kDeviceIdle)];
    SampleSums busy_sums, idle_sums;
    for (auto& [device, spans] : spans_) {
      const std::string name = spans_.size() > 1 ? fmt::format("device {}", device) : "device";
      const Ns busy = covered_by(spans);
      busy_sums.add(busy_summary.keys.intern(name), busy);
      idle_sums.add(idle_summary.keys.intern(name), last_ - first_ - busy);
    }
    busy_sums.fold_into(busy_summary);
    idle_sums.fold_into(idle_summary);
  }

 private:
  using Spans = std::vector<std::pair<Ns, Ns>>;

  static Ns covered_by(Spans& spans) {
    std::sort(spans.begin(), spans.end());
    Ns covered = 0, until = std::numeric_limits<Ns>::min();
    for (const auto& [start, end] : spans) {
      const Ns from = std::max(start, until);
      if (end > from) covered += end - from;
      until = std::max(until, end);
    }
    return covered;
  }

  std::map<std::int64_t, Spans> spans_;  // by device
  Ns first_ = std::numeric_limits<Ns>::max(), last_ = std::numeric_limits<Ns>::min();
  bool tells_starts_ = false;
};

class GraphSums {
 public:
  GraphSums(const DiffChoice& choice, Groups groups, SideSummary& side)
      : choice_(choice), groups_(std::move(groups)), side_(side), filter_(choice, side.rows.keys) {}

  void add(const WireNode& node) {
    const GraphLane lane = lane_of(node);
    const Source self{lane, kind_of(node) == NodeKind::kDelay};
    add_edges(node, self);
    lanes_.emplace(node.id, self);
    if (self.is_delay) return;
    devices_.add(node, lane);
    const bool is_any = choice_.device == DiffDevice::kAll || choice_.by == DiffBy::kCollective;
    std::string key;
    if (!is_any && lane.is_device != (choice_.device == DiffDevice::kDevice)) return;
    if (!key_of(node, lane, choice_.by, groups_, key)) return;
    const StringId id = side_.rows.keys.intern(key);
    if (!filter_.keeps(id)) return;
    const Ns duration_ns = duration_ns_of(node);
    rows_.add(id, duration_ns);
    all_.add(duration_ns, duration_ns);
  }

  void finish() {
    rows_.fold_into(side_.rows);
    // The nodes of a graph hold no other node's time.
    side_.rows.own = side_.rows.totals;
    edges_.fold_into(side_.edges);
    all_.fold_into(side_.all);
    devices_.finish(side_.lanes);
  }

 private:
  struct Source {
    GraphLane lane;
    bool is_delay = false;
  };

  void add_edges(const WireNode& node, const Source& self) {
    StringTable& keys = side_.edges.keys;
    const RecordedEvidence recorded(node.edge_evidence);
    for (const std::uint64_t id : node.data_deps) {
      const auto from = lanes_.find(id);
      if (from == lanes_.end()) {
        edges_.add(keys.intern("to a later node"), 0);
        continue;
      }
      const Source& source = from->second;
      const Edge edge =
          recorded.of(id, {source.lane.is_device, self.lane.is_device,
                           source.is_delay || self.is_delay, source.lane == self.lane});
      const std::string_view evidence = to_string(edge.evidence);
      edges_.add(is_guess(edge.inferred) ? keys.intern(fmt::format("{} (inferred)", evidence))
                                         : keys.intern(evidence),
                 0);
    }
    if (!node.ctrl_deps.empty()) edges_.add(keys.intern("nesting"), 0, node.ctrl_deps.size());
  }

  const DiffChoice& choice_;
  const Groups groups_;
  SideSummary& side_;
  KeyFilter filter_;
  IdMap<std::uint64_t, Source> lanes_;  // of the nodes before, by id
  SampleSums rows_, edges_;
  AllRowsSums all_;
  GraphDevices devices_;
};

}  // namespace

bool is_chakra_file(const std::string& path) {
  return path != "-" && peek_trace(path).type == TraceType::kChakra;
}

void add_chakra_file(const std::string& path, std::int64_t rank, const DiffChoice& choice,
                     SideSummary& side, const Progress& progress) {
  if (choice.by == DiffBy::kCallPath)
    throw Error(ErrorCode::kUsage, path, "a Chakra graph is not compared by call path",
                "Choose name, short-name, stream, collective or kernel-family");
  if (choice.iterations.kind == IterationChoice::Kind::kListed)
    throw Error(ErrorCode::kUsage, path, "iterations of a Chakra graph cannot be chosen",
                "Compare whole graphs, or convert with `steps`");
  ChakraReader reader(messages_of(ByteSource::open(path), progress),
                      ChakraReader::MissingMetadata::kAccept);
  add_what_if(reader.metadata(), side.what_if);
  GraphSums sums(choice, groups_of(reader), side);
  WireNode node;
  while (reader.next(node)) sums.add(node);
  sums.finish();
  side.samples.push_back({rank, -1});
}

}  // namespace nadi
