// Runs the tool as a user's shell would, and says what came out.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/file_bytes.h"
#include "tests/temporary_folder.h"

namespace nadi {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  std::string out;     ///< standard output
  std::string err;     ///< standard error
};

/// `arguments` as typed after "nadi" in a shell, in the folder `in`; standard input is empty unless
/// the arguments redirect it.
Outcome run_tool(const std::string& arguments, const std::filesystem::path& in = ".");

/// The same with the tool under another of its names: "chakra_jsonizer".
Outcome run_as(const std::string& program, const std::string& arguments,
               const std::filesystem::path& in = ".");

/// A test whose tool runs in a folder of its own.
class ToolTest : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const { return run_tool(arguments, folder_.path()); }

  TemporaryFolder folder_;
};

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace nadi
