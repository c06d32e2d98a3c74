#include "nadi/converters/archive/recorded_files.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/converters/archive/output_names.h"
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

struct RecordedFile {
  std::string path, device;
  std::unique_ptr<const Graph> graph;  // nullptr = it is read each time
};

/// Reads graphs, and keeps those for which there is room.
class GraphReader {
 public:
  GraphReader(std::vector<RecordedFile> files, std::uint64_t most_bytes)
      : files_(std::move(files)), bytes_left_(most_bytes) {}

  MessageStream open(std::size_t i) const { return messages_of(ByteSource::open(files_[i].path)); }

  void visit(std::size_t i, const RecordedGraphs::Take& take) {
    RecordedFile& file = files_[i];
    if (file.graph) return take(*file.graph);
    auto graph = std::make_unique<Graph>(load_graph(file.path, {.shapes = true}));
    graph->name = file.device;
    take(*graph);
    const std::uint64_t bytes = bytes_of(*graph);
    if (bytes > bytes_left_) return;
    bytes_left_ -= bytes;
    file.graph = std::move(graph);
  }

 private:
  std::vector<RecordedFile> files_;
  std::uint64_t bytes_left_;
};

}  // namespace

std::string recorded_prefix(const std::string& prefix) { return prefix + ".recorded/rank"; }

void set_recorded_form(Target target, ConvertOptions& options) {
  options.compression = Compression::kZstd;
  options.graph.delays = delays_for(target, options.graph.delays);
}

RecordedGraphs recorded_files(const std::string& prefix, const Manifest& manifest,
                              std::uint64_t most_bytes, std::function<void()> on_visit) {
  std::vector<RecordedFile> files;
  manifest.visit(
      [&](const RankRecord& record) {
        if (record.error.empty())
          files.push_back(
              {beside_prefix(prefix, record.output.path), record.inputs.back().file.path, nullptr});
      },
      WithReport::kNo);
  const std::size_t count = files.size();
  auto reader = std::make_shared<GraphReader>(std::move(files), most_bytes);
  return {
      count,
      [reader, on_visit = std::move(on_visit)](std::size_t i, const RecordedGraphs::Take& take) {
        if (on_visit) on_visit();
        reader->visit(i, take);
      },
      [reader](std::size_t i) { return reader->open(i); }};
}

ConvertRanksReport report_of_recorded(const Manifest& manifest, std::size_t most_reports) {
  ConvertRanksReport report;
  manifest.visit([&](RankRecord record) {
    if (!record.error.empty()) return;
    report.recorded_span_ns = std::max(report.recorded_span_ns, record.report.span_ns);
    if (report.ranks.size() < most_reports) report.ranks.push_back(std::move(record.report));
  });
  return report;
}

}  // namespace nadi
