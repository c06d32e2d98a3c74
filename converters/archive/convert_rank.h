// Converts the traces of one rank of many, for a line of a manifest: here, or in another process.
#pragma once

#include <cstdint>
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
  std::uint64_t bytes_needed = 0;                           ///< of memory
};

/// How a conversion opens traces of which some were kept.
TraceFiles files_of(const RankTask& task, const UnpackLimits& limits);

/// Returns the record with the output and its report, or with the error where the traces are at
/// fault. `options`: of all ranks. Throws Error(kInput) where nothing can be written, and
/// std::bad_alloc.
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
