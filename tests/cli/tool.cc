#include "tests/cli/tool.h"

#include <sys/wait.h>

#include <cstdlib>

namespace nadi {

namespace fs = std::filesystem;

Outcome run_tool(const std::string& arguments, const fs::path& in) {
  return run_as(fs::path(NADI_TOOL).filename().string(), arguments, in);
}

Outcome run_as(const std::string& program, const std::string& arguments, const fs::path& in) {
  const fs::path tool = fs::path(NADI_TOOL).parent_path() / program;
  const TemporaryFolder outputs;
  const fs::path out = outputs.path() / "out", err = outputs.path() / "err";
  const std::string command = "cd '" + in.string() + "' && { '" + tool.string() + "' " + arguments +
                              "\n} </dev/null >'" + out.string() + "' 2>'" + err.string() + "'";
  const int status = std::system(command.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_file(out), read_file(err)};
}

}  // namespace nadi
