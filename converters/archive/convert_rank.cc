#include "nadi/converters/archive/convert_rank.h"

#include <sys/stat.h>

#include <algorithm>

#include "nadi/base/error.h"
#include "nadi/converters/archive/checksum.h"
#include "nadi/converters/archive/rank_error.h"

namespace nadi {

namespace {

constexpr std::uint64_t kBytesOfRank = 8 << 20;  // of a conversion of next to nothing

/// Measured by tests/bench: up to 1.1 bytes for each of a trace as PyTorch writes it, and up to 460
/// for a row where rows are short.
std::uint64_t bytes_of_trace(std::uint64_t bytes, double rows_per_byte) {
  constexpr double kBytesOfRow = 480;
  const auto size = static_cast<double>(bytes);
  return static_cast<std::uint64_t>(
      std::max(1.5 * size, size / 4 + kBytesOfRow * rows_per_byte * size));
}

std::uint64_t count_bytes(ByteSource source) {
  std::string piece(1 << 18, '\0');
  std::uint64_t bytes = 0;
  while (const std::size_t count = source.read(piece)) bytes += count;
  return bytes;
}

LargerTraces measure_traces(const RankTask& task, const UnpackLimits& limits) {
  RankTask whole = task;
  whole.is_measured = true;
  const TraceFiles files = files_of(whole, limits);
  return {files.host.empty() ? 0 : count_bytes(files.open(files.host)),
          count_bytes(files.open(files.device))};
}

}  // namespace

std::uint64_t bytes_needed(const RankTask& task) {
  std::uint64_t bytes = kBytesOfRank;
  for (const InputRecord& input : task.record.inputs)
    bytes += bytes_of_trace(
        input.peek.type == TraceType::kHostTrace ? task.host_bytes : task.device_bytes,
        input.peek.rows_per_byte);
  return bytes;
}

TraceFiles files_of(const RankTask& task, const UnpackLimits& limits) {
  TraceFiles files;
  files.host = task.host;
  files.device = task.device;
  const auto limits_of = [&](std::uint64_t bytes) {
    UnpackLimits bounded = limits;
    bounded.throws_beyond_bytes = !task.is_measured && bytes > 0 && bytes < limits.most_bytes;
    if (bounded.throws_beyond_bytes) bounded.most_bytes = bytes;
    return bounded;
  };
  files.open = [host_path = task.host, host = task.kept_host, device = task.kept_device,
                of_host = limits_of(task.host_bytes),
                of_device = limits_of(task.device_bytes)](const std::string& name) {
    const bool is_host = name == host_path;
    const auto& kept = is_host ? host : device;
    const UnpackLimits& bounded = is_host ? of_host : of_device;
    return kept ? kept->open(name, bounded) : ByteSource::open(name, bounded);
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
    for (InputRecord& input : record.inputs)
      if (input.file.checksum.empty()) input.file.checksum = checksum_of_file(input.file.path);
    record.report = convert(of_rank);
  } catch (const TooManyBytes&) {
    throw measure_traces(task, limits);
  } catch (const Error& error) {
    if (error.where().starts_with(output)) throw;
    record.report = {};
    record.error = error_of_rank(error, {record.rank, of_rank.traces}).what();
    return record;
  }
  record.output = record_of_file(output);
  record.output.checksum = checksum_of_file(output);
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
