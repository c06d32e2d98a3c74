// Opens Chakra graphs that may be packed in ways that simulators do not read.
#pragma once

#include <string>

#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/chakra/message_stream.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"

namespace nadi {

/// The messages of a graph whose bytes the source gives. What `progress` throws ends the reading.
MessageStream messages_of(ByteSource source, Progress progress = {});

/// load_chakra_graph() of a file, "archive:member" or "-", plain, gzip, zstd, xz, bzip2, lz4, in a
/// tar or zip. Throws Error(kInput) of a trace, too.
Graph load_graph(const std::string& path, const GraphColumns& options = {},
                 const Progress& progress = {}, BadDependencies bad = BadDependencies::kRefuse);

/// The file, or the member of the same archive, PREFIX<ending> that nadi and others write beside
/// the graphs PREFIX.<rank>.et, packed or not: ".comm_groups.json", ".network.yml", …; empty =
/// there is none.
std::string file_beside(const std::string& graph, const char* ending);

}  // namespace nadi
