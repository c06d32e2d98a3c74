// Several ranks at a time; the thread sanitizer runs this, too.
#include "nadi/converters/archive/convert_archive.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "nadi/base/error.h"
#include "nadi/emit/compressor.h"
#include "nadi/input/byte_source.h"
#include "tests/file_bytes.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

ConvertArchiveOptions options_of(const TemporaryFolder& folder, const std::string& name) {
  ConvertArchiveOptions options;
  options.collect.sources.sources = {NADI_TEST_DATA};
  options.collect.sources.is_recursive = true;
  options.convert.output = folder / name;
  options.spool = options.convert.output + ".spool";
  return options;
}

TEST(ConvertArchive, ThreeRanksAtATimeGiveWhatOneAtATimeGives) {
  TemporaryFolder folder;
  for (const unsigned jobs : {1U, 3U}) {
    ConvertArchiveOptions options = options_of(folder, std::to_string(jobs));
    options.jobs = jobs;
    std::uint64_t most_done = 0;
    options.on_progress = [&](const ArchiveProgress& progress) {
      most_done = std::max(most_done, progress.ranks_done);
    };
    const ConvertArchiveReport report = convert_archive(options);
    ASSERT_EQ(report.jobs.size(), 2U);
    EXPECT_EQ(report.jobs[0].converted + report.jobs[1].converted, 3U);
    EXPECT_EQ(most_done, 3U);
    EXPECT_TRUE(report.failed.empty());
  }
  for (const char* graph : {".ddp-2rank.0.et", ".ddp-2rank.1.et", ".multi-step.0.et"}) {
    EXPECT_FALSE(read_file(folder / (std::string("1") + graph)).empty()) << graph;
    EXPECT_EQ(read_file(folder / (std::string("1") + graph)),
              read_file(folder / (std::string("3") + graph)));
  }
}

/// Rank 0 of the sample data, its host trace in two gzips of which the last tells its size alone.
void write_traces_that_tell_too_little(const TemporaryFolder& folder) {
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/";
  const std::string host = ByteSource::open(data + "host.0.json.gz").read_up_to(1 << 20);
  std::string packed;
  for (const std::string_view part : {std::string_view(host).substr(0, host.size() - 5000),
                                      std::string_view(host).substr(host.size() - 5000)}) {
    Compressor packer(Compression::kGzip, [&](std::string_view bytes) { packed += bytes; });
    packer.write(part);
    packer.finish();
  }
  fs::create_directory(folder / "traces");
  folder.write("traces/host.0.json.gz", packed);
  fs::copy_file(data + "device.0.json.gz", folder / "traces/device.0.json.gz");
}

ConvertArchiveReport convert_traces_that_tell_too_little(std::uint64_t most_bytes) {
  const TemporaryFolder folder;
  write_traces_that_tell_too_little(folder);
  ConvertArchiveOptions options = options_of(folder, "x");
  options.collect.sources.sources = {folder / "traces"};
  options.collect.sources.limits.most_bytes = most_bytes;
  return convert_archive(options);
}

TEST(ConvertArchive, TracesThatHoldMoreThanTheyTellAreMeasuredAndConverted) {
  const ConvertArchiveReport report = convert_traces_that_tell_too_little(1 << 30);
  ASSERT_EQ(report.jobs.size(), 1U);
  EXPECT_EQ(report.jobs[0].converted, 1U);
  EXPECT_TRUE(report.failed.empty());
}

TEST(ConvertArchive, TracesThatHoldMoreThanIsAllowedAreMeasuredOnce) {
  const ConvertArchiveReport report = convert_traces_that_tell_too_little(6000);
  ASSERT_EQ(report.jobs.size(), 1U);
  EXPECT_EQ(report.jobs[0].converted + report.failed.size(), 1U);
}

TEST(ConvertArchive, MoreTracesThanMemoryCanListAreRefused) {
  const TemporaryFolder folder;
  ConvertArchiveOptions options = options_of(folder, "x");
  options.memory = 32 << 10;
  EXPECT_THROW(convert_archive(options), Error);
}

TEST(ConvertArchive, WhatCannotBeWrittenEndsTheRunAndIsNoFaultOfTheRank) {
  TemporaryFolder folder;
  ConvertArchiveOptions options = options_of(folder, "x");
  fs::create_directory(folder / "x.ddp-2rank.0.et");  // where a graph would be
  EXPECT_THROW(convert_archive(options), Error);
  fs::remove(folder / "x.ddp-2rank.0.et");
  const ConvertArchiveReport report = convert_archive(options);
  EXPECT_TRUE(report.failed.empty());
}

}  // namespace
}  // namespace nadi
