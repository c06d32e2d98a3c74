// Checks any Chakra file, ours or others', against what readers and simulators demand of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/chakra_reader.h"

namespace nadi {

enum class FindingSeverity : std::uint8_t {
  kNote,     ///< worth knowing; runs everywhere
  kWarning,  ///< some tool misreads it or cannot run it
  kError,    ///< wrong: simulators abort, hang, or silently lose something
};
std::string_view to_string(FindingSeverity severity);

/// All that breaks one rule.
struct Finding {
  static constexpr std::size_t kMaxPlaces = 3;

  std::string rule;  ///< stable, kebab-case: "dangling-data-dep"
  FindingSeverity severity = FindingSeverity::kError;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first places, for people: "node 7 (aten::mm)"
  std::string message;             ///< what is wrong and what it does
};

struct ChakraCheck {
  std::vector<Finding> findings;  ///< errors first, then in order of discovery
  std::uint64_t nodes = 0, data_edges = 0, ctrl_edges = 0;

  bool has_errors() const {
    return !findings.empty() && findings[0].severity == FindingSeverity::kError;
  }
  const Finding* find(std::string_view rule) const;
};

/// Reads the file once and keeps only ids and edges (about 100 bytes a node). A broken file is a
/// finding (`framing`), what was read before it is checked all the same. Throws Error (kInput) only
/// if the file cannot be opened. Rules: schema/chakra.md.
ChakraCheck check_chakra(const std::filesystem::path& path);
ChakraCheck check_chakra(MessageStream stream);

}  // namespace nadi
