// One line of a simulator's log: a node was issued, or has finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi {

/// The part of the machine that does a node's work: a row of a timeline.
enum class Resource : std::uint8_t { kLocalMemory, kRemoteMemory, kCompute, kCommunication };
inline constexpr std::size_t kResourceCount = 4;
std::string_view to_string(Resource resource);  ///< "local memory", …

struct LogLine {
  bool is_issue = false;   ///< else `callback`: the node has finished
  std::uint64_t npu = 0;   ///< rank
  std::uint64_t tick = 0;  ///< clock cycle
  std::uint64_t node = 0;  ///< id in the NPU's graph
  std::string_view name;   ///< of the node; may hold commas
  Resource resource = Resource::kCompute;
};

/// Reads "issue,ANY=NPU,ANY=TICK,ANY=NODE,ANY=NAME" (MLCommons' timeline visualizer) and
/// "issue,sys->id=NPU, tick=TICK, node->id=NODE, node->name=NAME, node->type=TYPE" (ASTRA-sim's
/// workload log), likewise "callback,…", also behind a logger's "[time] [logger] [level] ". The
/// resource is that of the node type, else of what the name says: MEM_LOAD_NODE, COMM_…,
/// ALL_REDUCE and the like, else compute. Nothing for lines that say anything else; text of `line`
/// lives on in the result.
std::optional<LogLine> parse_log_line(std::string_view line);

/// True for a line that begins as one of these but cannot be read.
bool is_broken_log_line(std::string_view line);

}  // namespace nadi
