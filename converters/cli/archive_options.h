// Options of `nadi convert` for the traces of many ranks, in folders and archives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/converters/archive/convert_archive.h"
#include "nadi/converters/cli/options.h"

namespace nadi::cli {

/// --traces and what goes with it.
struct ArchiveArguments : ArchiveRunOptions {
  std::int64_t jobs = 0;
  std::string spool;  ///< a folder; empty = not given
  std::string shard;  ///< "3/16"; empty = all ranks
  std::int64_t shard_base = 0;
  int failed_exit_code = 0;  ///< of ranks or jobs that failed; 0 = not given

  bool is_given() const { return !collect.sources.sources.empty(); }
};

void add_archive_options(Options& options, ArchiveArguments& arguments);

/// Names the options given that decide what graph is made of a rank's traces, with their values.
std::string deciding_options_text(const Options& options);

/// What the folder in which traces wait lies beside: in DIR of --spool, else beside the output.
std::string spool_of(const std::string& directory, const std::string& output);

/// "150M", "2G", "1.5 GiB", "1000" in bytes, by powers of 1,024; nothing for what is no size.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// 157286400 as "150.0 MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace nadi::cli
