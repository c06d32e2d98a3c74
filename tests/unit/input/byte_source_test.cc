// Bytes from every kind of container, told apart by content.
#include "nadi/input/byte_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/input/apple_double.h"
#include "tests/error_of.h"
#include "tests/file_bytes.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

class ByteSourceTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes);
  }

  /// Packs the members; `format` 0 = no archive, just the filter around the first member's bytes.
  std::string pack(const std::string& name, int format, int filter, const Members& members) const {
    archive* out = archive_write_new();
    if (format == 0) archive_write_set_format_raw(out);
    if (format != 0) archive_write_set_format(out, format);
    archive_write_add_filter(out, filter);
    EXPECT_EQ(archive_write_open_filename(out, path(name).c_str()), ARCHIVE_OK);
    for (const auto& [member, bytes] : members) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, member.c_str());
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 0644);
      archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
      archive_write_header(out, entry);
      archive_write_data(out, bytes.data(), bytes.size());
      archive_entry_free(entry);
    }
    archive_write_free(out);
    return path(name);
  }

  std::string gzip(const std::string& name, const std::string& bytes) const {
    return pack(name, 0, ARCHIVE_FILTER_GZIP, {{"x", bytes}});
  }

 private:
  const TemporaryFolder folder_;
};

std::string read_all(ByteSource& source, std::size_t chunk = 1000) {
  std::string bytes, buffer(chunk, '\0');
  while (const std::size_t got = source.read(buffer)) bytes.append(buffer, 0, got);
  return bytes;
}

std::string read_path(const std::string& path) {
  ByteSource source = ByteSource::open(path);
  return read_all(source);
}

std::string refusal(const std::string& path) {
  const Error error = error_of([&] { read_path(path); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  return error.what();
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 100003);
  return text;
}

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST_F(ByteSourceTest, PlainFilesComeAsTheyAre) {
  EXPECT_EQ(read_path(write("a.json.gz", "{}")), "{}");  // the name does not matter
  EXPECT_EQ(read_path(write("empty", "")), "");
  EXPECT_EQ(read_path(write("long", long_text())), long_text());
}

TEST_F(ByteSourceTest, PackedFilesAreUnpackedWhateverTheirName) {
  for (const int filter :
       {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_BZIP2})
    EXPECT_EQ(read_path(pack("a.json", 0, filter, {{"x", long_text()}})), long_text()) << filter;
}

TEST_F(ByteSourceTest, TheContainerIsTold) {
  EXPECT_EQ(ByteSource::open(gzip("a", "{}")).container(), "gzip");
  EXPECT_EQ(ByteSource::open(write("b", "{}")).container(), "");
}

TEST_F(ByteSourceTest, ConcatenatedGzipMembersAreOneStream) {
  const std::string two = read_file(gzip("a", "first ")) + read_file(gzip("b", "second"));
  EXPECT_EQ(read_path(write("c.gz", two)), "first second");
}

TEST_F(ByteSourceTest, TruncatedGzipGivesWhatWasReadAndSaysSo) {
  const std::string whole = read_file(gzip("a", long_text()));
  ByteSource source = ByteSource::open(write("b.gz", whole.substr(0, whole.size() * 3 / 4)));
  const std::string bytes = read_all(source);
  EXPECT_GT(bytes.size(), long_text().size() / 2);
  EXPECT_TRUE(long_text().starts_with(bytes));
  expect_says(source.damage(), "truncated");
}

TEST_F(ByteSourceTest, AMemberOfATarOrZipIsOpenedByItsName) {
  const Members members{{"dir/a.json", "aaa"}, {"b.json", "bbb"}};
  const std::string tar = pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, members);
  EXPECT_EQ(read_path(tar + ":dir/a.json"), "aaa");
  EXPECT_EQ(read_path(tar + ":b.json"), "bbb");
  const std::string zip = pack("z", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, members);
  EXPECT_EQ(read_path(zip + ":b.json"), "bbb");
}

TEST_F(ByteSourceTest, AMemberMayBePackedItself) {
  const std::string packed = pack("c", 0, ARCHIVE_FILTER_GZIP, {{"c.json", "ccc"}});
  const std::string tar = pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE,
                               {{"a.json", "aaa"}, {"c.json.gz", read_file(packed)}});
  EXPECT_EQ(read_path(tar + ":c.json.gz"), "ccc");
  EXPECT_EQ(read_path(tar + ":a.json"), "aaa");
}

TEST_F(ByteSourceTest, TheOnlyMemberNeedsNoNameAndFinderFilesDoNotCount) {
  EXPECT_EQ(read_path(pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE,
                           {{"dir/._a.json", "finder"}, {"dir/a.json", "aaa"}})),
            "aaa");
}

TEST_F(ByteSourceTest, SeveralMembersWithoutANameAreListed) {
  const std::string tar = pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP,
                               {{"a.json", "aaa"}, {"b.json", "bbb"}});
  expect_says(refusal(tar),
              "an archive with several files: a.json, b.json. Name one as " + tar + ":a.json");
  expect_says(refusal(tar + ":c.json"), "no such member; there are a.json, b.json");
  expect_says(refusal(gzip("g", "{}") + ":c.json"), "not an archive");
}

TEST_F(ByteSourceTest, AnArchiveThroughAPipeIsReadOnceAndAnotherMemberBehindTheFirstIsAnError) {
  const auto through_a_pipe = [&](const Members& members, const std::string& member) {
    const std::string pipe = path("pipe"), tar = read_file(pack("t", ARCHIVE_FORMAT_TAR_USTAR,
                                                                ARCHIVE_FILTER_NONE, members));
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << tar; });
    const std::string answer =
        members.size() == 1 || !member.empty() ? read_path(pipe + member) : refusal(pipe);
    writer.join();
    std::filesystem::remove(pipe);
    return answer;
  };
  EXPECT_EQ(through_a_pipe({{"a.json", "aaa"}}, ""), "aaa");
  EXPECT_EQ(through_a_pipe({{"a.json", "aaa"}, {"b.json", "bbb"}}, ":b.json"), "bbb");
  expect_says(
      through_a_pipe({{"a.json", "aaa"}, {"b.json", "bbb"}}, ""),
      "an archive with several files: a.json, b.json. Pass the archive as a file, and name one "
      "as FILE:a.json");
}

TEST_F(ByteSourceTest, AFileWithAColonInItsNameIsAFile) {
  EXPECT_EQ(read_path(write("a:b", "colon")), "colon");
}

TEST_F(ByteSourceTest, WhatCannotBeReadSaysWhyAndWhatToDo) {
  expect_says(refusal(path("missing")), "No such file or directory. Check the path");
  expect_says(refusal(path("")), "Is a directory. Name one trace file in it");
}

TEST_F(ByteSourceTest, FinderDataInFrontOfTheBytesIsPassedOver) {
  const std::string finder =
      std::string("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02", 26) +
      std::string("\x00\x00\x00\x09\x00\x00\x00\x32\x00\x00\x00\x04", 12) +
      std::string("\x00\x00\x00\x02\x00\x00\x00\x36\x00\x00\x00\x00", 12) + "ATTR";
  EXPECT_EQ(apple_double_bytes(finder), 54U);
  EXPECT_EQ(read_path(gzip("a", finder + "{}")), "{}");
}

TEST_F(ByteSourceTest, ProgressCountsPackedBytes) {
  const std::string file = gzip("a", long_text());
  ByteSource source = ByteSource::open(file);
  EXPECT_EQ(source.total(), std::filesystem::file_size(file));
  read_all(source);
  EXPECT_EQ(source.consumed(), source.total());
}

/// Several of the blocks that are read ahead.
std::string very_long_text() {
  std::string text;
  for (int i = 0; i < 7; ++i) text += long_text();
  return text;
}

/// Bytes of a packed file that come from memory, and how many were taken.
struct CountedBytes {
  std::string bytes;
  std::atomic<std::size_t> taken = 0;

  ByteSource open(std::uint64_t total) {
    const auto read = [this](std::span<char> into) {
      const std::size_t size = std::min(into.size(), bytes.size() - taken);
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(taken), size, into.begin());
      taken += size;
      return size;
    };
    return ByteSource::unpack("a", read, total);
  }
};

TEST_F(ByteSourceTest, PackedFilesAreReadBeforeTheyAreAskedFor) {
  CountedBytes file{read_file(gzip("a", very_long_text()))};
  ByteSource source = file.open(file.bytes.size());
  const std::size_t before = file.taken;
  const ByteSource ahead = ByteSource::read_ahead(std::move(source));
  for (int waits = 0; waits < 1000 && file.taken == before; ++waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(file.taken, before);
}

TEST_F(ByteSourceTest, PipesAreNotReadBeforeTheyAreAskedFor) {
  CountedBytes pipe{read_file(gzip("a", very_long_text()))};
  ByteSource source = pipe.open(0);
  const std::size_t before = pipe.taken;
  const ByteSource same = ByteSource::read_ahead(std::move(source));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pipe.taken, before);
}

TEST_F(ByteSourceTest, WhatIsReadAheadIsTheSame) {
  ByteSource source = ByteSource::read_ahead(ByteSource::open(gzip("a", very_long_text())));
  EXPECT_EQ(source.container(), "gzip");
  EXPECT_EQ(read_all(source), very_long_text());
  EXPECT_EQ(source.consumed(), source.total());
  EXPECT_EQ(read_all(source), "");
}

TEST_F(ByteSourceTest, DamageComesBehindAllThatWasReadAhead) {
  const std::string whole = read_file(gzip("a", very_long_text()));
  const std::string file = write("b.gz", whole.substr(0, whole.size() * 3 / 4));
  ByteSource source = ByteSource::open(file);
  ByteSource ahead = ByteSource::read_ahead(ByteSource::open(file));
  EXPECT_EQ(ahead.damage(), "");
  EXPECT_EQ(read_all(ahead), read_all(source));
  EXPECT_EQ(ahead.damage(), source.damage());
  expect_says(ahead.damage(), "truncated");
}

TEST_F(ByteSourceTest, AnErrorOfWhatIsReadAheadComesToTheReader) {
  UnpackLimits limits;
  limits.most_bytes = 2 * long_text().size();
  limits.throws_beyond_bytes = true;
  ByteSource source = ByteSource::read_ahead(ByteSource::open(gzip("a", very_long_text()), limits));
  EXPECT_THROW(read_all(source), TooManyBytes);
}

TEST_F(ByteSourceTest, WhatIsReadAheadNeedNotBeAskedFor) {
  ByteSource source = ByteSource::read_ahead(ByteSource::open(gzip("a", very_long_text())));
  EXPECT_EQ(source.read_up_to(10), very_long_text().substr(0, 10));
}

TEST_F(ByteSourceTest, StandardInputIsRecognisedByContentToo) {
  const std::string file = gzip("a", "from a pipe");
  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(freopen(file.c_str(), "rb", stdin), nullptr);
  ByteSource source = ByteSource::open("-");
  EXPECT_EQ(read_all(source), "from a pipe");
  EXPECT_EQ(source.name(), "standard input");
  EXPECT_EQ(source.total(), 0U);
  dup2(saved, STDIN_FILENO);
  close(saved);
}

}  // namespace
}  // namespace nadi
