// Traces wait in memory as long as there is room, then in files, and leave nothing behind.
#include "nadi/converters/archive/trace_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stdexcept>

#include "nadi/converters/archive/checksum.h"
#include "nadi/emit/compressor.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

/// Bytes that no packing makes smaller.
std::string noise(std::size_t size) {
  static std::mt19937 random(1);
  std::string bytes(size, ' ');
  for (char& c : bytes) c = static_cast<char>(random());
  bytes.front() = '{';  // is packed by nothing
  return bytes;
}

std::string packed(Compression compression, std::string_view bytes) {
  std::string text;
  Compressor packer(compression, [&](std::string_view piece) { text += piece; });
  packer.write(bytes);
  packer.finish();
  return text;
}

ByteSource::ReadFunction reader_of(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable {
    const std::size_t size = std::min({bytes.size(), into.size(), std::size_t{5000}});
    std::memcpy(into.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    return size;
  };
}

std::shared_ptr<const KeptTrace> keep(TraceStore& store, std::string_view bytes,
                                      const std::function<bool()>& make_room = {}) {
  const std::size_t head = std::min<std::size_t>(bytes.size(), 100);
  return store.keep(bytes.substr(0, head), reader_of(bytes.substr(head)), make_room);
}

std::string content_of(const KeptTrace& trace) {
  return trace.open("trace", {}).read_up_to(1 << 20);
}

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
  std::ptrdiff_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    files += entry.is_regular_file();
  return files;
}

TEST(TraceStore, KeepsTracesInMemoryThenInFilesAndGivesThemAsTheyCame) {
  const TemporaryFolder folder;
  {
    TraceStore store(250'000, folder / "x");
    std::vector<std::string> texts;
    std::vector<std::shared_ptr<const KeptTrace>> traces;
    for (int i = 0; i < 4; ++i) {
      texts.push_back(noise(100'000));
      traces.push_back(keep(store, texts.back()));
      EXPECT_LE(store.bytes_held(), 250'000U);
      EXPECT_EQ(files_in(folder), std::max(0, i - 1));
    }
    EXPECT_GT(store.bytes_held(), 200'000U);
    EXPECT_GE(store.bytes_spooled(), 200'000U);
    EXPECT_LT(store.bytes_spooled(), 210'000U);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(traces[i]->size(), 100'000U);
      EXPECT_EQ(traces[i]->unpacked_bytes(), 100'000U);
      EXPECT_TRUE(content_of(*traces[i]) == texts[i]) << i;
      EXPECT_TRUE(content_of(*traces[i]) == texts[i]) << i << ", again";
    }
  }
  EXPECT_EQ(folder.listing(), "");
}

TEST(TraceStore, WhatIsDroppedIsFreed) {
  const TemporaryFolder folder;
  TraceStore store(150'000, folder / "x");
  auto in_memory = keep(store, noise(100'000));
  auto in_file = keep(store, noise(100'000));
  EXPECT_EQ(files_in(folder), 1);
  in_file = nullptr;
  EXPECT_EQ(files_in(folder), 0);
  EXPECT_GE(store.bytes_held(), 100'000U);
  in_memory = nullptr;
  EXPECT_EQ(store.bytes_held(), 0U);
  in_memory = keep(store, noise(100'000));
  EXPECT_EQ(files_in(folder), 0);
}

TEST(TraceStore, KeepsPackedBytesAsTheyCameAndPacksOthers) {
  const TemporaryFolder folder;
  TraceStore store(1 << 20, folder / "x");
  const std::string text(300'000, 'a');
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    const std::string bytes = packed(compression, text);
    const auto trace = keep(store, bytes);
    EXPECT_EQ(store.bytes_held(), bytes.size());
    EXPECT_EQ(trace->size(), bytes.size());
    EXPECT_TRUE(content_of(*trace) == text);
    EXPECT_EQ(trace->checksum(), checksum_of_file(folder.write("bytes", bytes)));
  }
  const auto trace = keep(store, text);
  EXPECT_LT(store.bytes_held(), 10'000U);
  EXPECT_EQ(trace->size(), text.size());
  EXPECT_TRUE(content_of(*trace) == text);
  EXPECT_EQ(trace->checksum(), checksum_of_file(folder.write("bytes", text)));
}

TEST(TraceStore, AsksForRoomBeforeATraceGoesToAFile) {
  const TemporaryFolder folder;
  TraceStore store(150'000, folder / "x");
  auto first = keep(store, noise(100'000));
  const std::string text = noise(100'000);
  const auto second = keep(store, text, [&] {
    const bool is_there = first != nullptr;
    first = nullptr;
    return is_there;
  });
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(store.bytes_spooled(), 0U);
  EXPECT_TRUE(content_of(*second) == text);
  const auto third = keep(store, noise(100'000), [] { return false; });
  EXPECT_GE(store.bytes_spooled(), 100'000U);
}

TEST(TraceStore, ReadingThatFailsLeavesNothing) {
  const TemporaryFolder folder;
  TraceStore store(50'000, folder / "x");
  const std::string text = noise(100'000);
  const auto read = [inner = reader_of(text), pieces = 0](std::span<char> into) mutable {
    if (++pieces > 15) throw std::runtime_error("the line is dead");
    return inner(into);
  };
  EXPECT_THROW(store.keep("{", read), std::runtime_error);
  EXPECT_EQ(store.bytes_held(), 0U);
  EXPECT_EQ(files_in(folder), 0);
}

TEST(GuessUnpackedBytes, TakesTheSizeThatGzipTells) {
  const TemporaryFolder folder;
  const std::string text(300'000, 'a');
  EXPECT_EQ(guess_unpacked_bytes(folder.write("a", packed(Compression::kGzip, text))), 300'000U);
  EXPECT_EQ(guess_unpacked_bytes(folder.write("a", text)), 300'000U);
  EXPECT_EQ(guess_unpacked_bytes(folder.write("a", "{}")), 2U);
  EXPECT_EQ(guess_unpacked_bytes(folder.write("a", "")), 0U);
  EXPECT_EQ(guess_unpacked_bytes(folder / "nowhere"), 0U);
}

TEST(GuessUnpackedBytes, GuessesWhereThePackingDoesNotTell) {
  const std::string bytes = packed(Compression::kZstd, std::string(300'000, 'a'));
  const std::uint64_t guess =
      guess_unpacked_bytes(bytes.substr(0, 4), bytes.substr(bytes.size() - 4), 1000);
  EXPECT_GT(guess, 5'000U);
  EXPECT_LT(guess, 100'000U);
}

TEST(GuessUnpackedBytes, GuessesWhatAZipHolds) {
  EXPECT_GT(guess_unpacked_bytes("PK\x03\x04", "\0\0\0\0", 1000), 5'000U);
}

TEST(GuessUnpackedBytes, TakesLargeGzipsForMoreThanTheyTell) {
  using namespace std::string_view_literals;
  const std::uint64_t size = 3ULL << 30;
  EXPECT_EQ(guess_unpacked_bytes("\x1f\x8b\x08\0"sv, "\x64\0\0\0"sv, size), (4ULL << 30) + 100);
}

TEST(GuessUnpackedBytes, TakesNoSmallGzipForGibibytes) {
  // Several in a row, as bgzip writes them: the last tells its own size only.
  const std::string two =
      packed(Compression::kGzip, noise(100'000)) + packed(Compression::kGzip, "");
  const TemporaryFolder folder;
  EXPECT_LT(guess_unpacked_bytes(folder.write("a", two)), 1U << 30);
}

}  // namespace
}  // namespace nadi
