// Reads and replays Chakra files, stage by stage, in seconds: replay_bench FILE... | --nodes N.
// Without files it first writes a graph of N nodes (default 1,000,000): a
// host thread that launches rows on four streams, as a training step does.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/sim_bridge/replay/report.h"

namespace {

using Clock = std::chrono::steady_clock;
using nadi::Ns;

void write_message(std::ofstream& file, const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  std::size_t length = bytes.size();
  for (; length >= 0x80; length >>= 7) file.put(static_cast<char>(length | 0x80));
  file.put(static_cast<char>(length));
  file << bytes;
}

void add_number(ChakraProtoMsg::Node& node, const char* name, std::int64_t value) {
  auto* attribute = node.add_attr();
  attribute->set_name(name);
  attribute->set_int64_val(value);
}

/// Node 3k + 1 is host work, 3k + 2 more of it, 3k + 3 the row launched between them.
void write_graph(const std::filesystem::path& path, std::uint64_t nodes) {
  std::ofstream file(path, std::ios::binary);
  write_message(file, ChakraProtoMsg::GlobalMetadata());
  for (std::uint64_t id = 1; id <= nodes; ++id) {
    const std::uint64_t k = (id - 1) / 3, place = (id - 1) % 3;
    const bool is_row = place == 2;
    ChakraProtoMsg::Node node;
    node.set_id(id);
    node.set_type(ChakraProtoMsg::COMP_NODE);
    node.set_name(is_row ? "kernel_" + std::to_string(k % 50) : "aten::op" + std::to_string(k % 9));
    if (!is_row && id > 1) node.add_data_deps(place == 0 ? id - 2 : id - 1);
    if (is_row) node.add_data_deps(id - 2);
    if (is_row && k >= 4) node.add_data_deps(id - 12);  // the row before on its stream
    if (is_row && k % 16 == 15) node.add_data_deps(id - 3);
    add_number(node, "rf_id", static_cast<std::int64_t>(k));
    add_number(node, "tid", 1);
    auto* is_cpu_op = node.add_attr();
    is_cpu_op->set_name("is_cpu_op");
    is_cpu_op->set_bool_val(!is_row);
    add_number(node, "start_ns", static_cast<std::int64_t>(k * 10000 + place * 4000));
    add_number(node, "duration_ns", is_row ? 25000 : 4000);
    if (is_row) add_number(node, "stream", static_cast<std::int64_t>(7 + k % 4));
    if (is_row) add_number(node, "correlation", static_cast<std::int64_t>(k));
    if (!is_row) add_number(node, place == 0 ? "exclusive_ns" : "part_of", 4000);
    write_message(file, node);
  }
}

double seconds_since(Clock::time_point& since) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - since).count();
  since = now;
  return seconds;
}

void measure(const std::vector<std::string>& files) {
  Clock::time_point since = Clock::now();
  std::vector<nadi::Graph> graphs;
  for (const std::string& file : files) graphs.push_back(nadi::load_chakra_graph(file));
  const double read = seconds_since(since);
  nadi::Diagnostics diagnostics;
  const nadi::ReplayJob job = nadi::make_replay_job(graphs, diagnostics);
  const nadi::ReplayTimes replayed = nadi::replay(job);
  const double replay = seconds_since(since);
  const nadi::ReplayTimes measured = nadi::measured_times(job);
  const auto report = nadi::make_replay_report(job, measured, replayed, nullptr, {});
  const double summed = seconds_since(since);
  fmt::print("{} nodes: read {:.2f} s, replay {:.2f} s, report {:.2f} s; makespan {} ns\n",
             job.size(), read, replay, summed, report.replayed_ns);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  std::uint64_t nodes = 1000000;
  if (files.size() == 2 && files[0] == "--nodes") {
    nodes = std::stoull(files[1]);
    files.clear();
  }
  if (!files.empty()) {
    measure(files);
    return 0;
  }
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("replay_bench_" + std::to_string(::getpid()) + ".et");
  write_graph(path, nodes);
  measure({path.string()});
  std::filesystem::remove(path);
}
