// Checks any Chakra file, ours or others', against what readers and simulators demand of it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "nadi/chakra/findings.h"
#include "nadi/chakra/message_stream.h"

namespace nadi {

struct ChakraCheck : CheckFindings {
  std::uint64_t nodes = 0, data_edges = 0, ctrl_edges = 0;
};

/// Reads the file once and keeps only ids and edges (about 100 bytes a node). A broken file is a
/// finding (`framing`), what was read before it is checked all the same. Throws Error (kInput) only
/// if the file cannot be opened. Rules: schema/chakra.md.
ChakraCheck check_chakra(const std::filesystem::path& path);
ChakraCheck check_chakra(MessageStream stream);

}  // namespace nadi
