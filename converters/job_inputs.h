// Finds the ranks of a job in the files and folders that a user names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/settle_traces.h"
#include "nadi/converters/read_traces.h"

namespace nadi {

/// What is known of one rank: its traces, or its graph.
struct JobInput {
  std::int64_t rank = 0;
  TraceFiles
      traces;  ///< the host and the device trace, or linked JSON; empty where there is a graph
  std::string graph = {};  ///< path of a Chakra graph, or "-"; empty = traces
};

/// Files (host traces, device traces in either form, linked JSON, Chakra graphs, and members of
/// archives as "ARCHIVE:MEMBER"), told apart by content, folders and archives (tar, zip) of them,
/// of which each trace is unpacked when it is read, and "-" once. Files of a folder that are none
/// are reported, "file-ignored", and so are what was made of the traces there: linked JSON beside
/// device traces, graphs beside either. Graphs of a folder have one prefix, PREFIX.<rank>.et, whose
/// other files pass without a word, and the job that was made of them beside them
/// (PREFIX.astra-sim.<rank>.et) does not count: it is reported. Traces are paired as those of an
/// archive are: by what they say, else by their names; settle_traces passes over what is of no rank
/// or an older window. One host and one device trace are of one rank. By rank. Throws Error(kInput)
/// for a file that is none of these, where nothing is found, for two of one rank, and where traces,
/// linked JSON and graphs are mixed, and where the graphs of a folder have several prefixes; for a
/// host trace without device trace, unless it is of a folder that holds other ranks: it is left out
/// ("rank-left-out"). A rank that lacks the host trace that others have is said
/// ("host-trace-missing"). `window`: one that counts, where ranks have several.
std::vector<JobInput> find_job_inputs(const std::vector<std::string>& paths,
                                      Diagnostics& diagnostics, const WindowChoice& window = {});

/// True of a folder or an archive whose files are graphs, and neither traces nor linked JSON, which
/// would count before them.
bool holds_graphs(const std::string& path);

/// The paths without graphs of jobs that earlier runs made of others that are there, too:
/// step.astra-sim.0.et beside step.0.et. What is left out is reported, "file-ignored".
std::vector<std::string> without_own_jobs(std::vector<std::string> paths, Diagnostics& diagnostics);

/// True where the file is one of the paths, false where it lies in a folder or archive of them.
bool is_named(const std::string& file, const std::vector<std::string>& paths);

}  // namespace nadi
