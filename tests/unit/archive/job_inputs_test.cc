// What a user names on the command line becomes the ranks of a job.
#include "nadi/converters/job_inputs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "nadi/base/error.h"
#include "tests/et_file.h"
#include "tests/perfetto_bytes.h"

namespace nadi {
namespace {

std::string device_of_process(int pid, int rank = -1) {
  const std::string info =
      rank < 0 ? "" : R"("distributedInfo": {"rank": )" + std::to_string(rank) + "}, ";
  return R"({"schemaVersion": 1, )" + info +
         R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm",
             "pid": )" +
         std::to_string(pid) + R"(, "tid": 1, "ts": 1, "dur": 1}]})";
}
std::string host_of(int pid) {
  return R"({"schema": "1.0.1", "pid": )" + std::to_string(pid) + R"(, "nodes": []})";
}
const char* const kLinked = R"({"schema": "1.0.2-chakra", "nodes": [{"inclusive_dur": 1}]})";

/// "RANK:HOST+DEVICE" of traces, "RANK:FILE" of all else; or the error.
std::string inputs_of(const TemporaryFolder& folder, const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(folder / name);
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  try {
    std::string text;
    Diagnostics diagnostics;
    for (const JobInput& input : find_job_inputs(paths, diagnostics)) {
      const TraceFiles& traces = input.traces;
      text += (text.empty() ? "" : " ") + std::to_string(input.rank) + ":";
      text += input.graph.empty() && traces.linked.empty()
                  ? name(traces.host) + "+" + name(traces.device)
                  : name(input.graph + traces.linked);
    }
    return text;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(JobInputs, AHostAndADeviceTraceAreOfOneRankWhateverTheirNames) {
  TemporaryFolder folder;
  folder.write("a.json", device_of_process(1));
  folder.write("b.json", host_of(2));
  EXPECT_EQ(inputs_of(folder, {"b.json", "a.json"}), "0:b.json+a.json");
  EXPECT_EQ(inputs_of(folder, {"a.json"}), "0:+a.json");
  EXPECT_EQ(inputs_of(folder, {""}), "0:b.json+a.json");
}

TEST(JobInputs, RankAndProcessInTheContentGoBeforeNumbersInNames) {
  TemporaryFolder folder;
  folder.write("x7.json", device_of_process(100, 0));
  folder.write("x8.json", device_of_process(200, 1));
  folder.write("h7.json", host_of(200));
  folder.write("h8.json", host_of(100));
  folder.write("notes.txt", "no trace");
  EXPECT_EQ(inputs_of(folder, {""}), "0:h8.json+x7.json 1:h7.json+x8.json");
}

TEST(JobInputs, NumbersInNamesDecideWhereTheContentTellsNothing) {
  TemporaryFolder folder;
  for (const char* rank : {"0", "1"}) {
    folder.write(std::string("device.") + rank + ".json", device_of_process(1));
    folder.write(std::string("host.") + rank + ".json", host_of(1));  // one container each
  }
  EXPECT_EQ(inputs_of(folder, {""}), "0:host.0.json+device.0.json 1:host.1.json+device.1.json");
}

TEST(JobInputs, TheTwoFormsOfADeviceTraceAreOfOneRank) {
  TemporaryFolder folder;
  folder.write("host.0.json", host_of(100));
  folder.write("rank0_trace.json", device_of_process(100, 0));
  const std::string perfetto = test::perfetto_bytes(R"(
      packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1 } } }
      packet { track_descriptor { uuid: 1 process { pid: 1 process_name: "python" } } })");
  folder.write("rank0_trace.pftrace", perfetto);
  Diagnostics diagnostics;
  const auto ranks = find_job_inputs({folder / ""}, diagnostics);
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].traces.device, folder / "rank0_trace.json");
  EXPECT_EQ(ranks[0].traces.other_form, folder / "rank0_trace.pftrace");
  folder.write("rank0_again.pftrace", perfetto);
  const std::string again = inputs_of(folder, {""});
  EXPECT_NE(again.find("holds two device traces of rank 0"), std::string::npos) << again;
}

TEST(JobInputs, OfAFolderWhatIsMadeOfTheTracesThereDoesNotCount) {
  TemporaryFolder folder;
  folder.write("step.0.et", EtFile(0).bytes());
  folder.write("step.1.et", EtFile(1).bytes());
  EXPECT_EQ(inputs_of(folder, {""}), "0:step.0.et 1:step.1.et");
  folder.write("linked.1.json", kLinked);
  folder.write("linked.2.json", kLinked);
  EXPECT_EQ(inputs_of(folder, {""}), "1:linked.1.json 2:linked.2.json");
  folder.write("device.4.json", device_of_process(1));
  folder.write("device.5.json", device_of_process(2));
  EXPECT_EQ(inputs_of(folder, {""}), "4:+device.4.json 5:+device.5.json");
}

TEST(JobInputs, OfAFolderARankThatLacksATraceIsLeftOut) {
  TemporaryFolder folder;
  for (const int rank : {0, 1, 2})
    folder.write("host." + std::to_string(rank) + ".json", host_of(rank));
  for (const int rank : {0, 2})
    folder.write("device." + std::to_string(rank) + ".json", device_of_process(rank));
  EXPECT_EQ(inputs_of(folder, {""}), "0:host.0.json+device.0.json 2:host.2.json+device.2.json");
  folder.write("device.3.json", device_of_process(3));
  EXPECT_EQ(inputs_of(folder, {""}),
            "0:host.0.json+device.0.json 2:host.2.json+device.2.json 3:+device.3.json");
  Diagnostics diagnostics;
  find_job_inputs({folder.path().string()}, diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kRankLeftOut), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kHostTraceMissing), 1U);
  const std::string named = inputs_of(folder, {"host.0.json", "host.1.json", "device.0.json"});
  EXPECT_NE(named.find("nothing tells which device trace belongs to"), std::string::npos) << named;
}

TEST(JobInputs, OfAFolderARankWhoseGraphIsNoneIsLeftOut) {
  for (const char* bytes : {"", "no graph", "{}"}) {
    TemporaryFolder folder;
    folder.write("step.0.et", bytes);
    folder.write("step.1.et", EtFile(1).bytes());
    folder.write("step.system.json", "{}");  // of the job, and no graph
    Diagnostics diagnostics;
    EXPECT_EQ(find_job_inputs({folder.path().string()}, diagnostics).size(), 1U);
    EXPECT_EQ(diagnostics.count(Finding::kRankLeftOut), 1U) << bytes;
    EXPECT_EQ(diagnostics.count(Finding::kFileIgnored), 0U) << bytes;
  }
}

TEST(JobInputs, WhatCannotBeOneJobIsRefusedByName) {
  TemporaryFolder folder;
  folder.write("rank0.json", device_of_process(1));
  folder.write("again_rank0.json", device_of_process(2));
  folder.write("rank0.et", EtFile(0).bytes());
  folder.write("host.json", host_of(1));
  folder.write("page.html", "<html></html>");
  folder.write("job.tar", std::string("rank0.json") + std::string(247, '\0') + "ustar" +
                              std::string(250, '\0'));
  const auto refuses = [&](const std::vector<std::string>& names, const std::string& why) {
    const std::string error = inputs_of(folder, names);
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  refuses({"rank0.json", "again_rank0.json"}, "two device traces of rank 0");
  refuses({"rank0.json", "rank0.et"}, "are traces and Chakra graphs");
  refuses({"host.json"}, "Pass the device trace of the same run");
  refuses({"page.html"}, "this is a web page");
  refuses({"job.tar"}, "is no archive that can be read");
  refuses({"missing.json"}, "cannot be read");
  folder.write("a.json", device_of_process(3));
  folder.write("b.json", device_of_process(4));
  refuses({"a.json", "b.json"}, "nothing tells the rank of ");
}

}  // namespace
}  // namespace nadi
