// What tests of `nadi convert --traces` share: runs of the tool, and what they left behind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cli/rank_traces.h"
#include "tests/cli/tool.h"

namespace nadi {

class ArchiveTest : public ToolTest {
 protected:
  /// nadi convert --output out/x ARGUMENTS.
  Outcome convert(const std::string& arguments) const {
    return run("convert --output out/x " + arguments);
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  /// Names of the entries, sorted; hidden ones too.
  std::string listing_of(const std::string& folder) const;

  /// Expects the graphs FOLDER/x.<rank>.et of these ranks and no others, each with the bytes that
  /// the rank's traces give where they are converted alone.
  void expect_graphs(const std::string& folder, const std::vector<int>& ranks);

  /// By file name: the bytes of all graphs in a folder.
  std::map<std::string, std::string> graphs_in(const std::string& folder) const;
  /// By file name: what changes when a graph is written again, though its bytes are the same.
  std::map<std::string, std::string> writings_in(const std::string& folder) const;

 private:
  const std::string& graph_alone(int rank);

  std::map<int, std::string> graphs_alone_;  // by rank, as far as they were asked for
};

/// Path, size and time of all that lies in a folder and its folders, hidden ones too; a line each.
std::string tree_of(const std::filesystem::path& folder);

}  // namespace nadi
