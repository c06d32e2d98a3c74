// Folders as tools leave them: numbers in names that are no ranks, traces of no rank, several
// windows of a rank.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVllm = "vllm";
constexpr const char* kWindows = "two-windows";

std::string window_of(int rank, int window) {
  return std::string("two-windows/nodeA_10") + std::to_string(rank) + ".17640000000" +
         std::to_string(window - 1) + std::to_string(rank) + ".pt.trace.json";
}

/// A device trace of a process, which begins at the time and tells its rank only if one is given.
std::string trace_of(int pid, int begin_us, std::optional<int> rank = {}) {
  const std::string host = R"("pid": )" + std::to_string(pid) + R"(, "tid": 1, "ts": )";
  const std::string header =
      rank ? R"("distributedInfo": {"rank": )" + std::to_string(*rank) + "}, " : "";
  return "{" + header + R"("traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", )" +
         host + std::to_string(begin_us) + R"(, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", )" +
         host + std::to_string(begin_us + 2) + R"(, "dur": 3, "args": {"correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(begin_us + 20) +
         R"(, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 5}}]})";
}

class Folders : public ArchiveTest {
 protected:
  Folders() {
    fs::copy(NADI_TEST_DATA "/../cli/folders", folder_.path(), fs::copy_options::recursive);
    fs::create_directory(path(kWindows));
    // Both windows of a rank begin at one time: their names tell which is newer.
    for (const int rank : {0, 1}) {
      const std::string newer = trace_of(100 + rank, 10, rank);
      std::string older = newer;
      folder_.write(window_of(rank, 1), older.replace(older.find("gemm"), 4, "conv"));
      folder_.write(window_of(rank, 2), newer);
    }
  }
  /// Of files of a folder, as members of an archive.
  std::vector<Member> members_of(const std::string& folder) const {
    std::vector<Member> members;
    for (const auto& entry : fs::directory_iterator(path(folder)))
      members.push_back({entry.path().filename().string(), read_file(entry.path())});
    std::sort(members.begin(), members.end(),
              [](const Member& a, const Member& b) { return a.name < b.name; });
    return members;
  }
  /// The graph of a trace alone.
  std::string graph_of(const std::string& trace) const {
    EXPECT_EQ(run("convert --device " + trace + " --output-file alone.et").exit_code, 0);
    return read_file(path("alone.et"));
  }
};

TEST_F(Folders, OfTensorAndDataParallelRanksAreJudgedTogether) {
  fs::create_directory(path("tp-dp"));
  for (const int dp : {0, 1})
    for (const int tp : {0, 1})
      folder_.write("tp-dp/dp" + std::to_string(dp) + "_tp" + std::to_string(tp) + ".json",
                    trace_of(100 + 2 * dp + tp, 10));
  EXPECT_EQ(convert("--traces tp-dp").exit_code, 0);
  EXPECT_EQ(listing_of("out"), "x.0.et x.1.et x.2.et x.3.et x.manifest.jsonl");
  EXPECT_EQ(run("events tp-dp --output e.csv").exit_code, 0);
}

TEST_F(Folders, OfOneProcessWhoseStepsAreNumberedAreWindows) {
  fs::create_directory(path("steps"));
  for (const int step : {100, 200, 300})
    folder_.write("steps/trace_step" + std::to_string(step) + ".json", trace_of(9, 1000 * step));
  const Outcome outcome = convert("--traces steps");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(listing_of("out"), "x.0.et x.manifest.jsonl");
  EXPECT_TRUE(holds(outcome.err, "window-passed-over")) << outcome.err;
}

TEST_F(Folders, OneNumberThatIsNoRankGivesRankZeroInEveryVerb) {
  const std::string trace = "model-number/model__1016001.json.gz";
  for (const std::string& source : {trace, std::string("model-number")}) {
    const Outcome events = run("events " + source + " --output e.csv");
    EXPECT_TRUE(holds(events.out, " of rank 0\n")) << events.out;
    fs::remove_all(path("out"));
    EXPECT_EQ(convert("--traces " + source).exit_code, 0);
    EXPECT_EQ(listing_of("out"), "x.0.et x.manifest.jsonl") << source;
  }
  const Outcome alone = run("convert --device " + trace + " --output alone");
  EXPECT_TRUE(holds(alone.out, "alone.0.et (rank 0)")) << alone.out;
  const Outcome diff = run("diff " + trace + " " + trace + " --ranks 0");
  EXPECT_EQ(diff.exit_code, 0) << diff.err;
}

TEST_F(Folders, NamesTellTheSameRankInEveryVerb) {
  const std::string text =
      read_file(path("vllm/dp0_pp0_tp1_dcp0_ep1_rank1.1773709679453551616.pt.trace.json.gz"));
  for (const auto& [name, rank] : {std::pair{"step9_rank3.json.gz", 3},
                                   {"worker_4-77.json.gz", 4},
                                   {"1757-TP-2.trace.json.gz", 2},
                                   {"http0.json.gz", 0}}) {
    const std::string number = std::to_string(rank);
    folder_.write(name, text);
    fs::create_directory(path("one"));
    folder_.write(std::string("one/") + name, text);
    const Outcome alone = run(std::string("convert --device ") + name + " --output alone");
    EXPECT_TRUE(holds(alone.out, "(rank " + number + ")")) << alone.out;
    const Outcome events = run(std::string("events ") + name + " --output e.csv");
    EXPECT_TRUE(holds(events.out, " of rank " + number + "\n")) << events.out;
    ASSERT_EQ(run(std::string("link --device ") + name + " --output l.json").exit_code, 0);
    std::string linked = read_file(path("l.json"));
    const std::size_t at = linked.find("\"rank\":" + number);
    ASSERT_NE(at, std::string::npos) << name;
    folder_.write("linked_rank5.json", linked.replace(at, 6, "\"other\""));
    EXPECT_TRUE(holds(run("convert --linked linked_rank5.json --output l").out, "l.5.et (rank 5)"));
    fs::remove_all(path("out"));
    EXPECT_EQ(convert("--traces one").exit_code, 0) << name;
    EXPECT_EQ(listing_of("out"), "x." + number + ".et x.manifest.jsonl") << name;
    fs::remove_all(path("one"));
  }
}

TEST_F(Folders, OfRanksAndACoordinatorGiveTheGraphsOfTheRanks) {
  write_archive(path("vllm.tar"), members_of(kVllm));
  for (const std::string source : {"vllm", "vllm.tar"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--strict --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(listing_of("out"), "x.0.et x.1.et x.manifest.jsonl");
    EXPECT_TRUE(holds(outcome.err, "trace-without-device-rows")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "host-a_999.async_llm.")) << "it is named";
    const Outcome again = convert("--strict --traces " + source);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(holds(again.out, "0 ranks converted, 2 done before")) << again.out;
  }
  const Outcome events = run("events vllm --output e.csv");
  EXPECT_EQ(events.exit_code, 0);
  EXPECT_TRUE(holds(events.out, " of ranks 0, 1\n")) << events.out;
}

TEST_F(Folders, OfRanksWithoutDevicesAreConvertedWhole) {
  const std::string text =
      read_file(path("vllm/host-a_999.async_llm.1773709679453551000.pt.trace.json.gz"));
  fs::create_directory(path("cpu"));
  folder_.write("cpu/trace_0.json.gz", text);
  folder_.write("cpu/trace_1.json.gz", text);
  const Outcome outcome = convert("--traces cpu");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(listing_of("out"), "x.0.et x.1.et x.manifest.jsonl");
}

TEST_F(Folders, OfTwoWindowsGiveTheNewestAndSaySo) {
  const std::string newest = graph_of(window_of(1, 2));
  ASSERT_FALSE(newest == graph_of(window_of(1, 1)));
  auto members = members_of(kWindows);
  write_archive(path("windows.tar"), members);
  std::reverse(members.begin(), members.end());
  write_archive(path("reversed.tar"), members);
  for (const std::string source :
       {"two-windows", "windows.tar", "reversed.tar", "windows.tar --shard 1/2"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--strict --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "window-passed-over")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "window 1 of 2")) << outcome.err;
    EXPECT_TRUE(read_file(path("out/x.1.et")) == newest) << source;
  }
  const Outcome events = run("events two-windows --output e.csv");
  EXPECT_EQ(events.exit_code, 0) << events.err;
  EXPECT_TRUE(holds(events.err, "window-passed-over")) << events.err;
}

TEST_F(Folders, OfTwoWindowsGiveTheOneThatIsChosen) {
  const std::string oldest = graph_of(window_of(0, 1)), newest = graph_of(window_of(0, 2));
  const auto chosen = [&](const std::string& window) {
    const Outcome outcome = convert("--traces two-windows --window " + window);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(graphs_in("out").size(), 2U) << window;
    return read_file(path("out/x.0.et"));
  };
  EXPECT_TRUE(chosen("1") == oldest);
  EXPECT_TRUE(chosen("2") == newest) << "a manifest has the rank with its other window";
  EXPECT_TRUE(chosen("newest") == newest);
  const Outcome missing = convert("--traces two-windows --window 3");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(holds(missing.err, "are of 2 windows")) << missing.err;
  for (const char* wrong : {"0", "old", "-1"})
    EXPECT_EQ(convert("--traces two-windows --window " + std::string(wrong)).exit_code, 2);
  EXPECT_EQ(convert("--device " + window_of(0, 1) + " --window all").exit_code, 2);
}

TEST_F(Folders, OfTwoWindowsGiveGraphsOfEachWhereAllAreAskedFor) {
  write_archive(path("windows.tar"), members_of(kWindows));
  for (const std::string source : {"two-windows", "windows.tar"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--window all --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto graphs = graphs_in("out");
    ASSERT_EQ(graphs.size(), 4U);
    for (const int window : {1, 2})
      for (const int rank : {0, 1})
        EXPECT_TRUE(graphs.at("x.w" + std::to_string(window) + "." + std::to_string(rank) +
                              ".et") == graph_of(window_of(rank, window)));
    const auto before = writings_in("out");
    const Outcome again = convert("--window all --traces " + source);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(writings_in("out"), before) << "they are done";
  }
  for (const char* shard : {"0/2", "1/2"})
    EXPECT_EQ(run("convert --window all --traces windows.tar --output parts/x --shard " +
                  std::string(shard))
                  .exit_code,
              0);
  EXPECT_EQ(run("convert --window all --traces windows.tar --output parts/x --finish").exit_code,
            0);
  EXPECT_EQ(graphs_in("parts"), graphs_in("out"));
}

TEST_F(Folders, OfTwoWindowsAndOneHostTraceGiveTheNewest) {
  std::string older = device_trace(0);
  for (std::size_t at; (at = older.find("gemm")) != std::string::npos;)
    older.replace(at, 4, "conv");
  write_archive(path("t.tar"), {{"host.0.json", host_trace(0)},
                                {"a.1764000000000.json", older},
                                {"a.1764000000010.json", device_trace(0)}});
  for (const std::string source : {"t.tar", "t.tar --window newest", "- --window newest <t.tar"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_graphs("out", {0});
  }
  const Outcome begun = convert("--redo all --traces - <t.tar");
  EXPECT_EQ(begun.exit_code, 3);
  EXPECT_TRUE(holds(begun.err, "run the same command again with --window newest")) << begun.err;
}

TEST_F(Folders, LoseWhatAnEmptyOrDamagedTraceHeldAndSaySo) {
  fs::create_directory(path("lost"));
  folder_.write("lost/rank0.json", trace_of(5, 100));
  folder_.write("lost/rank1.json", "");
  folder_.write("lost/rank2.json.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
  folder_.write("lost/notes.txt", "");
  const std::string convert = "convert --traces lost --output out/x --report r.json";
  const Outcome outcome = run(convert);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto found = nlohmann::json::parse(read_file(path("r.json")))["diagnostics"];
  ASSERT_EQ(found.size(), 2U) << found;
  EXPECT_EQ(found[1]["kind"], "trace-unread") << found;
  EXPECT_EQ(found[1]["severity"], "loss");
  EXPECT_EQ(found[1]["count"], 2) << found;
  EXPECT_EQ(found[1]["first"][0], "lost/rank1.json: an empty file");
  EXPECT_EQ(found[0]["kind"], "file-ignored");
  EXPECT_NE(run(convert + " --strict --redo all").exit_code, 0);
}

TEST_F(Folders, AreLookedAtWindowByWindow) {
  for (const std::string verb : {"profile", "replay", "doctor"}) {
    const Outcome newest = run(verb + " two-windows"),
                  first = run(verb + " two-windows --window 1");
    EXPECT_TRUE(holds(newest.out + newest.err, window_of(0, 1) + ": window 1 of 2")) << verb;
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_TRUE(holds(first.out + first.err, window_of(0, 2) + ": window 2 of 2")) << first.err;
    EXPECT_EQ(run(verb + " two-windows --window all").exit_code, 2) << verb;
  }
}

TEST_F(Folders, AreProfiledWithoutRanksWhoseTracesAreCut) {
  fs::create_directory(path("cut"));
  folder_.write("cut/rank0.json", trace_of(5, 100));
  folder_.write("cut/rank1.json", trace_of(6, 100));
  folder_.write("cut/rank2.json", R"({"schemaVersion": 1, "deviceProperties": [{"id": )");
  folder_.write("cut/rank3.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "na)");
  const Outcome outcome = run("profile cut");
  ASSERT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("2 ranks: ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "  trace-unread   loss")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "cut/rank2.json: JSON that is cut before anything happens"));
  EXPECT_TRUE(holds(outcome.out, "  rank-left-out  loss")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "rank 3: ")) << outcome.out;
  EXPECT_EQ(run("replay cut").exit_code, 1);
  // Who is named is expected to be there.
  EXPECT_EQ(run("profile cut/rank0.json cut/rank3.json").exit_code, 3);
  for (const std::string rank : {"0", "1"})
    ASSERT_EQ(run("convert cut/rank" + rank + ".json --output graphs/g").exit_code, 0);
  folder_.write("graphs/g.1.et", read_file(path("graphs/g.1.et")).substr(0, 300));
  const Outcome graphs = run("profile graphs");
  EXPECT_EQ(graphs.exit_code, 1) << graphs.err;
  EXPECT_TRUE(holds(graphs.out, "rank 1: graphs/g.1.et, byte ")) << graphs.out;
}

TEST_F(Folders, TellWhatOneRankLacksBeforeWhatAllLack) {
  fs::create_directory(path("cut"));
  for (const int rank : {0, 1, 2})
    folder_.write("cut/rank" + std::to_string(rank) + ".json", trace_of(5 + rank, 100));
  const std::string whole = trace_of(8, 100);
  folder_.write("cut/rank3.json", whole.substr(0, whole.rfind("{\"ph\"")));
  const Outcome doctor = run("doctor cut");
  const std::size_t cut = doctor.out.find("rank 3: truncated-input");
  const std::size_t shared = doctor.out.find("rank 0: host trace: none");
  ASSERT_NE(cut, std::string::npos) << doctor.out;
  ASSERT_NE(shared, std::string::npos) << doctor.out;
  EXPECT_LT(cut, shared);
  EXPECT_TRUE(holds(doctor.out, "; and so are 3 more")) << doctor.out;
  const Outcome profile = run("profile cut");
  EXPECT_TRUE(holds(profile.out, "A rank has no device rows")) << profile.out;
  EXPECT_TRUE(holds(profile.out, "Where: rank 3, cut/rank3.json")) << profile.out;
}

TEST_F(Folders, HaveOneProcessInEachRanksTrace) {
  fs::create_directory(path("two"));
  folder_.write("two/rank0.json", trace_of(5, 100));
  const std::string other = trace_of(7, 200);
  std::string both = trace_of(6, 100);
  both.resize(both.rfind("]}"));
  both += "," + other.substr(other.find('[') + 1);
  folder_.write("two/rank1.json", both);
  const Outcome outcome = run("profile two");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "rank 1: two/rank1.json: holds 2 processes")) << outcome.out;
}

TEST_F(Folders, AreListedWithoutAnOutput) {
  const Outcome outcome = run("convert --traces two-windows --dry-run");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "PREFIX.0.et")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, window_of(1, 2))) << outcome.out;
  EXPECT_FALSE(holds(outcome.out, window_of(1, 1))) << outcome.out;
  EXPECT_TRUE(holds(outcome.err, "window-passed-over")) << outcome.err;
  const Outcome all = run("convert --traces two-windows --dry-run --window all");
  EXPECT_TRUE(holds(all.out, "PREFIX.w1.0.et")) << all.out;
  EXPECT_EQ(folder_.listing(), "README.md model-number two-windows vllm");
}

}  // namespace
}  // namespace nadi
