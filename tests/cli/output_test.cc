// Where output goes: packed by its name, into folders that are made, and never half.
#include <fstream>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

class Output : public ToolTest {
 protected:
  Output() {
    folder_.write("host.json", kSampleHost);
    folder_.write("device.json", kSampleDevice);
  }
};

std::string convert_sample(const std::string& more) {
  return "convert --host host.json --device device.json --rank 0 " + more;
}

std::string first_bytes(const fs::path& file, std::size_t count) {
  return read_file(file).substr(0, count);
}

TEST_F(Output, IsPackedAsItsNameEnds) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et")).exit_code, 0);
  for (const auto& [ending, magic, unpack] :
       {std::tuple{".gz", "\x1f\x8b", "gzip -dc"}, {".zst", "\x28\xb5\x2f\xfd", "zstd -dcq"}}) {
    const std::string file = std::string("graph.0.et") + ending;
    ASSERT_EQ(run(convert_sample("--output-file " + file)).exit_code, 0);
    EXPECT_TRUE(read_file(folder_.path() / file).starts_with(magic)) << file;
    for (const std::string reader : {"check ", "show --summary ", "replay "}) {
      const Outcome packed = run(reader + file), plain = run(reader + "plain.et");
      EXPECT_EQ(packed.exit_code, 0) << reader << packed.err;
      EXPECT_EQ(packed.out.substr(packed.out.find('\n')), plain.out.substr(plain.out.find('\n')))
          << reader;
    }
    const std::string command = std::string("cd '") + folder_.path().string() + "' && " + unpack +
                                " " + file + " | cmp - plain.et";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

TEST_F(Output, OfManyVerbsIsPacked) {
  const std::string traces = " --host host.json --device device.json --rank 0 ";
  ASSERT_EQ(run("link" + traces + "--output l.json.zst").exit_code, 0);
  EXPECT_EQ(first_bytes(folder_.path() / "l.json.zst", 4), "\x28\xb5\x2f\xfd");
  EXPECT_EQ(
      run("convert --linked l.json.zst --rank 0 --output l --html l.html.gz --report r.json.gz")
          .exit_code,
      0);
  ASSERT_EQ(run("replay l.0.et --output t.json.gz").exit_code, 0);
  ASSERT_EQ(run("events device.json --output e.csv.gz").exit_code, 0);
  ASSERT_EQ(run("show l.0.et --output s.json.gz").exit_code, 0);
  ASSERT_EQ(run("graph l.0.et --output g.dot.gz").exit_code, 0);
  for (const char* file :
       {"l.html.gz", "r.json.gz", "t.json.gz", "e.csv.gz", "s.json.gz", "g.dot.gz"})
    EXPECT_EQ(first_bytes(folder_.path() / file, 2), "\x1f\x8b") << file;
}

TEST_F(Output, OfAllRanksIsPackedWhereThatIsAskedFor) {
  ASSERT_EQ(run(convert_sample("--output x --compress gzip")).exit_code, 0);
  EXPECT_EQ(first_bytes(folder_.path() / "x.0.et.gz", 2), "\x1f\x8b");
  EXPECT_FALSE(fs::exists(folder_.path() / "x.0.et"));
  const Outcome job = run(convert_sample("--output x --compress gzip --target astra-sim"));
  EXPECT_EQ(job.exit_code, 2);
  EXPECT_TRUE(holds(job.err, "Simulators read plain graphs")) << job.err;
}

TEST_F(Output, OfASimulatorCheckTellsThatZstdIsNotRead) {
  ASSERT_EQ(run(convert_sample("--output x --compress zstd")).exit_code, 0);
  const Outcome check = run("check --profile astra-sim x.0.et.zst");
  EXPECT_EQ(check.exit_code, 3);
  EXPECT_TRUE(holds(check.err, "Unpack it: zstd -d x.0.et.zst")) << check.err;
}

TEST_F(Output, IntoAFolderGetsAName) {
  ASSERT_EQ(run(convert_sample("--output new/deep/")).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "new/deep/graph.0.et"));
  ASSERT_EQ(run(convert_sample("--output new")).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "new/graph.0.et"));
}

TEST_F(Output, IntoAMissingFolderMakesIt) {
  ASSERT_EQ(run(convert_sample("--output a/b --report c/r.json")).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "a/b.0.et"));
  EXPECT_TRUE(fs::exists(folder_.path() / "c/r.json"));
}

constexpr const char* kUntilPartFile =
    "for i in $(seq 200); do ls -A | grep -q part && break; sleep 0.05; done; ls -A >before; ";

/// It has begun, and sleeps because its input has nothing.
constexpr const char* kUntilItWaits =
    "for i in $(seq 200); do grep -q '^Name:.nadi' /proc/$tool/status && "
    "grep -q '^State:.S' /proc/$tool/status && break; sleep 0.05; done; sleep 0.3; ";

/// Runs the tool in bash, and sends it the signal after `until`; its exit code goes to stdout.
Outcome stopped_run(const fs::path& folder, const std::string& arguments, const std::string& until,
                    const std::string& signal) {
  std::ofstream(folder / "stop.sh")
      << "'" << NADI_TOOL << "' " << arguments << " & tool=$!; " << until << "kill -" << signal
      << " $tool; wait $tool; echo \"$?\"";
  const TemporaryFolder outputs;
  const std::string command = "cd '" + folder.string() + "' && bash stop.sh >'" +
                              (outputs.path() / "out").string() + "' 2>'" +
                              (outputs.path() / "err").string() + "'";
  const int status = std::system(command.c_str());
  return {status, read_file(outputs.path() / "out"), read_file(outputs.path() / "err")};
}

/// The same on a pipe nobody fills, once the part file of the report is there.
Outcome stopped_run(const fs::path& folder, const std::string& signal) {
  return stopped_run(folder,
                     "convert --device - --output-file out.et --report r.json < <(sleep 20)",
                     kUntilPartFile, signal);
}

/// What a command in bash did; its exit code goes to "code" by itself.
void run_in_bash(const fs::path& folder, const std::string& command) {
  std::ofstream(folder / "run.sh") << "nadi='" << NADI_TOOL << "'\n" << command << "\n";
  ASSERT_EQ(std::system(("cd '" + folder.string() + "' && bash run.sh </dev/null").c_str()), 0);
}

/// The same, said as the tool says it, where the user may have no other process: limits of
/// processes do not bind root. The code 77: that user cannot run the tool here. A look for leaks
/// would be a process of its own.
Outcome run_without_threads(const fs::path& folder, const std::string& arguments) {
  fs::permissions(folder, fs::perms::all);
  run_in_bash(folder,
              "as=''; [ $(id -u) -ne 0 ] || as='setpriv --reuid=54321 --clear-groups'\n"
              "export ASAN_OPTIONS=detect_leaks=0\n"
              "touch out err\n"
              "$as test -x \"$nadi\" -a -w . || { echo 77 >code; exit; }\n"
              "$as bash -c \"ulimit -u 1; exec \\\"$nadi\\\" " +
                  arguments + "\" >out 2>err; echo $? >code");
  return {std::stoi(read_file(folder / "code")), read_file(folder / "out"),
          read_file(folder / "err")};
}

std::vector<std::string> hidden_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path().filename().string());
  return files;
}

TEST_F(Output, AppearsWholeWhereNobodyReadsTheMessages) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et")).exit_code, 0);
  const std::string convert = "\"$nadi\" " + convert_sample("--output-file out.et -v");
  for (const std::string& command :
       {"{ sleep 0.3; " + convert + "; echo $? >code; } 2>&1 | true",
        "(" + convert + ") 2>&-; echo $? >code", "(" + convert + ") 2>/dev/full; echo $? >code",
        "(" + convert + ") >&- 2>&- <&-; echo $? >code"}) {
    fs::remove(folder_.path() / "out.et");
    run_in_bash(folder_.path(), command);
    EXPECT_EQ(read_file(folder_.path() / "code"), "0\n") << command;
    EXPECT_TRUE(read_file(folder_.path() / "out.et") == read_file(folder_.path() / "plain.et"))
        << command;
    EXPECT_TRUE(hidden_files(folder_.path()).empty()) << command;
  }
}

TEST_F(Output, IsTheSameWhereALimitAllowsNoThreadAndALimitIsNamedWhereOneIsNeeded) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et")).exit_code, 0);
  const Outcome one = run_without_threads(folder_.path(), convert_sample("--output-file out.et"));
  if (one.exit_code == 77) GTEST_SKIP() << "no other user can run the tool here";
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_TRUE(read_file(folder_.path() / "out.et") == read_file(folder_.path() / "plain.et"));
  const Outcome many = run_without_threads(folder_.path(), "convert --traces . --output job");
  EXPECT_EQ(many.exit_code, 3) << many.err;
  EXPECT_TRUE(holds(many.err, "no thread can begin: a limit of processes")) << many.err;
}

TEST_F(Output, IsMadeInAnAddressSpaceThatIsLittleLargerThanTheTool) {
  const auto code_within = [&](const std::string& arguments) {
    run_in_bash(folder_.path(), "ulimit -v 200000; \"$nadi\" " + arguments + "; echo $? >code");
    return read_file(folder_.path() / "code");
  };
  if (code_within("--version") != "0\n") GTEST_SKIP() << "a sanitizer needs more";
  EXPECT_EQ(code_within(convert_sample("--output-file out.et")), "0\n");
}

TEST_F(Output, OfErrorsWhereNobodyReadsThemHasTheSameExitCode) {
  run_in_bash(folder_.path(),
              "{ sleep 0.3; \"$nadi\" convert --device missing --output x; echo $? >code; } 2>&1 "
              "| true");
  EXPECT_EQ(read_file(folder_.path() / "code"), "3\n");
}

TEST_F(Output, EndsQuietlyWhereNobodyReadsTheData) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et --html p.html")).exit_code, 0);
  for (const std::string verb : {"show plain.et", "events device.json", "check plain.et",
                                 "replay plain.et --html r.html", "doctor --device device.json"}) {
    run_in_bash(folder_.path(),
                "{ sleep 0.3; \"$nadi\" -v " + verb + "; echo $? >code; } 2>err | true");
    EXPECT_EQ(read_file(folder_.path() / "code"), "141\n") << verb << ": as by SIGPIPE";
    EXPECT_FALSE(holds(read_file(folder_.path() / "err"), "cannot be written")) << verb;
    EXPECT_TRUE(hidden_files(folder_.path()).empty()) << verb;
  }
}

TEST_F(Output, ToAClosedStandardOutputIsAnError) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et")).exit_code, 0);
  for (const char* closed : {">&-", ">/dev/full"}) {
    run_in_bash(folder_.path(),
                std::string("(\"$nadi\" show plain.et 2>err) ") + closed + "; echo $? >code");
    EXPECT_EQ(read_file(folder_.path() / "code"), "3\n") << closed;
    EXPECT_TRUE(holds(read_file(folder_.path() / "err"), "standard output: cannot be written"));
  }
}

TEST_F(Output, IsRefusedWhereItsNameAsksForAnotherForm) {
  ASSERT_EQ(run(convert_sample("--output-file plain.et")).exit_code, 0);
  const std::string before = folder_.listing();
  for (const auto& [arguments, said] : std::vector<std::pair<std::string, std::string>>{
           {convert_sample("--output-file x.json"),
            "--output-file x.json: would not hold JSON, as its name says. End the name in .et; "
            "nadi "
            "show X.et --output X.json writes a graph as JSON"},
           {convert_sample("--output-file x.json.gz"), "would not hold JSON"},
           {convert_sample("--output x.json"),
            "x.json.0.et would be a Chakra graph, not JSON. Leave .json out"},
           {convert_sample("--output-file x.pftrace"), "would not hold a Perfetto trace"},
           {convert_sample("--output x --report r.csv"), "would not hold a CSV table"},
           {convert_sample("--output x --html r.json"), "would not hold JSON"},
           {"text --input w.txt --npus 2 --output x.json", "Leave .json out"},
           {"generate data-parallel --output x.json", "Leave .json out"},
           {"link --host host.json --device device.json --output x.et",
            "would not hold a Chakra graph"},
           {"graph plain.et --output x.json", "would not hold JSON"},
           {"timeline --input log --output x.et", "would not hold a Chakra graph"},
           {"show plain.et --output x.et", "would not hold a Chakra graph"},
           {"replay plain.et --output x.html", "would not hold a page"},
           {"events device.json --output x.json", "nothing tells the format"},
           {"diff device.json device.json --output x.et", "nothing tells the format"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << outcome.err;
    EXPECT_TRUE(holds(outcome.err, said)) << outcome.err;
    EXPECT_EQ(folder_.listing(), before) << arguments;
  }
  EXPECT_EQ(run(convert_sample("--output-file x.chakra")).exit_code, 0) << "of no form known";
  EXPECT_EQ(run("events device.json --format csv --output x.json").exit_code, 0) << "asked for";
  EXPECT_EQ(run("show plain.et --summary --output s.txt").exit_code, 0);
}

TEST_F(Output, ThatIsHalfWrittenGoesAwayWhenTheToolIsTerminated) {
  const Outcome outcome = stopped_run(folder_.path(), "TERM");
  EXPECT_TRUE(holds(read_file(folder_.path() / "before"), ".r.json.")) << "a part file was there";
  EXPECT_EQ(outcome.out, "143\n") << "ended by SIGTERM";
  EXPECT_TRUE(holds(outcome.err, "nadi: terminated: out.et and r.json were not written"))
      << outcome.err;
  EXPECT_TRUE(hidden_files(folder_.path()).empty());
}

TEST_F(Output, ThatIsHalfWrittenGoesAwayWhenTheTimeOfTheToolIsOver) {
  EXPECT_EQ(stopped_run(folder_.path(), "XCPU").out, "152\n") << "ended by SIGXCPU";
  EXPECT_TRUE(hidden_files(folder_.path()).empty());
}

TEST_F(Output, IsWrittenAfterAHangUpThatIsIgnored) {
  run_in_bash(folder_.path(), std::string("trap '' HUP\n\"$nadi\" -q ") +
                                  "convert --device - --output-file out.et < <(sleep 1; cat "
                                  "device.json) & tool=$!; " +
                                  kUntilItWaits + "kill -HUP $tool; wait $tool; echo $? >code");
  EXPECT_EQ(read_file(folder_.path() / "code"), "0\n") << "as under nohup";
  EXPECT_TRUE(fs::exists(folder_.path() / "out.et"));
}

TEST_F(Output, ThatAKilledRunLeftHalfWrittenGoesAwayWithTheNextRunOfTheSame) {
  EXPECT_EQ(stopped_run(folder_.path(), "KILL").out, "137\n");
  EXPECT_EQ(hidden_files(folder_.path()).size(), 1U);
  ASSERT_EQ(run(convert_sample("--output x --report other.json")).exit_code, 0);
  EXPECT_EQ(hidden_files(folder_.path()).size(), 1U) << "it is of another file";
  ASSERT_EQ(run(convert_sample("--output x --report r.json")).exit_code, 0);
  EXPECT_TRUE(hidden_files(folder_.path()).empty());
}

TEST_F(Output, ThatWasNotBegunIsNamedWhenTheToolIsInterrupted) {
  const std::vector<std::pair<std::string, std::string>> runs = {
      {"convert --device - --output-file out.et", "out.et was"},
      {"convert --device - --output out/ --html h.html", "out/graph and h.html were"},
      {"diff - device.json --output d.csv --html d.html", "d.csv and d.html were"},
      {"events - --output e/e.sqlite", "e/e.sqlite was"},
      {"text --input - --output t --npus 2", "t was"},
      {"show - --output s.json", "s.json was"},
      {"link --host host.json --device - --output l.json", "l.json was"},
      {"convert --traces - --output o/x",
       "o/x was not written; what is done stays done: the same command goes on from there"},
      {"events -", "nothing was half written"}};
  for (const auto& [arguments, said] : runs) {
    const std::string end = holds(said, "written") ? "" : " not written";
    const Outcome outcome =
        stopped_run(folder_.path(), arguments + " < <(sleep 20)", kUntilItWaits, "TERM");
    EXPECT_EQ(outcome.out, "143\n") << arguments;
    EXPECT_EQ(outcome.err, "nadi: terminated: " + said + end + "\n") << arguments;
  }
}

TEST_F(Output, OfManyFilesAppearsWholeOrNotAtAllWhenTheToolIsTerminated) {
  constexpr std::size_t kFiles = 4004;  // graphs, and what a simulator needs beside
  bool was_stopped = false, was_said = false;
  for (const char* seconds : {"0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.6"}) {
    fs::create_directory(folder_.path() / "job");
    const Outcome outcome =
        stopped_run(folder_.path(), "generate data-parallel --npus 4000 --layers 1 --output job/x",
                    std::string("sleep ") + seconds + "; ", "TERM");
    EXPECT_TRUE(hidden_files(folder_.path() / "job").empty()) << seconds;
    const auto files =
        static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path() / "job"), {}));
    EXPECT_TRUE(files == 0 || files == kFiles) << files << " files after " << seconds;
    // A tool that has not looked at its arguments yet, or has put all in place, has nothing to
    // lose.
    const bool loses_nothing = outcome.err == "nadi: terminated: nothing was half written\n";
    const bool is_told = files == 0 && outcome.err == "nadi: terminated: job/x was not written\n";
    const bool has_not_begun = files == 0 && outcome.err.empty();  // where starting takes long
    EXPECT_TRUE(outcome.out != "143\n" || loses_nothing || is_told || has_not_begun)
        << files << outcome.err;
    was_stopped |= outcome.out == "143\n";
    was_said |= loses_nothing || is_told;
    fs::remove_all(folder_.path() / "job");
  }
  EXPECT_TRUE(was_said || !was_stopped);
}

TEST_F(Output, OfAPrefixIsRefusedWhereItNamesAPackedFile) {
  folder_.write("wl.txt", "DATA\n1\nlayer -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 5\n");
  for (const std::string& arguments :
       {convert_sample("--output z/c.et.gz"), convert_sample("--output z/d.zst"),
        convert_sample("--output jj.GZ --target astra-sim"),
        std::string("generate one_comp_node --npus 1 --output z/gen.gz"),
        std::string("text --input wl.txt --npus 2 --output tz.gz")}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "is a prefix, to which the rank and .et are added"))
        << outcome.err;
    EXPECT_TRUE(holds(outcome.err, arguments.starts_with("convert")
                                       ? "Pack with --compress gzip or zstd"
                                       : "Simulators read these graphs plain"))
        << outcome.err;
  }
  const Outcome alias =
      run_as("chakra_converter", "Text --input wl.txt --num-npus 2 --num-passes 1 --output z/ct.gz",
             folder_.path());
  EXPECT_EQ(alias.exit_code, 2) << alias.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "z"));
}

TEST_F(Output, IsPackedWhereItsNameEndsInLargeLettersAndRefusedWhereNadiCannot) {
  ASSERT_EQ(run(convert_sample("--output-file x.ET.GZ")).exit_code, 0);
  EXPECT_EQ(first_bytes(folder_.path() / "x.ET.GZ", 2), "\x1f\x8b");
  for (const std::string& arguments :
       {convert_sample("--output-file x.et.bz2"), convert_sample("--output x.xz"),
        std::string("show x.ET.GZ --output x.json.zip")}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_TRUE(holds(outcome.err, "End the name in .gz or .zst")) << outcome.err;
  }
}

TEST_F(Output, OfEachVerbThatWritesGraphsGetsANameInsideAFolder) {
  folder_.write("wl.txt", "DATA\n1\nlayer -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 5\n");
  fs::create_directory(folder_.path() / "t");
  ASSERT_EQ(run("text --input wl.txt --output t --npus 2").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "t/graph.1.et"));
  ASSERT_EQ(run("generate one_comp_node --npus 1 --output t").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "t/one_comp_node.0.et"));
  ASSERT_EQ(run("generate data-parallel --npus 2 --layers 1 --output t").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "t/data-parallel.1.et"));
  EXPECT_EQ(run("generate one_comp_node --npus 1 --output ''").exit_code, 2) << "no prefix";
}

}  // namespace
}  // namespace nadi
