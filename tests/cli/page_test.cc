// --html of nadi diff, convert and replay: what is written, what is refused. What a page does in a
// browser: tests/browser.
#include <map>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

class PageOf : public ToolTest {
 protected:
  void SetUp() override {
    folder_.write("host.json", kSampleHost);
    folder_.write("device.json", kSampleDevice);
  }
  std::string page(const std::string& name) const { return read_file(folder_.path() / name); }
  int convert(const std::string& more) const {
    return run("-q convert --host host.json --device device.json --output-file x.et " + more)
        .exit_code;
  }
};

bool is_page(const std::string& text) {
  return text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n") &&
         holds(text, "Permission is hereby granted");
}

TEST_F(PageOf, ADiffIsTheSameByOutputFormatAndHtml) {
  const std::string diff = "-q diff --control device.json --test device.json ";
  EXPECT_EQ(run(diff + "--html a.html --output a.csv").exit_code, 0);
  EXPECT_TRUE(is_page(page("a.html")));
  EXPECT_EQ(run(diff + "--output b.html").exit_code, 0);
  EXPECT_EQ(run(diff + "--format html > c.html").exit_code, 0);
  EXPECT_TRUE(page("a.html") == page("b.html"));
  EXPECT_TRUE(page("a.html") == page("c.html"));
}

TEST_F(PageOf, ADiffHasTheCallTreeWhateverItsRowsAre) {
  const std::string diff = "-q diff --control device.json --test device.json --output d.csv ";
  for (const char* by : {"name", "stream", "call-path"}) {
    ASSERT_EQ(run(diff + "--html a.html --by " + by).exit_code, 0);
    EXPECT_TRUE(holds(page("a.html"), R"("calls":[[0,"",)")) << by;
    EXPECT_TRUE(holds(page("a.html"), R"("cudaLaunchKernel",)")) << by;
  }
  ASSERT_EQ(run("-q diff --control - --test device.json --output d.html < device.json").exit_code,
            0);
  EXPECT_TRUE(holds(page("d.html"), R"("calls":[[0,"",)"));
}

TEST_F(PageOf, ADiffOfGraphsHasTheirEdgesAndNoCalls) {
  ASSERT_EQ(convert(""), 0);
  ASSERT_EQ(run("-q diff --control x.et --test x.et --output d.html").exit_code, 0);
  EXPECT_TRUE(holds(page("d.html"), R"(["launch",1.0,1.0])"));
  EXPECT_FALSE(holds(page("d.html"), "\"calls\":"));
}

TEST_F(PageOf, AClosedGateIsWrittenAllTheSame) {
  const Outcome outcome = run(
      "-q diff --control device.json --test device.json --fail-if 'duration<1%' --output d.html");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(page("d.html"), R"("is_open":false)"));
}

TEST_F(PageOf, AConversionHasItsLanesAndEdges) {
  ASSERT_EQ(convert("--html a.html"), 0);
  const std::string text = page("a.html");
  EXPECT_TRUE(is_page(text));
  EXPECT_TRUE(holds(text, R"("edges":[["thread order",)"));
  EXPECT_TRUE(holds(text, R"("name":"device 0 stream 7")"));
  ASSERT_EQ(convert("--html b.html"), 0);
  EXPECT_TRUE(text == page("b.html")) << "same input, other bytes";
}

TEST_F(PageOf, AReplayHasItsRuns) {
  ASSERT_EQ(convert(""), 0);
  ASSERT_EQ(run("-q replay x.et --scale host=2 --html a.html").exit_code, 0);
  const std::string text = page("a.html");
  EXPECT_TRUE(is_page(text));
  for (const char* name : {"measured", "replayed", "scaled"})
    EXPECT_TRUE(holds(text, std::string(R"("run":")") + name + "\"")) << name;
}

TEST_F(PageOf, AnInputOrNoFileIsRefusedAndNothingIsOverwritten) {
  ASSERT_EQ(convert(""), 0);
  const std::string device = page("device.json"), graph = page("x.et");
  EXPECT_EQ(run("diff --control device.json --test device.json --html device.json").exit_code, 2);
  EXPECT_EQ(run("diff --control device.json --test device.json --html -").exit_code, 2);
  EXPECT_EQ(convert("--html ./device.json"), 2);
  EXPECT_EQ(run("replay x.et --html x.et").exit_code, 2);
  EXPECT_EQ(page("device.json"), device);
  EXPECT_EQ(page("x.et"), graph);
}

TEST_F(PageOf, AFolderThatCannotBeMadeIsFoundOutBeforeTheConversion) {
  EXPECT_EQ(convert("--html /dev/null/a.html"), 3);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "x.et"));
}

TEST_F(PageOf, AReplayComparesModesOfDelaysAsConversionsWithEachTell) {
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/",
                    traces = "-q convert --host " + data + "host.0.json.gz --device " + data +
                             "device.0.json.gz --output-file ";
  std::map<std::string, std::string> replayed;
  for (const std::string mode : {"all", "host", "none"}) {
    ASSERT_EQ(run(traces + mode + ".et --delays " + mode).exit_code, 0);
    ASSERT_EQ(run("-q replay " + mode + ".et --html " + mode + ".html").exit_code, 0);
    const std::string text = page(mode + ".html");
    const std::size_t at = text.find("\"replayed_ns\":") + 14;
    replayed[mode] = text.substr(at, text.find_first_of(",}", at) - at);
  }
  EXPECT_NE(replayed["host"], replayed["none"]);
  const std::string host = R"(["host",)" + replayed["host"] + "]",
                    none = R"(["none",)" + replayed["none"] + "]";
  EXPECT_TRUE(holds(page("all.html"),
                    R"("modes":[["all",)" + replayed["all"] + "]," + host + "," + none + "]"));
  EXPECT_TRUE(holds(page("host.html"), "\"modes\":[" + host + "," + none + "]"));
  EXPECT_TRUE(holds(page("none.html"), "\"modes\":[]"));
}

}  // namespace
}  // namespace nadi
