// Programs of the virtual machine as the trace files of a job, and what becomes of them.
#pragma once

#include <string>
#include <vector>

#include "nadi/converters/archive/convert_ranks.h"
#include "tests/file_bytes.h"
#include "tests/ranks_of_folder.h"
#include "tests/temporary_folder.h"
#include "tests/vm/programs.h"
#include "tests/vm/spoil.h"
#include "tests/vm/write.h"

namespace nadi {

/// The traces of a program as files of a folder, and where the job goes.
class ProgramFiles {
 public:
  explicit ProgramFiles(const std::string& name) : ProgramFiles(vm::make_program(name), {}) {}

  explicit ProgramFiles(const vm::Program& program, const vm::Spoil& how = {}) {
    vm::Execution run = vm::execute(program);
    makespan_ns = run.makespan;
    run = vm::spoil(program, std::move(run), how);
    for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
      const std::string ending = "." + std::to_string(rank) + ".json";
      vm::WriteOptions options;
      options.pid += rank;
      folder_.write("host" + ending, vm::write_host_trace(program, run, rank, options));
      folder_.write("device" + ending, vm::write_device_trace(program, run, rank, options));
    }
  }

  std::vector<RankTraces> ranks() const { return ranks_of_folder(folder_ / ""); }
  /// `options`: all but the traces and the output.
  ConvertRanksReport convert(ConvertRanksOptions options) const {
    options.ranks = ranks();
    options.convert.output = out_ / "job";
    return convert_ranks(options);
  }
  ConvertRanksReport convert(Target target, goal::GoalOptions goal = {}) const {
    ConvertRanksOptions options;
    options.target = target;
    options.goal = goal;
    return convert(std::move(options));
  }
  std::string read(const std::string& name) const { return read_file(out_ / name); }
  const TemporaryFolder& out() const { return out_; }

  Ns makespan_ns = 0;

 private:
  TemporaryFolder folder_, out_;
};

}  // namespace nadi
