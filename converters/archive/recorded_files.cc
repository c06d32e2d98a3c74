#include "nadi/converters/archive/recorded_files.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/groups.h"
#include "nadi/converters/archive/output_names.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/load_graph.h"
#include "nadi/input/byte_source.h"

namespace nadi {
namespace {

/// About what a loaded graph takes, with the room into which its columns grew.
std::uint64_t bytes_of(const Graph& graph) {
  constexpr std::uint64_t kBytesOfNode = 180, kBytesOfDependency = 13;
  return kBytesOfNode * graph.size() + kBytesOfDependency * num_edges(graph.structure) +
         graph.strings.memory_bytes() + sizeof(GraphCommunication) * graph.communications.size() +
         metadata_of(graph).SpaceUsedLong();
}

using ReadGraph = std::function<Graph(const RecordedFile& file)>;

/// Reads graphs, and keeps those for which there is room.
class GraphReader {
 public:
  GraphReader(std::vector<RecordedFile> files, ReadGraph read, std::uint64_t most_bytes)
      : files_(std::move(files)),
        graphs_(files_.size()),
        read_graph_(std::move(read)),
        bytes_left_(most_bytes) {}

  static RecordedGraphs recorded(std::shared_ptr<GraphReader> reader,
                                 std::function<void()> on_visit) {
    const std::size_t count = reader->files_.size();
    return {
        count,
        [reader, on_visit = std::move(on_visit)](std::size_t i, const RecordedGraphs::Take& take) {
          if (on_visit) on_visit();
          reader->visit(i, take);
        },
        [reader](std::size_t i, const MessageTakers& take) { reader->read(i, take); }};
  }

 private:
  void read(std::size_t i, const MessageTakers& take) const {
    ChakraReader reader(messages_of(ByteSource::open(files_[i].path)));
    take.metadata(reader.metadata());
    ChakraProtoMsg::Node node;
    while (reader.next(node)) take.node(node, reader.message());
  }

  void visit(std::size_t i, const RecordedGraphs::Take& take) {
    if (graphs_[i]) return take(*graphs_[i]);
    auto graph = std::make_unique<Graph>(read_graph_(files_[i]));
    take(*graph);
    const std::uint64_t bytes = bytes_of(*graph);
    if (bytes > bytes_left_) return;
    bytes_left_ -= bytes;
    graphs_[i] = std::move(graph);
  }

  const std::vector<RecordedFile> files_;
  std::vector<std::unique_ptr<const Graph>> graphs_;  // nullptr = it is read each time
  const ReadGraph read_graph_;
  std::uint64_t bytes_left_;
};

/// The groups of PREFIX.comm_groups.json as the attribute `process_groups`; empty = there is no
/// such file.
std::string process_groups_beside(const std::string& graph) {
  constexpr std::size_t kMostBytesOfGroups = std::size_t{1} << 30;
  const std::string path = file_beside(graph, ".comm_groups.json");
  if (path.empty()) return {};
  nlohmann::json groups = nlohmann::json::object();
  for (const auto& [group, ranks] :
       parse_comm_groups(ByteSource::open(path).read_up_to(kMostBytesOfGroups), path))
    groups[group] = {{"desc", ""}, {"ranks", ranks}};
  return groups.dump();
}

void add_groups(const std::string& process_groups, Graph& graph) {
  if (process_groups.empty() || find_attribute(metadata_of(graph), "process_groups") != nullptr)
    return;
  change_metadata(graph, [&](ChakraProtoMsg::GlobalMetadata& metadata) {
    add_attribute(metadata, "process_groups")->set_string_val(process_groups);
  });
}

}  // namespace

std::string recorded_prefix(const std::string& prefix) { return prefix + ".recorded/rank"; }

void set_recorded_form(Target target, ConvertOptions& options) {
  options.compression = Compression::kZstd;
  options.graph.delays = delays_for(target, options.graph.delays);
}

RecordedGraphs recorded_files(std::vector<RecordedFile> files, std::uint64_t most_bytes,
                              std::function<void()> on_visit) {
  const auto read = [](const RecordedFile& file) {
    Graph graph = load_graph(file.path, {.shapes = true});
    graph.name = file.name;
    return graph;
  };
  return GraphReader::recorded(std::make_shared<GraphReader>(std::move(files), read, most_bytes),
                               std::move(on_visit));
}

RecordedGraphs recorded_files(const std::string& prefix, const Manifest& manifest,
                              std::uint64_t most_bytes, std::function<void()> on_visit) {
  std::vector<RecordedFile> files;
  manifest.visit_converted(
      [&](const RankRecord& record) {
        files.push_back(
            {beside_prefix(prefix, record.output.path), record.inputs.back().file.path});
      },
      WithReport::kNo);
  return recorded_files(std::move(files), most_bytes, std::move(on_visit));
}

RecordedGraphs graph_files(const std::vector<JobInput>& inputs, std::uint64_t most_bytes,
                           std::function<void()> on_visit, Diagnostics& diagnostics) {
  std::vector<RecordedFile> files;
  const std::string& first = inputs.front().graph;
  const auto world_size = metadata_number(first, "world_size");
  for (const JobInput& input : inputs)
    if (world_size && input.rank >= *world_size)
      diagnostics.report(Finding::kFileIgnored,
                         input.graph + ": an idle NPU, of none of the job's ranks");
    else
      files.push_back({input.graph, input.graph, input.rank});
  const auto read = [process_groups = process_groups_beside(first)](const RecordedFile& file) {
    Graph graph = load_graph(file.path, {.shapes = true}, {}, BadDependencies::kDrop);
    if (!graph.rank) graph.rank = file.rank;
    add_groups(process_groups, graph);
    return graph;
  };
  return GraphReader::recorded(std::make_shared<GraphReader>(std::move(files), read, most_bytes),
                               std::move(on_visit));
}

ConvertRanksReport report_of_recorded(const Manifest& manifest, std::size_t most_reports) {
  ConvertRanksReport report;
  manifest.visit_converted([&](RankRecord record) {
    report.recorded_span_ns = std::max(report.recorded_span_ns, record.report.span_ns);
    if (report.ranks.size() < most_reports) report.ranks.push_back(std::move(record.report));
  });
  return report;
}

}  // namespace nadi
