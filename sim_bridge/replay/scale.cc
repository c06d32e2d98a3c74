#include "nadi/sim_bridge/replay/scale.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"
#include "nadi/model/last_sources.h"

namespace nadi {

namespace {

constexpr const char* kForms =
    "Use host=F, kernels=F, comm=F, stream:N=F, kernel:REGEX=F or op:REGEX=F, F from 0 to 1000000";

[[noreturn]] void fail(std::string_view text, const std::string& what) {
  throw Error(ErrorCode::kUsage, "`scale` " + std::string(text), what, kForms);
}

void set_names(Scale& scale, std::string_view pattern, Scale::Target target) {
  scale.target = target;
  try {
    scale.names.assign(std::string(pattern), std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    fail(scale.text, std::string("is no regular expression: ") + error.what());
  }
}

void set_target(Scale& scale, std::string_view target) {
  const std::size_t colon = target.find(':');
  const std::string_view kind = target.substr(0, colon);
  if (colon == std::string_view::npos) {
    if (kind == "host") return void(scale.target = Scale::Target::kHost);
    if (kind == "kernels") return void(scale.target = Scale::Target::kKernels);
    if (kind == "comm") return void(scale.target = Scale::Target::kCommunication);
    fail(scale.text, "names nothing that can be scaled");
  }
  const std::string_view rest = target.substr(colon + 1);
  if (kind == "kernel") return set_names(scale, rest, Scale::Target::kKernelNames);
  if (kind == "op") return set_names(scale, rest, Scale::Target::kOpNames);
  scale.target = Scale::Target::kStream;
  const auto stream = number_of_text<std::int64_t>(rest);
  if (kind != "stream" || !stream) fail(scale.text, "names nothing that can be scaled");
  scale.stream = *stream;
}

constexpr std::size_t kScalableShown = 8, kScalableNameBytes = 80;

/// Calls visit(graph, row) for all that a scale could apply to.
template <class Visit>
void for_each_scalable(std::span<const Graph> graphs, const Visit& visit) {
  for (const Graph& graph : graphs)
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (graph.kind[row] != NodeKind::kDelay) visit(graph, row);
}

/// A name in quotes, as far as a message has room for it; never cut within a character.
std::string quoted_name(std::string_view name) {
  if (name.size() <= kScalableNameBytes) return '"' + std::string(name) + '"';
  return '"' + std::string(whole_prefix(name, kScalableNameBytes)) + "…\"";
}

/// Names of device rows or of host nodes, those first that take most time in all.
std::vector<std::string> scalable_names(std::span<const Graph> graphs, bool of_device) {
  std::map<std::string_view, double> times;
  for_each_scalable(graphs, [&](const Graph& graph, std::uint32_t row) {
    if (graph.is_device(row) == of_device)
      times[graph.name_of(row)] += static_cast<double>(graph.duration_ns[row]);
  });
  std::vector<std::pair<double, std::string_view>> order;
  order.reserve(times.size());
  for (const auto& [name, ns] : times) order.emplace_back(-ns, name);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const auto& [ns, name] : order) names.push_back(quoted_name(name));
  return names;
}

std::vector<std::string> scalable_streams(std::span<const Graph> graphs) {
  std::set<std::int64_t> streams;
  for (const Graph& graph : graphs)
    for (const GraphLane& lane : graph.lanes)
      if (lane.is_device) streams.insert(lane.stream);
  std::vector<std::string> texts;
  texts.reserve(streams.size());
  for (const std::int64_t stream : streams) texts.push_back(std::to_string(stream));
  return texts;
}

/// Of host, kernels and comm those that the graphs have.
std::vector<std::string> scalable_kinds(std::span<const Graph> graphs) {
  bool has_host = false, has_kernels = false, has_communication = false;
  for_each_scalable(graphs, [&](const Graph& graph, std::uint32_t row) {
    const bool communicates = graph.communicates(row);
    has_communication |= communicates;
    has_kernels |= !communicates && graph.is_device(row);
    has_host |= !communicates && !graph.is_device(row);
  });
  std::vector<std::string> kinds;
  if (has_host) kinds.emplace_back("host");
  if (has_kernels) kinds.emplace_back("kernels");
  if (has_communication) kinds.emplace_back("comm");
  return kinds;
}

/// What a scale of this target, else any, could apply to.
std::string scalable_text(std::span<const Graph> graphs, Scale::Target target) {
  std::vector<std::string> own;
  std::string what;
  if (target == Scale::Target::kStream) {
    what = "The streams are ";
    own = scalable_streams(graphs);
  } else if (target == Scale::Target::kKernelNames) {
    what = "The device rows that take most time are ";
    own = scalable_names(graphs, true);
  } else if (target == Scale::Target::kOpNames) {
    what = "The host nodes that take most time are ";
    own = scalable_names(graphs, false);
  }
  if (!own.empty()) return what + first_of_list(own, kScalableShown);
  const std::vector<std::string> kinds = scalable_kinds(graphs);
  return kinds.empty() ? "The graphs hold nothing but delays"
                       : "The graphs have " + first_of_list(kinds, kScalableShown);
}

}  // namespace

Scale parse_scale(std::string_view text) {
  Scale scale;
  scale.text = text;
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) fail(text, "has no factor");
  const auto factor = number_of_text<double>(text.substr(equals + 1));
  if (!factor || !(*factor >= 0) || *factor > Scale::kMostFactor)
    fail(text, "has no factor from 0 to 1000000 behind the last '='");
  scale.factor = *factor;
  set_target(scale, text.substr(0, equals));
  return scale;
}

NodeScaler::NodeScaler(const Graph& graph, const std::vector<Scale>& scales)
    : graph_(graph), scales_(scales), named_(scales.size()) {
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (scales[i].target >= Scale::Target::kKernelNames) named_[i].assign(graph.strings.size(), -1);
}

double NodeScaler::factor(std::size_t node) {
  double factor = 1;
  for (std::size_t i = 0; i < scales_.size(); ++i)
    if (is_scaled(i, node)) factor *= scales_[i].factor;
  return factor;
}

bool NodeScaler::is_scaled(std::size_t scale, std::size_t node) {
  if (graph_.kind[node] == NodeKind::kDelay)
    return scales_[scale].target == Scale::Target::kKernels && is_of_device(graph_, node);
  return applies(scales_[scale], scale, node);
}

bool NodeScaler::applies(const Scale& scale, std::size_t position, std::size_t node) {
  const bool is_device = graph_.is_device(node);
  const bool communicates = graph_.communicates(node);
  switch (scale.target) {
    case Scale::Target::kHost:
      return !is_device && !communicates;
    case Scale::Target::kKernels:
      return is_device && !communicates;
    case Scale::Target::kCommunication:
      return communicates;
    case Scale::Target::kStream:
      return is_device && graph_.lanes[graph_.lane[node]].stream == scale.stream;
    case Scale::Target::kKernelNames:
      return is_device && has_name(scale, position, graph_.node_name[node]);
    case Scale::Target::kOpNames:
      return !is_device && has_name(scale, position, graph_.node_name[node]);
  }
  return false;
}

// Each name is looked at once; of a long one (strangers' kernels have 100 KB) only the beginning:
// std::regex needs stack for every byte.
bool NodeScaler::has_name(const Scale& scale, std::size_t position, StringId name) {
  signed char& known = named_[position][static_cast<std::uint32_t>(name)];
  if (known < 0) {
    const std::string_view text = graph_.strings[name].substr(0, Scale::kNameBytes);
    known = std::regex_search(text.begin(), text.end(), scale.names) ? 1 : 0;
  }
  return known == 1;
}

std::vector<std::size_t> count_scaled(std::span<const Graph> graphs,
                                      const std::vector<Scale>& scales) {
  std::vector<std::size_t> counts(scales.size(), 0);
  for (const Graph& graph : graphs) {
    NodeScaler scaler(graph, scales);
    for (std::size_t node = 0; node < graph.size(); ++node)
      for (std::size_t i = 0; i < scales.size(); ++i) counts[i] += scaler.is_scaled(i, node);
  }
  return counts;
}

void require_scaled_nodes(std::span<const Graph> graphs, const std::vector<Scale>& scales) {
  const std::vector<std::size_t> counts = count_scaled(graphs, scales);
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (counts[i] == 0)
      throw Error(ErrorCode::kUsage, "`scale` " + scales[i].text, "applies to no node",
                  scalable_text(graphs, scales[i].target));
}

std::vector<Ns> scaled_durations(const Graph& graph, const std::vector<Scale>& scales) {
  std::vector<Ns> durations = graph.duration_ns;
  if (scales.empty()) return durations;
  NodeScaler scaler(graph, scales);
  for (std::size_t node = 0; node < graph.size(); ++node)
    durations[node] = scaled(durations[node], scaler.factor(node));
  return durations;
}

// Far more than any job runs; sums of it stay far from overflow (replay checks them).
Ns scaled(Ns ns, double factor) {
  constexpr double kMost = 1e18;
  if (factor == 1) return ns;
  return static_cast<Ns>(std::llround(std::min(static_cast<double>(ns) * factor, kMost)));
}

}  // namespace nadi
