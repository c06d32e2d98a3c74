// Where the nodes' bytes come from: plain files, gzip, streams, windows smaller than the file.
#include <fcntl.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "graph_file.h"
#include "nadi/sim_bridge/feeder/byte_window.h"
#include "nadi/sim_bridge/feeder/feeder.h"
#include "nadi/sim_bridge/feeder/id_table.h"
#include "nadi/sim_bridge/feeder/row_set.h"

namespace nadi::test {
namespace {

std::string gzip(const std::string& bytes) {
  std::string packed;
  google::protobuf::io::StringOutputStream sink(&packed);
  google::protobuf::io::GzipOutputStream stream(&sink);
  void* place = nullptr;
  int room = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    EXPECT_TRUE(stream.Next(&place, &room));
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, room);
    std::copy_n(bytes.data() + at, count, static_cast<char*>(place));
    stream.BackUp(room - static_cast<int>(count));
    at += count;
  }
  stream.Close();
  return packed;
}

/// Nodes of 1 to 3,000 bytes, each waiting for two earlier ones, ids with gaps, not in order.
std::string big_graph(std::size_t size) {
  std::vector<NodeSpec> nodes;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t n = i ^ 1;  // every pair swapped
    NodeSpec spec{n * 5 + 3};
    if (n >= 8) spec.data_deps = {(n / 2) * 5 + 3, (n - 8) * 5 + 3};
    spec.fill = [n](Node& node) {
      node.set_name(std::string((n * 7919) % 3000, static_cast<char>('a' + n % 26)));
    };
    nodes.push_back(std::move(spec));
  }
  return graph_bytes(nodes);
}

/// Ids, names and order of a whole run, as one text.
std::string run(Feeder& feeder) {
  std::string log;
  while (const auto id = feeder.next_ready()) {
    feeder.take(*id);
    log += std::to_string(*id) + " " + std::string(feeder.lookup(*id).name()) + "\n";
    feeder.finish(*id);
  }
  EXPECT_TRUE(feeder.is_done());
  return log;
}

TEST(Storage, GzipFeedsTheSameAsPlain) {
  const Folder folder;
  const std::string bytes = big_graph(400);
  Feeder plain(folder.write("a.et", bytes)), packed(folder.write("a.et.gz", gzip(bytes)));
  EXPECT_EQ(run(packed), run(plain));
}

TEST(Storage, GzipOfSeveralMembersFeedsTheSameAsPlain) {
  const Folder folder;
  const std::string bytes = big_graph(400), half = bytes.substr(0, bytes.size() / 2);
  Feeder plain(folder.write("a.et", bytes)),
      packed(folder.write("a.et.gz", gzip(half) + gzip(bytes.substr(half.size()))));
  EXPECT_EQ(run(packed), run(plain));
}

TEST(Storage, UnpacksIntoTheFolderNamedAndLeavesNothingThere) {
  const Folder folder;
  const std::string path = folder.write("a.et.gz", gzip(graph_bytes({{1}})));
  const auto tmp = folder.path() / "tmp";
  const std::string refusal = message_of([&] { Feeder(path, {.tmp = tmp}); });
  EXPECT_PRED2(says, refusal, "tmp: cannot be created");
  EXPECT_PRED2(says, refusal, "FeederOptions::tmp, else TMPDIR");
  std::filesystem::create_directory(tmp);
  const Feeder feeder(path, {.tmp = tmp});
  EXPECT_TRUE(std::filesystem::is_empty(tmp));
  EXPECT_EQ(feeder.lookup(1).name(), "node1");
}

TEST(Storage, AFullDiskIsAnErrorThatSaysWhatToDo) {
  const Folder folder;
  const std::string path = folder.write("a.et.gz", gzip(big_graph(100)));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};  // no file may grow beyond: as a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = message_of([&] { Feeder(path, {.tmp = folder.path()}); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_PRED2(says, error, "a temporary file in " + folder.path().string());
  EXPECT_PRED2(says, error, "cannot be written: File too large. Name a folder with more room");
}

TEST(Storage, APipeIsFedTheSameAsAFile) {
  const Folder folder;
  const std::string bytes = big_graph(400);
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
  Feeder piped(pipe);
  writer.join();
  Feeder plain(folder.write("a.et", bytes));
  EXPECT_EQ(run(piped), run(plain));
}

TEST(Storage, StandardInputIsFed) {
  const Folder folder;
  const std::string path = folder.write("a.et", graph_bytes({{1}, {2, {1}}}));
  const int input = ::dup(STDIN_FILENO), file = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(::dup2(file, STDIN_FILENO), 0);
  Feeder feeder("-");
  ::dup2(input, STDIN_FILENO);
  ::close(input);
  ::close(file);
  EXPECT_EQ(feeder.name(), "standard input");
  EXPECT_EQ(run(feeder), "1 node1\n2 node2\n");
}

TEST(Storage, AWindowSmallerThanTheFileGivesTheSame) {
  const Folder folder;
  const std::string path = folder.write("a.et", big_graph(2000));
  ASSERT_GT(std::filesystem::file_size(path), 20 * ByteWindow::kBlockBytes);
  Feeder narrow(path, {.window_bytes = 1}), wide(path);
  EXPECT_EQ(run(narrow), run(wide));
}

TEST(Storage, ANodeLargerThanTheWindowIsRead) {
  const Folder folder;
  const std::string name(3 * ByteWindow::kBlockBytes, 'n');
  const Feeder feeder(folder.write({{1}, {2, {}, {}, [&](Node& n) { n.set_name(name); }}, {3}}),
                      {.window_bytes = 1});
  EXPECT_EQ(feeder.lookup(2).name(), name);
  EXPECT_EQ(feeder.lookup(3).name(), "node3");
}

TEST(ByteWindow, HoldsNoMoreThanItsSize) {
  const Folder folder;
  std::string bytes(40 * ByteWindow::kBlockBytes, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 1000);
  ByteWindow window(NodeFile::open(folder.write("bytes", bytes)), 4 * ByteWindow::kBlockBytes);
  for (std::size_t at = 0; at + 5000 < bytes.size(); at += 4999) {
    const std::size_t place = (at * 7) % (bytes.size() - 5000);
    ASSERT_EQ(window.read(place, 5000), bytes.substr(place, 5000)) << place;
    ASSERT_EQ(window.read(at, 100), bytes.substr(at, 100)) << at;
  }
  EXPECT_EQ(window.held_bytes(), 4 * ByteWindow::kBlockBytes);
}

TEST(IdTable, FindsRowsOfIdsWithAndWithoutGaps) {
  const IdTable dense({4, 5, 6}), sparse({4, 6, 1ULL << 63});
  EXPECT_EQ(dense.row(5), 1U);
  EXPECT_EQ(dense.row(7), kNoIndex);
  EXPECT_EQ(dense.row(3), kNoIndex);
  EXPECT_EQ(dense.id(2), 6U);
  EXPECT_EQ(sparse.row(1ULL << 63), 2U);
  EXPECT_EQ(sparse.row(5), kNoIndex);
  EXPECT_EQ(sparse.id(1), 6U);
}

TEST(RowSet, GivesTheNextMemberOverAllDistances) {
  RowSet rows(300'000);
  EXPECT_EQ(rows.next(0), kNoIndex);
  for (const std::uint32_t row : {0U, 63U, 64U, 4095U, 4096U, 262'143U, 299'999U}) rows.insert(row);
  EXPECT_EQ(rows.count(), 7U);
  std::vector<std::uint32_t> found;
  for (std::uint32_t row = rows.next(0); row != kNoIndex; row = rows.next(row + 1))
    found.push_back(row);
  EXPECT_EQ(list(found), list({0, 63, 64, 4095, 4096, 262'143, 299'999}));
  rows.erase(64);
  rows.erase(4095);
  rows.erase(4095);
  EXPECT_EQ(rows.next(64), 4096U);
  EXPECT_EQ(rows.count(), 5U);
  EXPECT_EQ(rows.next(300'000), kNoIndex);
}

}  // namespace
}  // namespace nadi::test
