// nadi convert --traces: which sources are taken, how ranks are told apart, what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

class Archive : public ArchiveTest {};

TEST_F(Archive, FoldersAndArchivesOfEveryPackingGiveTheGraphsOfEachPairAlone) {
  int runs = 0;
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    const auto traces = packed_each(traces_of_ranks(3), compression);
    for (const char* source : {"folder", "t.tar", "t.tar.gz", "t.tar.zst", "t.zip"}) {
      fs::remove_all(path(source));
      if (std::string(source) == "folder")
        write_folder(path(source), traces);
      else
        write_archive(path(source), traces);
      const std::string out = "out" + std::to_string(runs);
      const Outcome outcome = run("convert --traces " + std::string(source) + " --output " + out +
                                  "/x --jobs " + std::to_string(1 + runs++ % 3));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_TRUE(holds(outcome.out, "3 ranks converted")) << outcome.out;
      expect_graphs(out, {0, 1, 2});
      EXPECT_EQ(listing_of(out), "x.0.et x.1.et x.2.et x.manifest.jsonl") << source;
    }
  }
}

TEST_F(Archive, MembersMayComeInAnyOrder) {
  const auto traces = traces_of_ranks(4);
  write_archive(path("reversed.tar"), {traces.rbegin(), traces.rend()});
  write_archive(path("hosts-first.tar"), sorted_by_kind(traces, "host"));
  write_archive(path("devices-first.tar"), sorted_by_kind(traces, "device"));
  for (const char* order : {"reversed", "hosts-first", "devices-first"})
    for (const char* jobs : {"1", "2", "3"}) {
      const std::string out = std::string(order) + jobs;
      const Outcome outcome = run("convert --traces " + std::string(order) + ".tar --output " +
                                  out + "/x --jobs " + jobs);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      expect_graphs(out, {0, 1, 2, 3});
    }
}

TEST_F(Archive, ListsStandardInputAndSeveralSourcesMayHoldOneJob) {
  const auto traces = sorted_by_kind(traces_of_ranks(3), "host");
  const std::vector<Member> hosts(traces.begin(), traces.begin() + 3),
      devices(traces.begin() + 3, traces.end());
  write_archive(path("all.tar"), traces);
  write_archive(path("hosts.tar.gz"), hosts);
  write_archive(path("devices.zip"), devices);
  write_folder(path("devices"), devices);
  folder_.write("list", "devices.zip\r\n\nhosts.tar.gz");
  folder_.write("traces", "devices/device.1.json\ndevices/device.2.json\n");
  int runs = 0;
  for (const char* sources :
       {"- <all.tar", "hosts.tar.gz devices.zip", "devices.zip --traces hosts.tar.gz",
        "hosts.tar.gz devices", "@list", "hosts.tar.gz @traces devices/device.0.json"}) {
    const std::string out = "out" + std::to_string(runs++);
    const Outcome outcome = run("convert --output " + out + "/x --traces " + sources);
    EXPECT_EQ(outcome.exit_code, 0) << sources << "\n" << outcome.err;
    expect_graphs(out, {0, 1, 2});
  }
}

/// The trace with so many characters more, which no packing makes much smaller.
std::string with_noise(std::string trace, std::size_t characters) {
  static std::mt19937 random(1);
  std::string noise(characters, ' ');
  for (char& c : noise) c = static_cast<char>('0' + random() % 64);
  std::replace(noise.begin(), noise.end(), '\\', '!');
  return trace.replace(trace.rfind('}'), 1, ", \"noise\": \"" + noise + "\"}");
}

TEST_F(Archive, TracesThatWaitGoToDiskWhereMemoryIsFull) {
  auto traces = sorted_by_kind(traces_of_ranks(4), "host");
  for (std::size_t host = 0; host < 4; ++host)
    traces[host].bytes = with_noise(std::move(traces[host].bytes), 4'000'000);
  write_archive(path("hosts-first.tar"), traces);
  fs::create_directory(path("spool"));
  for (const char* jobs : {"1", "2", "3"}) {
    fs::remove_all(path("out"));
    const std::string options = "--traces hosts-first.tar --jobs " + std::string(jobs);
    const Outcome little = convert(options + " --memory 48M --spool spool");
    EXPECT_EQ(little.exit_code, 0) << little.err;
    EXPECT_TRUE(holds(little.out, " MiB of waiting traces went to disk\n")) << little.out;
    EXPECT_EQ(listing_of("spool"), "");
    expect_graphs("out", {0, 1, 2, 3});
  }
  const Outcome plenty = convert("--traces hosts-first.tar --memory 1G --redo all");
  EXPECT_EQ(plenty.exit_code, 0) << plenty.err;
  EXPECT_FALSE(holds(plenty.out, "went to disk")) << plenty.out;
  expect_graphs("out", {0, 1, 2, 3});
}

TEST_F(Archive, ARankThatNeedsMoreMemoryThanIsAllowedFailsAlone) {
  auto traces = traces_of_ranks(2);
  traces[2].bytes = with_noise(std::move(traces[2].bytes), 12'000'000);
  write_archive(path("t.tar"), traces);
  const Outcome outcome = convert("--traces t.tar --memory 40M");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "rank 1 of out/x: needs about ")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "--memory 40 MiB leaves 13 MiB")) << outcome.err;
  expect_graphs("out", {0});
  EXPECT_EQ(convert("--traces t.tar --memory 80M").exit_code, 0);
  expect_graphs("out", {0, 1});
}

TEST_F(Archive, FoldersInFoldersAreJobsOfTheirOwn) {
  const std::vector<Member> traces = {
      {"a/host.0.json", host_trace(0)},     {"a/device.0.json", device_trace(0)},
      {"b/rank0/host.json", host_trace(0)}, {"b/rank0/device.json", device_trace(0)},
      {"b/host/rank1.json", host_trace(1)}, {"b/kineto/rank1.json", device_trace(1)}};
  write_folder(path("runs"), traces);
  write_archive(path("runs.tar"), traces);
  for (const char* source : {"runs --recursive", "runs.tar"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--traces " + std::string(source));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(listing_of("out"),
              "x.a.0.et x.a.manifest.jsonl x.b.0.et x.b.1.et x.b.manifest.jsonl");
    const auto graphs = graphs_in("out");
    EXPECT_TRUE(graphs.at("x.a.0.et") == graphs.at("x.b.0.et"));
    EXPECT_FALSE(graphs.at("x.b.0.et") == graphs.at("x.b.1.et"));
  }
  const Outcome flat = run("convert --traces runs --output flat/x");
  EXPECT_EQ(flat.exit_code, 3);
  EXPECT_TRUE(holds(flat.err, "holds no trace")) << flat.err;
  EXPECT_TRUE(holds(flat.err, "--recursive")) << flat.err;
}

TEST_F(Archive, FoldersOfLikeNamesAreJobsOfTheirOwn) {
  for (const char* job : {"a b", "a_b", "a-b", "a/b", "a--b", "shard-0-of-2"})
    write_folder(path("runs") / job, traces_of_ranks(1));
  for (const char* when : {"first", "again"}) {
    const Outcome outcome = convert("--traces runs --recursive");
    EXPECT_EQ(outcome.exit_code, 0) << when << outcome.err;
    EXPECT_EQ(graphs_in("out").size(), 6U);
  }
}

TEST_F(Archive, AnArchiveOfOneTraceTellsItsName) {
  write_archive(path("hosts.tar.gz"), {{"host.5.json", host_trace(0)}});
  write_archive(path("devices.zip"), {{"device.5.json", device_trace(0)}});
  const Outcome outcome = convert("--dry-run --traces hosts.tar.gz devices.zip");
  EXPECT_TRUE(holds(outcome.out, "hosts.tar.gz:host.5.json")) << outcome.out << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "devices.zip:device.5.json")) << outcome.out;
}

TEST_F(Archive, AsOneJobFoldersTellNoJobsApart) {
  write_folder(path("nodes/a"), traces_of_ranks(2));
  write_folder(path("nodes/b"),
               {{"host.2.json", host_trace(2)}, {"device.2.json", device_trace(2)}});
  const Outcome outcome = convert("--traces nodes --recursive --one-job");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_graphs("out", {0, 1, 2});
}

TEST_F(Archive, NamesTheOptionWhereHostAndDeviceTracesStandInFoldersBesideEachOther) {
  write_folder(path("nodes/observed"), {{"host.0.json", host_trace(0)}});
  write_folder(path("nodes/profiled"), {{"device.0.json", device_trace(0)}});
  const Outcome outcome = convert("--traces nodes --recursive");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "If those of another folder belong to it, --one-job takes them"))
      << outcome.err;
  fs::remove_all(path("out"));
  EXPECT_EQ(convert("--traces nodes --recursive --one-job").exit_code, 0);
  expect_graphs("out", {0});
}

TEST_F(Archive, ADryRunListsThePairsAndWritesNothing) {
  write_folder(path("traces"), traces_of_ranks(2));
  write_archive(path("t.tar"), traces_of_ranks(2));
  for (const std::string source : {"traces", "t.tar"}) {
    const std::string before = tree_of(folder_.path());
    const Outcome outcome = convert("--dry-run --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "out/x.1.et ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "host.1.json ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "device.1.json  to do\n")) << outcome.out;
    EXPECT_EQ(tree_of(folder_.path()), before) << source;
  }
  ASSERT_EQ(convert("--traces traces").exit_code, 0);
  const std::string before = tree_of(folder_.path());
  const Outcome outcome = convert("--dry-run --traces traces");
  EXPECT_TRUE(holds(outcome.out, "device.1.json  done\n")) << outcome.out;
  EXPECT_EQ(tree_of(folder_.path()), before);
}

TEST_F(Archive, OptionsThatContradictEachOtherAreRefused) {
  write_folder(path("traces"), traces_of_ranks(1));
  for (const char* options :
       {"--dry-run --report r.json", "--dry-run --html r.html", "--dry-run --simulate",
        "--finish --redo all", "--finish --shard 0/2", "--shard 2/2"}) {
    const Outcome outcome = convert("--traces traces " + std::string(options));
    EXPECT_EQ(outcome.exit_code, 2) << options << outcome.err;
  }
  EXPECT_EQ(convert("--shard 0/2 --traces - <traces").exit_code, 2);
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(Archive, ARankWithoutHostTraceFailsUnlessItMayBeAlone) {
  auto traces = traces_of_ranks(3);
  traces.erase(traces.begin() + 2);
  write_folder(path("traces"), traces);
  write_archive(path("t.tar"), traces);
  ASSERT_EQ(run("convert --device traces/device.1.json --output alone/x").exit_code, 0);
  for (const std::string source : {"traces", "t.tar"}) {
    fs::remove_all(path("out"));
    for (const char* missing : {"", " --missing error"}) {
      const Outcome outcome = convert("--traces " + source + missing);
      EXPECT_EQ(outcome.exit_code, 1);
      EXPECT_TRUE(holds(outcome.err, "holds no host trace of rank 1")) << outcome.err;
      expect_graphs("out", {0, 2});
    }
    const Outcome outcome = convert("--missing alone --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto graphs = graphs_in("out");
    EXPECT_EQ(graphs.size(), 3U);
    EXPECT_TRUE(graphs.at("x.1.et") == graphs_in("alone").at("x.1.et"));
  }
}

TEST_F(Archive, APatternSaysWhichTracesAndWhichRanks) {
  const std::vector<Member> traces = {
      {"run1.7.host.json", host_trace(0)},    {"run1.7.device.json", device_trace(0)},
      {"run1.8.host.json", host_trace(1)},    {"run1.8.device.json", device_trace(1)},
      {"run2.9.host.json", host_trace(0)},    {"run2.9.device.json", device_trace(0)},
      {"run1.x.device.json", device_trace(3)}};
  write_folder(path("traces"), traces);
  write_archive(path("t.tar"), traces);
  for (const std::string source : {"traces", "t.tar"}) {
    fs::remove_all(path("out"));
    const Outcome outcome = convert("--pattern 'run1.{rank}.*' --traces " + source);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(listing_of("out"), "x.7.et x.8.et x.manifest.jsonl");
    EXPECT_TRUE(holds(outcome.err, "file-ignored")) << outcome.err;
  }
  const Outcome outcome = convert("--pattern '*.json' --traces traces");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
}

TEST_F(Archive, TwoDeviceTracesOfARankFailThatRankAlone) {
  auto traces = traces_of_ranks(3);
  traces.push_back({"device.one-more.json", device_trace(1)});
  write_folder(path("traces"), traces);
  write_archive(path("t.tar"), traces);
  for (const std::string source : {"traces", "t.tar"}) {
    fs::remove_all(path("out"));
    for (const char* when : {"first", "again"}) {
      const Outcome outcome = convert("--traces " + source);
      EXPECT_EQ(outcome.exit_code, 1) << when;
      EXPECT_TRUE(holds(outcome.err, "holds two device traces of rank 1: " + source +
                                         (source == "traces" ? "/" : ":") + "device.1.json and "))
          << outcome.err;
      expect_graphs("out", {0, 2});
    }
  }
}

TEST_F(Archive, APairThatWasBegunWithTooEarlyIsMadeAgain) {
  const auto of_process_of_0 = [](int rank) {
    std::string text = device_trace(rank);
    const std::string own = "\"pid\": " + std::to_string(40'000 + rank);
    for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos; ++at)
      text.replace(at, own.size(), "\"pid\": 40000");
    return text;
  };
  // By process and number the first two are a pair, until the last two come.
  const std::vector<Member> traces = {{"host.1.json", host_trace(0)},
                                      {"device.7.json", of_process_of_0(1)},
                                      {"device.1.json", device_trace(2)},
                                      {"host.7.json", host_trace(0)}};
  write_folder(path("traces"), traces);
  write_archive(path("t.tar"), traces);
  const Outcome of_folder = run("convert --traces traces --output folder/x");
  ASSERT_EQ(of_folder.exit_code, 0) << of_folder.err;
  const Outcome of_archive = run("convert --traces t.tar --output archive/x");
  EXPECT_EQ(of_archive.exit_code, 0) << of_archive.err;
  EXPECT_TRUE(graphs_in("archive") == graphs_in("folder"));
}

TEST_F(Archive, OfAHostileArchiveNothingLiesOutside) {
  std::vector<Member> members = traces_of_ranks(2);
  const std::string trace = device_trace(5);
  using enum MemberKind;
  const std::vector<Member> hostile = {{"../device.5.json", trace},
                                       {"a/../../device.5.json", trace},
                                       {path("device.5.json").string(), trace},
                                       {"/device.5.json", trace},
                                       {"link", "..", 0, kSymbolicLink},
                                       {"device.6.json", "/etc/passwd", 0, kSymbolicLink},
                                       {"device.7.json", "../inside/t.tar", 0, kHardLink},
                                       {"device.0.json", device_trace(5)},
                                       {"./host.0.json", host_trace(5)}};
  members.insert(members.end(), hostile.begin(), hostile.end());
  members.push_back({"folder/", "", 0, kFolder});
  members.push_back({"link/notes.txt", "no trace"});
  fs::create_directory(path("inside"));
  write_archive(path("inside/t.tar"), members);
  const std::string before = folder_.listing();
  const Outcome outcome =
      run_tool("convert --traces t.tar --output out/x --report r.json", path("inside"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_graphs("inside/out", {0, 1});
  EXPECT_EQ(folder_.listing(), before);
  EXPECT_EQ(listing_of("inside"), "out r.json t.tar");
  EXPECT_EQ(listing_of("inside/out"), "x.0.et x.1.et x.manifest.jsonl");
  EXPECT_FALSE(fs::exists("/device.5.json"));
  EXPECT_TRUE(holds(outcome.err, "member-refused")) << outcome.err;
  const auto report = nlohmann::json::parse(read_file(path("inside/r.json")));
  std::map<std::string, std::uint64_t> counts;
  for (const auto& finding : report["diagnostics"]) counts[finding["kind"]] = finding["count"];
  EXPECT_EQ(counts["member-refused"], hostile.size());
  EXPECT_EQ(counts["file-ignored"], 1U);
}

TEST_F(Archive, OfACutArchiveWhatCameBeforeIsConvertedAndTheRestFollows) {
  for (const char* ending : {".tar", ".tar.gz"}) {
    fs::remove_all(path("out"));
    const std::string source = std::string("t") + ending;
    write_archive(path(source), traces_of_ranks(8));
    const std::string whole = read_file(path(source));
    folder_.write(source, std::string_view(whole).substr(0, whole.size() / 2));
    const Outcome cut = convert("--traces " + source);
    EXPECT_LE(cut.exit_code, 1) << cut.err;
    EXPECT_TRUE(holds(cut.err, "archive-ended-early")) << cut.err;
    const auto before = writings_in("out");
    EXPECT_GE(before.size(), 2U);
    EXPECT_LT(before.size(), 8U);
    folder_.write(source, whole);
    const Outcome rest = convert("--traces " + source);
    EXPECT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_FALSE(holds(rest.err, "archive-ended-early")) << rest.err;
    const auto after = writings_in("out");
    for (const auto& [name, writing] : before) EXPECT_EQ(after.at(name), writing) << name;
    expect_graphs("out", {0, 1, 2, 3, 4, 5, 6, 7});
  }
}

TEST_F(Archive, ACutBetweenHostAndDeviceTraceFailsThatRank) {
  const auto traces = traces_of_ranks(3);
  write_archive(path("t.tar"), traces);
  const std::string whole = read_file(path("t.tar"));
  // In the middle of the device trace of rank 1.
  const std::size_t cut = whole.find(traces[3].bytes) + traces[3].bytes.size() / 2;
  folder_.write("t.tar", std::string_view(whole).substr(0, cut));
  const Outcome outcome = convert("--traces t.tar");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "host.1.json")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "device.1.json: ")) << outcome.err;
  expect_graphs("out", {0});
}

TEST_F(Archive, WhereNoRankCanBeConvertedTheInputIsAtFault) {
  write_folder(path("empty"), {});
  fs::create_directories(path("empty"));
  write_folder(path("hosts"), {{"host.0.json", host_trace(0)}});
  folder_.write("notes.txt", "no trace");
  for (const char* source : {"empty", "hosts", "notes.txt", "nowhere", "@notes.txt"}) {
    const Outcome outcome = convert("--traces " + std::string(source));
    EXPECT_EQ(outcome.exit_code, 3) << source << outcome.err;
    EXPECT_NE(outcome.err, "");
    expect_graphs("out", {});
  }
}

TEST_F(Archive, ThatIsCutBeforeItsHostTracesGivesNoGraphsOfDeviceTracesAlone) {
  const auto members = sorted_by_kind(traces_of_ranks(3), "device");
  write_archive(path("t.tar"), members);
  std::size_t devices = 0;
  for (const Member& member : members)
    if (member.name.starts_with("device")) devices += 1024 + member.bytes.size();
  std::filesystem::resize_file(path("t.tar"), devices);
  const Outcome outcome = convert("--traces t.tar");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "has no host trace, which may lie behind the place where"))
      << outcome.err;
  EXPECT_EQ(convert("--traces t.tar --missing alone").exit_code, 0);
  const Outcome strict = convert("--traces t.tar --missing alone --strict");
  EXPECT_EQ(strict.exit_code, 1) << strict.err;
  EXPECT_TRUE(holds(strict.err, "a rank may be missing: the sources are not whole (--strict)"))
      << strict.err;
}

}  // namespace
}  // namespace nadi
