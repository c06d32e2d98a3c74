#include "nadi/converters/archive/convert_rank.h"

#include <sys/stat.h>

#include "nadi/base/error.h"
#include "nadi/converters/archive/checksum.h"
#include "nadi/converters/archive/rank_error.h"

namespace nadi {

TraceFiles files_of(const RankTask& task, const UnpackLimits& limits) {
  TraceFiles files;
  files.host = task.host;
  files.device = task.device;
  if (!task.kept_host && !task.kept_device) return files;
  files.open = [host_path = task.host, host = task.kept_host, device = task.kept_device,
                limits](const std::string& name) {
    const auto& kept = name == host_path ? host : device;
    return kept ? kept->open(name, limits) : ByteSource::open(name);
  };
  return files;
}

RankRecord convert_rank(const RankTask& task, const ConvertOptions& options,
                        const UnpackLimits& limits) {
  RankRecord record = task.record;
  ConvertOptions of_rank = options;
  of_rank.traces = files_of(task, limits);
  of_rank.traces.uses_one_thread = options.traces.uses_one_thread;
  of_rank.link.rank = record.rank;
  of_rank.output = task.prefix;
  const std::string output = task.prefix + "." + graph_ending(record.rank, options.compression);
  try {
    record.report = convert(of_rank);
  } catch (const Error& error) {
    if (error.where().starts_with(output)) throw;
    record.error = error_of_rank(error, {record.rank, of_rank.traces}).what();
    return record;
  }
  record.output = record_of_file(output);
  record.output.checksum = checksum_of_file(output);
  for (InputRecord& input : record.inputs)
    if (input.file.checksum.empty()) input.file.checksum = checksum_of_file(input.file.path);
  return record;
}

FileRecord record_of_file(const std::string& path) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {path, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec, ""};
}

}  // namespace nadi
