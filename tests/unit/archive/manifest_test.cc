// A manifest keeps a line for each rank, whatever became of the run that wrote it.
#include "nadi/converters/archive/manifest.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/file_bytes.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

RankRecord converted(std::int64_t rank, const std::string& options = "") {
  const std::string number = std::to_string(rank);
  RankRecord record;
  record.rank = rank;
  record.version = "1.2.3";
  record.options = options;
  const TracePeek host{TraceType::kHostTrace, "", -1, 40 + rank},
      device{TraceType::kDeviceTrace, "", rank, 40 + rank, 0.01};
  record.inputs = {{{"host." + number, 10, 1'700'000'000'123'456'789, "aa"}, host},
                   {{"device." + number, 20, -1, "bb"}, device}};
  record.output = {"x." + number + ".et", 30, 5, "cc"};
  record.report.rank = rank;
  record.report.seconds = 0.25;
  record.report.nodes = 7;
  record.report.span_ns = 1000;
  record.report.diagnostics = {{Finding::kUntimedOps, 2, {"op 5"}}};
  return record;
}

RankRecord failed(std::int64_t rank) {
  RankRecord record = converted(rank);
  record.output = {};
  record.report = {};
  record.error = "is bad: \"quoted\"\nand \xff broken";
  return record;
}

/// Ranks and options of all lines that count, as "0:first 3:".
std::string text_of(const Manifest& manifest) {
  std::string text;
  manifest.visit([&](const RankRecord& record) {
    text += (text.empty() ? "" : " ") + std::to_string(record.rank) + ":" + record.options;
  });
  return text;
}

TEST(ManifestLine, ComesBackAsItWas) {
  const RankRecord record = converted(3, "--min-part op");
  const std::string line = manifest_line(record);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto back = parse_manifest_line(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(manifest_line(*back), line);
  ASSERT_EQ(back->inputs.size(), 2U);
  EXPECT_TRUE(back->inputs[0].file.looks_like(record.inputs[0].file));
  EXPECT_EQ(back->inputs[0].peek.type, TraceType::kHostTrace);
  EXPECT_EQ(back->inputs[1].peek.rank, 3);
  EXPECT_EQ(back->inputs[1].peek.pid, 43);
  EXPECT_EQ(back->inputs[1].peek.rows_per_byte, 0.01);
  EXPECT_TRUE(back->output.looks_like(record.output));
  EXPECT_EQ(back->output.checksum, "cc");
  EXPECT_EQ(back->options, "--min-part op");
  EXPECT_EQ(back->report.nodes, 7U);
  EXPECT_EQ(back->report.seconds, 0.25);
  ASSERT_EQ(back->report.diagnostics.size(), 1U);
  EXPECT_EQ(back->report.diagnostics[0].first, std::vector<std::string>{"op 5"});
}

TEST(ManifestLine, OfARankThatFailedHasItsError) {
  const std::string line = manifest_line(failed(3));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto back = parse_manifest_line(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->error, "is bad: \"quoted\"\nand \xef\xbf\xbd broken");
  EXPECT_EQ(back->inputs.size(), 2U);
}

TEST(ManifestLine, MayBeReadWithoutItsReport) {
  RankRecord record = converted(3);
  record.inputs[0].file.path = R"(odd",\"report\":{)";
  const std::string line = manifest_line(record);
  const auto back = parse_manifest_line(line, WithReport::kNo);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->inputs[0].file.path, record.inputs[0].file.path);
  EXPECT_EQ(back->output.checksum, "cc");
  EXPECT_EQ(back->report.nodes, 0U);
  EXPECT_TRUE(parse_manifest_line(manifest_line(failed(3)), WithReport::kNo));
  std::string lost = line;
  lost.replace(lost.find("untimed"), 7, 7, '\0');
  EXPECT_FALSE(parse_manifest_line(lost, WithReport::kNo)) << "as a disk leaves it without power";
}

TEST(ManifestLine, ThatIsCutOrChangedIsNoneOrAnotherButNoCrash) {
  const std::string line = manifest_line(converted(3));
  for (std::size_t size = 0; size + 1 < line.size(); ++size)
    EXPECT_FALSE(parse_manifest_line(line.substr(0, size))) << size;
  for (std::size_t at = 0; at < line.size(); ++at)
    for (const char c : {'"', '}', ',', '-', '9', 'x', '\xff'}) {
      std::string changed = line;
      changed[at] = c;
      parse_manifest_line(changed);
    }
  for (const char* text : {"", "{}", "null", "7", "[]", "{\"rank\":1}"})
    EXPECT_FALSE(parse_manifest_line(text)) << text;
}

class ManifestFile : public testing::Test {
 protected:
  Manifest open() const { return Manifest(path_); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.manifest.jsonl";
};

TEST_F(ManifestFile, OfSeveralLinesOfARankTheLastCounts) {
  Manifest manifest = open();
  EXPECT_EQ(text_of(manifest), "");
  manifest.append(converted(3, "first"));
  manifest.append(converted(0));
  manifest.append(converted(3, "second"));
  manifest.append(failed(1));
  EXPECT_EQ(text_of(manifest), "0: 1: 3:second");
  EXPECT_EQ(text_of(open()), "0: 1: 3:second");
  EXPECT_EQ(manifest.find(3)->options, "second");
  EXPECT_FALSE(manifest.find(2));
  EXPECT_TRUE(manifest.has(0));
  EXPECT_FALSE(manifest.has(2));
}

TEST_F(ManifestFile, FinishedHoldsALineOfEachRankInOrder) {
  Manifest manifest = open();
  manifest.append(converted(3, "first"));
  manifest.append(converted(0));
  manifest.append(converted(3, "second"));
  manifest.append(converted(1));
  manifest.forget(1);
  manifest.finish();
  const std::string expected = manifest_line(converted(0)) + manifest_line(converted(3, "second"));
  EXPECT_EQ(read_file(path_), expected);
  EXPECT_EQ(text_of(manifest), "0: 3:second");
  manifest.append(converted(2));
  EXPECT_EQ(read_file(path_), expected + manifest_line(converted(2)));
  EXPECT_EQ(text_of(manifest), "0: 2: 3:second");
  EXPECT_EQ(folder_.listing(), "x.manifest.jsonl");
}

TEST_F(ManifestFile, WithNoLineGoes) {
  Manifest manifest = open();
  manifest.append(converted(0));
  manifest.append(converted(1));
  manifest.forget_all();
  EXPECT_EQ(text_of(manifest), "");
  EXPECT_EQ(text_of(open()), "0: 1:");  // until it is finished
  manifest.finish();
  EXPECT_EQ(folder_.listing(), "");
  EXPECT_EQ(text_of(open()), "");
}

TEST_F(ManifestFile, IsLockedByOneAtATime) {
  {
    Manifest first = open();
    first.lock();
    Manifest second = open();
    EXPECT_FALSE(second.try_lock());
    EXPECT_THROW(second.lock(), Error);
  }
  EXPECT_EQ(folder_.listing(), "") << "nothing was written";
  EXPECT_TRUE(open().try_lock());
}

TEST_F(ManifestFile, ThatAnotherRunHasMadeAnewIsNotRemoved) {
  std::optional<Manifest> first(std::in_place, path_);
  first->lock();
  first->finish();  // it held no line
  EXPECT_EQ(folder_.listing(), "");
  Manifest second = open();
  second.lock();
  first.reset();
  EXPECT_EQ(folder_.listing(), "x.manifest.jsonl");
}

TEST_F(ManifestFile, IsReadAsItWasOpenedThoughAnotherRunReplacesIt) {
  Manifest manifest = open();
  manifest.append(converted(3, "first"));
  manifest.append(converted(0));
  const Manifest reader = open();
  manifest.forget(3);
  manifest.finish();
  EXPECT_EQ(text_of(reader), "0: 3:first");
  EXPECT_EQ(text_of(open()), "0:");
}

TEST_F(ManifestFile, TakesLinesOverFromAnother) {
  Manifest manifest = open(), other(folder_ / "x.shard-0-of-2.manifest.jsonl");
  other.append(converted(2, "second"));
  other.append(converted(4));
  for (int time = 0; time < 2; ++time) {
    manifest.append_from(other, 2);
    manifest.append_from(other, 4);
    EXPECT_EQ(read_file(path_),
              manifest_line(converted(2, "second")) + manifest_line(converted(4)));
  }
}

TEST_F(ManifestFile, ThatCannotBeWrittenSaysSo) {
  std::filesystem::create_directory(path_);
  Manifest manifest = open();
  EXPECT_THROW(manifest.append(converted(0)), Error);
}

}  // namespace
}  // namespace nadi
