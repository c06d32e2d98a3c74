// Scales the durations of nodes, for what-if questions.
#pragma once

#include <cstdint>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/model/graph.h"

namespace nadi {

/// One factor and what it applies to. Waits, latencies, gaps and other delays never scale.
struct Scale {
  enum class Target : std::uint8_t {
    kHost,  ///< "host": ops, parts and calls
    /// "kernels": device rows (copies too) that are no communication; delays in which the device
    /// was busy.
    kKernels,
    /// "comm": the time after the last member has arrived; all of that which nothing describes
    kCommunication,
    kStream,       ///< "stream:7": all device rows of this stream, on every device
    kKernelNames,  ///< "kernel:REGEX": device rows by name, communication too
    kOpNames       ///< "op:REGEX": host nodes by name
  };
  Target target = Target::kHost;
  double factor = 1;
  std::int64_t stream = -1;
  std::regex names;  ///< found anywhere in the name's first kNameBytes bytes
  std::string text;  ///< as given, for messages

  static constexpr double kMostFactor = 1e6;
  static constexpr std::size_t kNameBytes = 2000;
};

/// "host=0.8", "comm=2", "kernels=0.5", "stream:7=3", "kernel:.*gemm.*=0.5", "op:aten::mm=2"; the
/// factor stands behind the last '='. Regular expressions are ECMAScript's. Throws Error (kUsage).
Scale parse_scale(std::string_view text);

/// Returns the duration of every node with all factors that apply multiplied, ns.
std::vector<Ns> scaled_durations(const Graph& graph, const std::vector<Scale>& scales);

/// Returns how many nodes, delays not counted, each of the scales applies to.
std::vector<std::size_t> count_scaled(std::span<const Graph> graphs,
                                      const std::vector<Scale>& scales);

/// Throws Error (kUsage) where a scale applies to no node, and says what it could apply to.
void require_scaled_nodes(std::span<const Graph> graphs, const std::vector<Scale>& scales);

/// The factor of one node.
class NodeScaler {
 public:
  NodeScaler(const Graph& graph, const std::vector<Scale>& scales);
  double factor(std::size_t node);
  bool is_scaled(std::size_t scale, std::size_t node);

 private:
  bool applies(const Scale& scale, std::size_t position, std::size_t node);
  bool has_name(const Scale& scale, std::size_t position, StringId name);

  const Graph& graph_;
  const std::vector<Scale>& scales_;
  std::vector<std::vector<signed char>> named_;  // by scale and name: -1 = not asked yet
};

/// Rounded to whole ns.
Ns scaled(Ns ns, double factor);

}  // namespace nadi
