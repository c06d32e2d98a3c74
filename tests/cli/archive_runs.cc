#include "tests/cli/archive_runs.h"

#include <sys/stat.h>

#include <algorithm>

namespace nadi {

namespace fs = std::filesystem;

namespace {

/// Number, size and time of a file.
std::string state_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return "missing";
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

std::string ArchiveTest::listing_of(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path(folder)))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

const std::string& ArchiveTest::graph_alone(int rank) {
  const auto known = graphs_alone_.find(rank);
  if (known != graphs_alone_.end()) return known->second;
  const TemporaryFolder folder;
  folder.write("host.json", host_trace(rank));
  folder.write("device.json", device_trace(rank));
  const Outcome outcome =
      run_tool("convert --host host.json --device device.json --output x", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string name = "x." + std::to_string(rank) + ".et";
  return graphs_alone_[rank] = read_file(folder.path() / name);
}

void ArchiveTest::expect_graphs(const std::string& folder, const std::vector<int>& ranks) {
  const auto graphs = graphs_in(folder);
  EXPECT_EQ(graphs.size(), ranks.size()) << folder;
  for (const int rank : ranks) {
    const auto graph = graphs.find("x." + std::to_string(rank) + ".et");
    ASSERT_NE(graph, graphs.end()) << folder << " lacks rank " << rank;
    EXPECT_TRUE(graph->second == graph_alone(rank)) << folder << ", rank " << rank;
  }
}

std::map<std::string, std::string> ArchiveTest::graphs_in(const std::string& folder) const {
  std::map<std::string, std::string> graphs;
  if (!fs::exists(path(folder))) return graphs;
  for (const auto& entry : fs::directory_iterator(path(folder)))
    if (entry.path().extension() == ".et")
      graphs[entry.path().filename().string()] = read_file(entry.path());
  return graphs;
}

std::map<std::string, std::string> ArchiveTest::writings_in(const std::string& folder) const {
  std::map<std::string, std::string> writings;
  for (const auto& [name, bytes] : graphs_in(folder))
    writings[name] = state_of(path(folder) / name);
  return writings;
}

std::string tree_of(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    lines.push_back(entry.path().string() + " " + state_of(entry.path()) + "\n");
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace nadi
