// Walks over all files in folders and archives that may be traces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/input/archive_walk.h"
#include "nadi/input/byte_source.h"

namespace nadi {

struct SourceOptions {
  /// Folders, archives, traces, "-" for an archive on standard input, "@FILE" for a file with one
  /// of these per line (those that begin with # are left out).
  std::vector<std::string> sources;
  bool is_recursive = false;  ///< looks into folders in folders
  UnpackLimits limits;        ///< of archives
};

/// A file of a folder, or a member of an archive.
struct SourceFile {
  std::string name;              ///< inside its folder or archive: "job/rank0/host.json"
  std::string path;              ///< "FOLDER/job/rank0/host.json", "ARCHIVE:job/rank0/host.json"
  std::uint64_t size = 0;        ///< bytes as they lie there; 0 = not known
  std::int64_t modified_ns = 0;  ///< since 1970; 0 = not known
  ArchiveWalk* archive =
      nullptr;  ///< stands at this member while it is visited; else path opens it
};

/// Bytes of the archives read so far, and in all; 0 = not known.
struct SourceProgress {
  std::uint64_t read = 0, total = 0;
};

/// Calls visit for every file until it returns false: those of folders by name, then members of
/// archives in the order in which they lie there. Names that begin with a dot, and what is no file,
/// are left out. What an archive refuses or lacks is reported. Throws Error(kInput) for a source
/// that is missing or is neither folder, archive nor trace, before the first file is visited where
/// it can.
void visit_sources(const SourceOptions& options,
                   const std::function<bool(const SourceFile&, const SourceProgress&)>& visit,
                   Diagnostics& diagnostics);

/// True where a source can be read only once.
bool has_standard_input(const SourceOptions& options);

}  // namespace nadi
