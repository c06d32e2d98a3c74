// Feeds a generated graph to the end: seconds to open and to feed, peak memory.
//   feeder_bench make FILE NODES READY   nodes of about 500 bytes; READY nodes are ready at once
//   feeder_bench feed FILE [WINDOW_MB]   take, look up, read four attributes, finish, by id
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "et_def.pb.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace {

using ChakraProtoMsg::Node;

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// What all nodes have in common: the fields and attributes nadi writes for a host op.
std::string node_tail() {
  Node node;
  node.set_name("autograd::engine::evaluate_function: ConvolutionBackward0");
  node.set_type(ChakraProtoMsg::COMP_NODE);
  node.set_start_time_micros(123456);
  node.set_duration_micros(17);
  node.mutable_inputs()->set_values("[[12, 13, 0, 2097152, 4, 'cuda:0'], 1.0, False]");
  node.mutable_inputs()->set_shapes("[[64, 256, 16, 16], [], []]");
  node.mutable_inputs()->set_types("['Tensor(float)', 'Double', 'Bool']");
  node.mutable_outputs()->set_values("[[14, 15, 0, 2097152, 4, 'cuda:0']]");
  for (const char* name : {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "start_ns",
                           "duration_ns", "inclusive_ns", "exclusive_ns"}) {
    auto& attribute = *node.add_attr();
    attribute.set_name(name);
    attribute.set_int64_val(1234567);
  }
  auto& schema = *node.add_attr();
  schema.set_name("op_schema");
  schema.set_string_val(
      "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight)");
  auto& is_cpu_op = *node.add_attr();
  is_cpu_op.set_name("is_cpu_op");
  is_cpu_op.set_bool_val(true);
  return node.SerializeAsString();
}

/// Node n waits for n - ready (its lane), and with ctrl_deps for two before that.
int make(const char* path, std::uint64_t nodes, std::uint64_t ready) {
  std::ofstream file(path, std::ios::binary);
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version("0.0.4");
  std::string out, body, dependencies;
  append_varint(metadata.ByteSizeLong(), out);
  out += metadata.SerializeAsString();
  const std::string tail = node_tail();
  for (std::uint64_t id = 1; id <= nodes; ++id) {
    body = "\x08";  // id
    append_varint(id, body);
    for (const char* field : {"\x2a", "\x22"}) {  // data_deps, ctrl_deps, packed
      dependencies.clear();
      if (*field == '\x2a') {
        if (id > ready) append_varint(id - ready, dependencies);
      } else {
        if (id > ready + 1) append_varint(id - ready - 1, dependencies);
        if (id > 2 * ready) append_varint(id - 2 * ready, dependencies);
      }
      if (dependencies.empty()) continue;
      body += field;
      append_varint(dependencies.size(), body);
      body += dependencies;
    }
    append_varint(body.size() + tail.size(), out);
    out += body;
    out += tail;
    if (out.size() < 1 << 20) continue;
    file << out;
    out.clear();
  }
  file << out;
  file.close();
  return file.good() ? 0 : 1;
}

int feed(const char* path, std::size_t window_mb) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  nadi::Feeder feeder(path, {.window_bytes = window_mb << 20});
  const auto opened = Clock::now();
  const std::size_t ready = feeder.ready_count();
  std::uint64_t sum = 0;
  while (const auto id = feeder.next_ready()) {
    feeder.take(*id);
    const nadi::FeederNode node = feeder.lookup(*id);
    sum += static_cast<std::uint64_t>(
        node.attribute_int("duration_ns") + node.attribute_int("tid") +
        node.attribute_int("comm_size", 0) + node.attribute_bool("is_cpu_op"));
    feeder.finish(*id);
  }
  const auto end = Clock::now();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  std::printf(
      "%zu nodes, %zu dependencies, %zu ready at first: open %.2f s, feed %.2f s "
      "(%.0f ns a node), peak %.0f MB, sum %llu\n",
      feeder.size(), feeder.dependency_count(), ready, seconds(begin, opened), seconds(opened, end),
      seconds(opened, end) * 1e9 / static_cast<double>(feeder.size()),
      static_cast<double>(usage.ru_maxrss) * 1024 / 1e6, static_cast<unsigned long long>(sum));
  return feeder.is_done() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view verb = count > 1 ? words[1] : "";
  if (verb == "make" && count == 5)
    return make(words[2], std::strtoull(words[3], nullptr, 10),
                std::strtoull(words[4], nullptr, 10));
  if (verb == "feed" && count >= 3)
    return feed(words[2], count > 3 ? std::strtoull(words[3], nullptr, 10) : 64);
  std::fputs("usage: feeder_bench make FILE NODES READY | feeder_bench feed FILE [WINDOW_MB]\n",
             stderr);
  return 2;
}
