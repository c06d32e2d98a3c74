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

/// Shell that runs the tool on a pipe nobody fills, and sends it the signal once its part file is
/// there.
std::string shell_of_stopped_run(const std::string& signal) {
  return "convert --device - --output-file out.et --report r.json < <(sleep 20) & tool=$!; "
         "for i in $(seq 200); do ls -A | grep -q part && break; sleep 0.05; done; ls -A >before; "
         "kill -" +
         signal + " $tool; wait $tool; echo \"$?\"";
}

/// Runs it in bash.
Outcome stopped_run(const fs::path& folder, const std::string& signal) {
  std::ofstream(folder / "stop.sh") << "'" << NADI_TOOL << "' " << shell_of_stopped_run(signal);
  const TemporaryFolder outputs;
  const std::string command = "cd '" + folder.string() + "' && bash stop.sh >'" +
                              (outputs.path() / "out").string() + "' 2>'" +
                              (outputs.path() / "err").string() + "'";
  const int status = std::system(command.c_str());
  return {status, read_file(outputs.path() / "out"), read_file(outputs.path() / "err")};
}

std::vector<std::string> hidden_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path().filename().string());
  return files;
}

TEST_F(Output, ThatIsHalfWrittenGoesAwayWhenTheToolIsTerminated) {
  const Outcome outcome = stopped_run(folder_.path(), "TERM");
  EXPECT_TRUE(holds(read_file(folder_.path() / "before"), ".r.json.")) << "a part file was there";
  EXPECT_EQ(outcome.out, "143\n") << "ended by SIGTERM";
  EXPECT_TRUE(holds(outcome.err, "nadi: terminated: r.json was not written")) << outcome.err;
  EXPECT_TRUE(hidden_files(folder_.path()).empty());
}

TEST_F(Output, ThatAKilledRunLeftHalfWrittenGoesAwayWithTheNextRunOfTheSame) {
  EXPECT_EQ(stopped_run(folder_.path(), "KILL").out, "137\n");
  EXPECT_EQ(hidden_files(folder_.path()).size(), 1U);
  ASSERT_EQ(run(convert_sample("--output x --report other.json")).exit_code, 0);
  EXPECT_EQ(hidden_files(folder_.path()).size(), 1U) << "it is of another file";
  ASSERT_EQ(run(convert_sample("--output x --report r.json")).exit_code, 0);
  EXPECT_TRUE(hidden_files(folder_.path()).empty());
}

}  // namespace
}  // namespace nadi
