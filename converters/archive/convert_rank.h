// Converts the traces of one rank of many, for a line of a manifest: here, or in another process.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "nadi/converters/archive/manifest.h"
#include "nadi/converters/archive/trace_store.h"
#include "nadi/converters/convert.h"

namespace nadi {

/// The traces of a rank, and what is known of them.
struct RankTask {
  RankRecord record;         ///< without output, report and error: they come
  std::string prefix;        ///< the graph becomes PREFIX.<rank>.et
  std::string host, device;  ///< paths; host empty = none
  std::shared_ptr<const KeptTrace> kept_host, kept_device;  ///< nullptr = the path opens it
  /// Bytes that reading each of them gives, as far as they say; 0 = it does not matter.
  std::uint64_t host_bytes = 0, device_bytes = 0;
  bool is_measured = false;  ///< these were counted
};

/// The memory that a conversion takes at most, by the bytes of its traces and, where these are
/// known, by their rows.
std::uint64_t bytes_needed(const RankTask& task);

/// Traces give more bytes than the task says: the memory for it is too little.
class LargerTraces : public std::exception {
 public:
  LargerTraces(std::uint64_t of_host, std::uint64_t of_device)
      : host_bytes(of_host), device_bytes(of_device) {}
  const char* what() const noexcept override { return "traces unpack to more than they tell"; }

  std::uint64_t host_bytes, device_bytes;  ///< in truth
};

/// How a conversion opens traces of which some were kept; beyond the bytes that they announce they
/// throw TooManyBytes, unless these were counted.
TraceFiles files_of(const RankTask& task, const UnpackLimits& limits);

/// Returns the record with the output and its report, or with the error where the traces are at
/// fault. `options`: of all ranks. Throws Error(kInput) where nothing can be written, LargerTraces,
/// and std::bad_alloc.
RankRecord convert_rank(const RankTask& task, const ConvertOptions& options,
                        const UnpackLimits& limits);

/// Converts ranks in other processes.
class RankConverter {
 public:
  virtual ~RankConverter() = default;
  /// Ranks that it can convert at a time.
  virtual unsigned slots() const = 0;
  /// As convert_rank; `slot` is used by one thread at a time.
  virtual RankRecord convert(unsigned slot, const RankTask& task) = 0;
};

/// Of a file as it is now, without checksum; its path is empty where there is none.
FileRecord record_of_file(const std::string& path);

}  // namespace nadi
