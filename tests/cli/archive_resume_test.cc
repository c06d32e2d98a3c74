// nadi convert --traces, run again: what is done stays done, what has changed is done again.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 3;

class ArchiveResume : public ArchiveTest {
 protected:
  void SetUp() override {
    write_folder(path("traces"), traces_of_ranks(kRanks));
    write_archive(path("t.tar"), traces_of_ranks(kRanks));
  }
  void start_with(const std::string& arguments) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    written_ = writings_in("out");
  }
  /// The graphs that a run writes, by name; `expected`: its exit code.
  std::string written_by(const std::string& arguments, int expected = 0) {
    const Outcome outcome = convert(arguments);
    EXPECT_EQ(outcome.exit_code, expected) << outcome.err;
    std::string names;
    const auto now = writings_in("out");
    for (const auto& [name, writing] : now)
      if (!written_.contains(name) || written_.at(name) != writing)
        names += (names.empty() ? "" : " ") + name;
    written_ = now;
    return names;
  }
  /// Adds a blank to a trace in the folder.
  void change(const std::string& trace) const {
    std::ofstream(path("traces") / trace, std::ios::app) << ' ';
  }

 private:
  std::map<std::string, std::string> written_;
};

const std::string kAll = "x.0.et x.1.et x.2.et";

TEST_F(ArchiveResume, NothingIsConvertedTwice) {
  write_archive(path("t.zip"), traces_of_ranks(kRanks));
  for (const std::string source :
       {"traces", "t.tar", "t.zip", "- <t.tar", "t.tar --redo changed"}) {
    start_with("--traces " + source);
    const Outcome again = convert("--traces " + source);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_TRUE(holds(again.out, "0 ranks converted, 3 done before")) << again.out;
    EXPECT_EQ(written_by("--traces " + source), "") << source;
    EXPECT_EQ(written_by("--jobs 1 --memory 1G --spool . --quiet --traces " + source), "");
    expect_graphs("out", {0, 1, 2});
  }
}

TEST_F(ArchiveResume, ATraceThatHasChangedIsConvertedAgain) {
  start_with("--traces traces");
  change("host.1.json");
  EXPECT_EQ(written_by("--traces traces"), "x.1.et");
  change("device.0.json");
  change("device.2.json");
  EXPECT_EQ(written_by("--traces traces"), "x.0.et x.2.et");
  fs::last_write_time(path("traces/host.2.json"), fs::file_time_type::clock::now());
  EXPECT_EQ(written_by("--traces traces"), "x.2.et");
  EXPECT_EQ(written_by("--traces traces"), "");
}

TEST_F(ArchiveResume, AMemberThatHasChangedIsConvertedAgain) {
  auto traces = traces_of_ranks(kRanks);
  for (const char* first : {"host", "device"}) {
    write_archive(path("t.tar"), sorted_by_kind(traces, first));
    start_with("--traces t.tar");
    traces[2].modified_s += 1;  // the host trace of rank 1
    write_archive(path("t.tar"), sorted_by_kind(traces, first));
    EXPECT_EQ(written_by("--traces t.tar"), "x.1.et") << first;
    traces[1].bytes += " ";  // the device trace of rank 0
    write_archive(path("t.tar"), sorted_by_kind(traces, first));
    EXPECT_EQ(written_by("--traces t.tar"), "x.0.et") << first;
    EXPECT_EQ(written_by("--traces t.tar"), "");
    expect_graphs("out", {0, 1, 2});
  }
}

TEST_F(ArchiveResume, AGraphThatWasTouchedRemovedOrChangedIsConvertedAgain) {
  for (const char* source : {"--traces traces", "--traces t.tar"}) {
    start_with(source);
    fs::last_write_time(path("out/x.0.et"), fs::file_time_type::clock::now());
    fs::remove(path("out/x.1.et"));
    EXPECT_EQ(written_by(source), "x.0.et x.1.et");
    folder_.write("out/x.2.et", "another graph");
    EXPECT_EQ(written_by(source), "x.2.et");
    EXPECT_EQ(written_by(source), "");
    expect_graphs("out", {0, 1, 2});
  }
}

TEST_F(ArchiveResume, OtherOptionsConvertAgainIfTheyDecideWhatIsWritten) {
  for (const std::string source : {"--traces traces", "--traces t.tar"}) {
    start_with(source);
    EXPECT_EQ(written_by(source + " --min-part op"), kAll);
    EXPECT_EQ(written_by(source + " --min-part op"), "");
    EXPECT_EQ(written_by(source + " --missing alone --min-part op -v"), "");
    EXPECT_EQ(written_by(source), kAll);
    EXPECT_EQ(written_by(source + " --max-unpacked 1G"), kAll) << "may have cut traces";
    EXPECT_EQ(written_by(source + " --max-unpacked 1G --max-members 99"), "");
    expect_graphs("out", {0, 1, 2});
  }
}

TEST_F(ArchiveResume, RestartConvertsAllAgain) {
  for (const std::string source : {"--traces traces", "--traces t.tar"}) {
    start_with(source);
    EXPECT_EQ(written_by(source + " --restart"), kAll);
    EXPECT_EQ(written_by(source), "");
  }
}

/// Changes the bytes of a file, but neither its size nor its time.
void change_secretly(const fs::path& path, const std::string& bytes) {
  const auto time = fs::last_write_time(path);
  ASSERT_EQ(fs::file_size(path), bytes.size());
  std::ofstream(path, std::ios::binary | std::ios::in) << bytes;
  fs::last_write_time(path, time);
}

/// The device trace with the first of its rows lengthened.
std::string changed_device_trace(int rank) {
  std::string text = device_trace(rank);
  return text.replace(text.find("\"dur\": 23.000"), 13, "\"dur\": 24.000");
}

TEST_F(ArchiveResume, OnlyWithVerifyDoChecksumsDecide) {
  start_with("--traces traces");
  std::string graph = read_file(path("out/x.1.et"));
  graph[graph.size() / 2] ^= 1;
  change_secretly(path("out/x.1.et"), graph);
  EXPECT_EQ(written_by("--traces traces"), "");
  EXPECT_EQ(written_by("--traces traces --redo changed"), "x.1.et");
  expect_graphs("out", {0, 1, 2});
  change_secretly(path("traces/device.2.json"), changed_device_trace(2));
  EXPECT_EQ(written_by("--traces traces"), "");
  EXPECT_EQ(written_by("--traces traces --redo changed"), "x.2.et");
  EXPECT_EQ(written_by("--traces traces --redo changed"), "");
}

TEST_F(ArchiveResume, VerifyAlsoComparesMembersOfArchives) {
  start_with("--traces t.tar");
  auto traces = traces_of_ranks(kRanks);
  traces[3].bytes = changed_device_trace(1);
  write_archive(path("t.tar"), traces);
  EXPECT_EQ(written_by("--traces t.tar"), "");
  EXPECT_EQ(written_by("--traces t.tar --redo changed"), "x.1.et");
  EXPECT_EQ(written_by("--traces t.tar --redo changed"), "");
}

TEST_F(ArchiveResume, OfADamagedManifestTheWholeLinesCount) {
  const auto lines_of = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const char* source : {"--traces traces", "--traces t.tar"}) {
    const auto damage_is_mended = [&](const std::string& manifest, const std::string& names) {
      folder_.write("out/x.manifest.jsonl", manifest);
      EXPECT_EQ(written_by(source), names) << manifest;
      const std::string mended = read_file(path("out/x.manifest.jsonl"));
      EXPECT_EQ(lines_of(mended), kRanks) << mended;
      for (int rank = 0; rank < kRanks; ++rank)
        EXPECT_TRUE(holds(mended, "{\"rank\":" + std::to_string(rank) + ",")) << mended;
      EXPECT_EQ(written_by(source), "");
    };
    start_with(source);
    const auto manifest = [&] { return read_file(path("out/x.manifest.jsonl")); };
    const auto second = [&] { return manifest().find('\n') + 1; };
    damage_is_mended(manifest().substr(0, second() + 100), "x.1.et x.2.et");
    damage_is_mended(manifest().substr(0, manifest().size() - 1), "x.2.et");
    damage_is_mended("", kAll);
    damage_is_mended("no\nmanifest\xff", kAll);
    damage_is_mended("\n{}\nnull\n[[[[\n" + std::string(70'000, '{') + "\n" + manifest() +
                         "{\"rank\":1}\n\n{\"rank\":",
                     "");
    damage_is_mended(manifest().replace(second() - 2, 1, "?"), "x.0.et");
    fs::remove(path("out/x.manifest.jsonl"));
    EXPECT_EQ(written_by(source), kAll);
    expect_graphs("out", {0, 1, 2});
  }
}

/// Begins as the device trace of the rank does, and is none.
std::string garbage_of_rank(int rank) {
  const std::string device = device_trace(rank);
  return device.substr(0, device.find("\"tid\""));
}

TEST_F(ArchiveResume, ARankOfGarbageFailsAloneAndIsTriedAgainWhereItIsAskedOrMended) {
  const std::string trace = device_trace(1);
  std::string garbage = garbage_of_rank(1);
  garbage.resize(trace.size(), ' ');
  folder_.write("traces/device.1.json", garbage);
  const Outcome first = convert("--traces traces");
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_TRUE(holds(first.out, "2 ranks converted, 1 failed")) << first.out;
  EXPECT_TRUE(holds(first.err, "rank 1 (traces/device.1.json")) << first.err;
  expect_graphs("out", {0, 2});
  written_by("--traces traces", 1);

  // Mended so that only a look inside would tell.
  change_secretly(path("traces/device.1.json"), trace);
  const Outcome again = convert("--traces traces");
  EXPECT_TRUE(holds(again.out, "0 ranks converted, 2 done before, 1 failed")) << again.out;
  EXPECT_TRUE(holds(again.err, "rank 1 (traces/device.1.json")) << again.err;
  EXPECT_EQ(written_by("--traces traces", 1), "");
  EXPECT_EQ(written_by("--traces traces --redo failed"), "x.1.et");
  expect_graphs("out", {0, 1, 2});

  folder_.write("traces/device.1.json", garbage);
  EXPECT_EQ(written_by("--traces traces", 1), "");
  folder_.write("traces/device.1.json", trace);
  EXPECT_EQ(written_by("--traces traces"), "x.1.et");
}

TEST_F(ArchiveResume, AMemberOfGarbageFailsAloneAndIsTriedAgainWhereItIsAskedOrMended) {
  auto traces = traces_of_ranks(kRanks);
  traces[3].bytes = garbage_of_rank(1);
  write_archive(path("t.tar"), traces);
  const Outcome first = convert("--traces t.tar");
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_TRUE(holds(first.err, "rank 1 (t.tar:device.1.json")) << first.err;
  expect_graphs("out", {0, 2});
  written_by("--traces t.tar", 1);
  EXPECT_EQ(written_by("--traces t.tar", 1), "");
  EXPECT_EQ(written_by("--traces t.tar --redo failed", 1), "");
  write_archive(path("t.tar"), traces_of_ranks(kRanks));
  EXPECT_EQ(written_by("--traces t.tar"), "x.1.et");
  expect_graphs("out", {0, 1, 2});
}

TEST_F(ArchiveResume, AnOutputThatIsCalledLikeTheTracesStopsNoOtherRank) {
  folder_.write("traces/host.1.json", R"({"schema": "1.0.1", "pid": 40001, "nodes": 5})");
  const Outcome outcome = run("convert --traces traces --output t");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(fs::exists(path("t.0.et")) && fs::exists(path("t.2.et")));
}

TEST_F(ArchiveResume, WhereAllRanksFailTheInputIsAtFaultEachTime) {
  for (int rank = 0; rank < kRanks; ++rank)
    folder_.write(
        "traces/host." + std::to_string(rank) + ".json",
        R"({"schema": "1.0.1", "pid": )" + std::to_string(40'000 + rank) + R"(, "nodes": 5})");
  for (const char* when : {"first", "again"}) {
    const Outcome outcome = convert("--traces traces");
    EXPECT_EQ(outcome.exit_code, 3) << when << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "3 failed")) << outcome.out;
  }
}

TEST_F(ArchiveResume, TheReportIsThatOfAFreshRun) {
  for (const std::string source : {"traces", "t.tar"}) {
    std::vector<Member> traces = traces_of_ranks(kRanks + 2);
    traces[5].bytes = garbage_of_rank(2);
    traces.push_back({"notes.txt", "no trace"});
    const auto provide = [&](std::size_t count) {
      fs::remove_all(path(source));
      const std::vector<Member> members(traces.begin(), traces.begin() + count);
      source == "traces" ? write_folder(path(source), members)
                         : write_archive(path(source), members);
    };
    fs::remove_all(path("out"));
    provide(6);
    EXPECT_EQ(convert("--traces " + source).exit_code, 1);
    provide(traces.size());
    EXPECT_EQ(convert("--traces " + source + " --report resumed.json").exit_code, 1);
    EXPECT_EQ(convert("--traces " + source + " --report again.json").exit_code, 1);
    fs::remove_all(path("out"));
    EXPECT_EQ(convert("--traces " + source + " --report fresh.json").exit_code, 1);
    const std::string fresh = read_file(path("fresh.json"));
    EXPECT_EQ(read_file(path("resumed.json")), fresh);
    EXPECT_EQ(read_file(path("again.json")), fresh);
    const auto report = nlohmann::json::parse(fresh);
    EXPECT_EQ(report["jobs"][0]["summary"]["ranks"], 4);
    EXPECT_EQ(report["jobs"][0]["ranks"][3]["rank"], 4);
    EXPECT_EQ(report["failed"][0]["rank"], 2);
  }
}

TEST_F(ArchiveResume, ARankThatIsGoneIsForgottenAndItsGraphIsNamed) {
  start_with("--traces traces");
  fs::remove(path("traces/host.1.json"));
  fs::remove(path("traces/device.1.json"));
  const Outcome outcome = convert("--traces traces");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "no part of this one: out/x.1.et.\n")) << outcome.err;
  EXPECT_FALSE(holds(read_file(path("out/x.manifest.jsonl")), "{\"rank\":1,"));
}

TEST_F(ArchiveResume, ASecondJobIsConvertedBesideTheFirst) {
  write_folder(path("jobs/a"), traces_of_ranks(2));
  start_with("--recursive --traces jobs");
  write_folder(path("jobs/b"), traces_of_ranks(1));
  EXPECT_EQ(written_by("--recursive --traces jobs"), "x.b.0.et");
  EXPECT_EQ(written_by("--recursive --traces jobs"), "");
  fs::remove_all(path("jobs/a"));
  EXPECT_EQ(written_by("--recursive --traces jobs"), "");
  EXPECT_EQ(listing_of("out"), "x.a.0.et x.a.1.et x.a.manifest.jsonl x.b.0.et x.b.manifest.jsonl");
}

TEST_F(ArchiveResume, FoldersOfAnyNameInUtf8AreKnownAgain) {
  std::string long_name;
  for (int i = 0; i < 70; ++i) long_name += "ö";
  for (const std::string& job : {std::string("a b'c\"d\\e"), std::string("größe"), long_name}) {
    fs::remove_all(path("jobs"));
    write_folder(path("jobs/" + job), traces_of_ranks(1));
    start_with("--recursive --traces jobs");
    EXPECT_EQ(written_by("--recursive --traces jobs"), "") << job;
  }
}

TEST_F(ArchiveResume, NamesThatAreNoUtf8AreKnownAgain) {
  write_folder(path("odd"),
               {{"host.\xff.json", host_trace(0)}, {"device.\xff.json", device_trace(0)}});
  start_with("--traces odd");
  EXPECT_EQ(written_by("--traces odd"), "");
}

TEST_F(ArchiveResume, OwnFilesAmongTheTracesChangeNoReport) {
  ASSERT_EQ(run("convert --traces traces --output traces/x --report fresh.json").exit_code, 0);
  ASSERT_EQ(run("convert --traces traces --output traces/x --report again.json").exit_code, 0);
  EXPECT_EQ(read_file(path("again.json")), read_file(path("fresh.json")));
}

TEST_F(ArchiveResume, GraphsAreKnownAgainFromAnotherFolderAndByAnotherSpelling) {
  start_with("--traces traces");
  for (const char* prefix : {"x", "../out//x", "./x"}) {
    const Outcome outcome =
        run_tool("convert --traces ../traces/. --output " + std::string(prefix), path("out"));
    EXPECT_TRUE(holds(outcome.out, "0 ranks converted, 3 done before")) << outcome.out;
    EXPECT_FALSE(holds(outcome.err, "no part of this one")) << outcome.err;
  }
}

TEST_F(ArchiveResume, AHostTraceThatComesLaterIsTaken) {
  const auto traces = sorted_by_kind(traces_of_ranks(kRanks), "device");
  write_folder(path("some"), {traces.begin(), traces.begin() + kRanks});
  start_with("--traces some");
  write_folder(path("some"), {traces.begin() + kRanks, traces.end()});
  EXPECT_EQ(written_by("--traces some"), kAll);
  expect_graphs("out", {0, 1, 2});
}

TEST_F(ArchiveResume, GraphsOfAnotherVersionAreConvertedAgain) {
  start_with("--traces traces");
  std::string manifest = read_file(path("out/x.manifest.jsonl"));
  const std::string version = "\"nadi\":\"";
  manifest.insert(manifest.rfind(version) + version.size(), "9.");
  folder_.write("out/x.manifest.jsonl", manifest);
  EXPECT_EQ(written_by("--traces traces"), "x.2.et");
}

TEST_F(ArchiveResume, AQuietRunStillNamesTheRanksThatFailed) {
  folder_.write("traces/host.1.json", R"({"schema": "1.0.1", "pid": 40001, "nodes": 5})");
  for (const char* when : {"first", "again"}) {
    const Outcome outcome = convert("--quiet --traces traces");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(outcome.err, "traces/host.1.json")) << when << outcome.err;
    EXPECT_FALSE(holds(outcome.out, "converted")) << outcome.out;
  }
}

}  // namespace
}  // namespace nadi
