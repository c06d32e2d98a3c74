// Files of other tools: every verb that reads device traces names them, and what to pass instead;
// of graphs is shown what they record.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"
#include "tests/et_file.h"

namespace nadi {
namespace {

using namespace std::string_literals;

class Foreign : public ToolTest {
 protected:
  /// The one message with which all verbs refuse the file; it is told once if they agree.
  void expect_refused(const std::string& name, const std::string& bytes,
                      const std::string& message) const {
    folder_.write(name, bytes);
    for (const char* verb : {"events ", "convert --output o --device ",
                             "link --output l.json --device ", "doctor --device ", "diff "}) {
      const std::string second = verb == "diff "s ? " " + name : "";
      const Outcome outcome = run("-q " + (verb + name) + second);
      EXPECT_EQ(outcome.exit_code, 3) << verb << name;
      EXPECT_EQ(outcome.out, "") << verb << name;
      EXPECT_EQ(outcome.err, "nadi: " + name + ": " + message + "\n") << verb;
    }
    EXPECT_EQ(folder_.listing(), name);
    std::filesystem::remove(folder_.path() / name);
  }
};

const std::string kRecord =
    "ecord the run with torch.profiler, profile(activities=[ProfilerActivity.CPU, "
    "ProfilerActivity.CUDA]), and pass what export_chrome_trace writes";
const std::string kOfNsys =
    ", not a device trace. No export of Nsight Systems tells what nadi needs: r" + kRecord;

TEST_F(Foreign, ExportsOfNsightSystemsAreNamed) {
  expect_refused("a.nsys-rep", "\x12\x01\xff\xfe\x02"s,
                 "this is an Nsight Systems report" + kOfNsys);
  expect_refused("a.sqlite", "SQLite format 3\0 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"s,
                 "this is an Nsight Systems export (SQLite)" + kOfNsys);
  for (const char* lines : {"{\"data\":[\"[Unknown]\", \"gemm\"]}\n{\"Type\":80}",
                            "{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1\",\"correlationId\":3}}\n",
                            "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"1\"}}\n",
                            "{\"table\":\"StringIds\",\"id\":0,\"value\":\"x\"}\n"})
    expect_refused("a.json", lines, "this is an Nsight Systems export (JSON)" + kOfNsys);
  for (const char* lane :
       {R"("cat": "cuda", "tid": "Stream 7")", R"("cat": "nvtx", "tid": "NVTX Thread 9")"})
    expect_refused("a.json",
                   R"([{"name": "k", "ph": "X", "ts": 1, "dur": 2, "pid": "Device 0", )" +
                       std::string(lane) + "}]",
                   "this is an Nsight Systems export (JSON of nsys2json), of which nadi reads "
                   "nothing. No export of Nsight Systems tells what nadi needs: r" +
                       kRecord);
}

TEST_F(Foreign, ResultsOfRocprofAreNamed) {
  expect_refused("a.json", R"({"rocprofiler-sdk-tool": [{"metadata": {}, "buffer_records": {}}]})",
                 "this is the JSON of rocprofv3, not a device trace. R" + kRecord);
  expect_refused("a.db", "SQLite format 3\0 CREATE TABLE rocpd_string"s,
                 "this is a rocpd database of rocprofv3 (SQLite), not a device trace. R" + kRecord);
  expect_refused("a.json", R"({"traceEvents": [{}
,{"args": {"name": "CPU HIP API"}, "ph": "M", "pid": 2, "name": "process_name"}
,{"args": {"name": "GPU0"}, "ph": "M", "pid": 6, "name": "process_name"}
,{"ts": "10", "dur": "3", "ph": "X", "pid": 6, "tid": 0, "name": "kern", "args": {"BeginNs": "1"}}
], "otherData": {}})",
                 "this is a trace of rocprof, of which nadi reads nothing. R" + kRecord);
}

TEST_F(Foreign, ReportsOfVizTracerAreNamed) {
  expect_refused("a.json", R"({"traceEvents": [{"ph": "M", "pid": 1, "tid": 1,
"name": "process_name", "args": {"name": "MainProcess"}},
{"pid": 1, "tid": 1, "ts": 2.5, "dur": 3, "name": "f", "ph": "X", "cat": "FEE"}],
"viztracer_metadata": {
  "version" : "1.0"
}
})",
                 "this is a VizTracer report, of which nadi reads nothing. R" + kRecord);
}

TEST_F(Foreign, ProfilesOfJaxWithoutAGpuAreNamed) {
  const std::string plane = "\x08\x01\x12\x09/host:CPU\x32\x04\x08\x01\x10\x02"s;
  expect_refused("a.pb", "\x0a" + std::string(1, static_cast<char>(plane.size())) + plane,
                 "this is an XSpace of JAX or XLA (xplane.pb), not a device trace. Pass the "
                 "trace.json.gz beside it, or the perfetto_trace.json.gz that "
                 "jax.profiler.trace(FOLDER, create_perfetto_trace=True) writes: nadi reads their "
                 "GPU rows");
  for (const char* arguments : {"{}", R"({"correlation_id": "40"})"})
    expect_refused("a.json",
                   R"({"displayTimeUnit": "ns", "traceEvents": [
{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:TPU:0"}},
{"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "/host:CPU"}},
{"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "name": "fusion"},
{"ph": "X", "pid": 7, "tid": 2, "ts": 1, "dur": 2, "name": "f", "args": )" +
                       std::string(arguments) + "}, {}]}",
                   "this is a profile of JAX or XLA, of which nadi reads nothing. Profile a run on "
                   "GPUs: nadi reads the rows of their streams");
}

TEST_F(Foreign, EventsWithoutAnyCategoryAreNoTrace) {
  expect_refused("a.json", R"({"traceEvents": [
{"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "name": "a"},
{"ph": "X", "pid": 1, "tid": 2, "ts": 4, "dur": 2, "name": "b"}]})",
                 "none of its 2 complete events has a category (cat), nor does a process name tell "
                 "one. Pass what torch.profiler's export_chrome_trace wrote (JSON, also packed)");
}

TEST_F(Foreign, ATraceThatIsCutBeforeItsFirstRowIsRefused) {
  const std::string header = R"({"schemaVersion": 1, "traceEvents": [)";
  expect_refused("a.json", header + R"(
{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "python"}}, {"ph": "X", "ca)",
                 "it is cut before its first row. Record it again, to its end, or copy it again");
}

/// The begin of a gzip file: blocks of bytes as they are, without its end.
std::string cut_gzip(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 0xffff;
  std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMostBytes))) {
    const std::size_t size = std::min(bytes.size(), kMostBytes);
    for (const std::size_t byte :
         {std::size_t{0}, size & 0xff, size >> 8, ~size & 0xff, ~size >> 8 & 0xff})
      packed += static_cast<char>(byte);
    packed += bytes.substr(0, size);
  }
  return packed;
}

TEST_F(Foreign, AGzipThatIsCutAtItsBeginIsRefusedWithItsDamage) {
  const std::string refused =
      "it is cut before its first row (unpacked from gzip); it could not be unpacked whole: "
      "truncated gzip input. Record it again, to its end, or copy it again";
  std::string text = R"({"schemaVersion": 1, "deviceProperties": [)";
  while (text.size() < 200'000) text += R"({"id": 0, "name": "a device"}, )";
  expect_refused("a.json.gz", cut_gzip(text), refused);
  text = R"({"schemaVersion": 1, "traceEvents": [)";
  while (text.size() < 200'000)
    text += R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "x"}}, )";
  expect_refused("a.json.gz", cut_gzip(text), refused);
}

/// The whole gzip file of few bytes.
std::string whole_gzip(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
  }
  std::string packed = cut_gzip(bytes) + "\x01\0\0\xff\xff"s;
  for (const std::uint32_t word : {~sum, static_cast<std::uint32_t>(bytes.size())})
    for (int shift = 0; shift < 32; shift += 8) packed += static_cast<char>(word >> shift & 0xff);
  return packed;
}

TEST_F(Foreign, WhatIsLostBehindAGzipIsTold) {
  const std::string whole = whole_gzip(kSampleDevice);
  const struct {
    std::string behind, told;
  } cases[] = {{"", ""},
               {std::string(600, '\0') + "\n", ""},
               {whole.substr(0, 5), "truncated gzip input"},
               {"garbage", "what stands behind its gzip data is no gzip"}};
  for (const auto& [behind, told] : cases) {
    folder_.write("a.json.gz", whole + behind);
    const Outcome outcome = run("convert --device a.json.gz --output o");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(holds(outcome.err, "a.json.gz: " + told), !told.empty()) << outcome.err;
    EXPECT_EQ(run("convert --strict --device a.json.gz --output o").exit_code, told.empty() ? 0 : 1)
        << told;
  }
}

TEST_F(Foreign, ADocumentOfAnotherProcessIsALoss) {
  std::string other = kSampleDevice;
  other.replace(other.find("\"rank\": 3"), 9, "\"rank\": 2");
  folder_.write("a.json", kSampleDevice + "\n" + other);
  const Outcome outcome = run("convert --device a.json --output o");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, "document 2 is of rank 2, the first of rank 3")) << outcome.err;
  EXPECT_EQ(run("convert --strict --device a.json --output o").exit_code, 1);
}

TEST_F(Foreign, LanesOfAGraphAreNamedByWhatItRecordsOfThem) {
  EtFile file;
  file.device(1, 0, 5);
  file.device(2, 5, 5).mutable_attr()->RemoveLast();  // the device
  auto* attributes = file.device(3, 10, 5).mutable_attr();
  for (const char* const name : {"device", "stream"}) {
    ASSERT_EQ(attributes->rbegin()->name(), name);
    attributes->RemoveLast();
  }
  folder_.write("a.et", file.bytes());
  const Outcome outcome = run("show --summary a.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string lane : {"device 0 stream 7", "stream 7", "device"})
    EXPECT_TRUE(holds(outcome.out, "\n" + lane + "  ")) << lane << outcome.out;
}

}  // namespace
}  // namespace nadi
