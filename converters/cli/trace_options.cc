#include "nadi/converters/cli/trace_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

namespace nadi::cli {

namespace {

/// An option whose value is one of the names of a table.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& target,
                        const std::map<std::string, Value>& values, const std::string& purpose) {
  std::vector<std::string> names;
  for (const auto& [text, value] : values) names.push_back(text);
  return app
      .add_option_function<std::string>(
          name, [&target, values](const std::string& text) { target = values.at(text); }, purpose)
      ->check(CLI::IsMember(names))
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
}

/// The whole of text as a number, and where it ended.
template <class Number>
std::optional<Number> parse_number(std::string_view text, std::string_view& rest) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

void set_min_part(GraphOptions& graph, const std::string& text) {
  graph.join_all_parts = text == "op";
  if (graph.join_all_parts) return;
  const auto duration = parse_duration(text);
  if (!duration) throw CLI::ValidationError("--min-part", "'" + text + "' is none of 0, 2us, op");
  graph.min_part_ns = *duration;
}

void set_steps(GraphOptions& graph, const std::string& text) {
  graph.steps = parse_steps(text);
  if (!graph.steps) throw CLI::ValidationError("--steps", "'" + text + "' is no range like 3-5");
}

}  // namespace

std::optional<Ns> parse_duration(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {
      {"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  constexpr double kMost = 1e15;  // 11 days
  std::string_view unit;
  const auto number = parse_number<double>(text, unit);
  if (!number || !(*number >= 0)) return std::nullopt;
  if (*number == 0 && unit.empty()) return 0;
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto factor = kUnits.find(unit);
  if (factor == kUnits.end() || *number * factor->second > kMost) return std::nullopt;
  return std::llround(*number * factor->second);
}

std::optional<StepRange> parse_steps(std::string_view text) {
  std::string_view rest;
  const auto first = parse_number<std::int32_t>(text, rest);
  if (!first || *first < 0) return std::nullopt;
  if (rest.empty()) return StepRange{*first, *first};
  if (!rest.starts_with('-')) return std::nullopt;
  const auto last = parse_number<std::int32_t>(rest.substr(1), rest);
  if (!last || !rest.empty() || *last < *first) return std::nullopt;
  return StepRange{*first, *last};
}

void add_trace_options(CLI::App& app, TraceFiles& traces, LinkOptions& link) {
  app.add_option("--host", traces.host,
                 "Host trace (ExecutionTraceObserver), or -; without it the device trace's own ops")
      ->option_text("TRACE");
  app.add_option("--device", traces.device, "Device trace (Kineto, torch.profiler), or -")
      ->required()
      ->option_text("TRACE (required)");
  app.add_option("--rank", link.rank, "Rank (default: the device trace's distributedInfo, else 0)")
      ->check(CLI::NonNegativeNumber)
      ->option_text("R");
  add_choice<MatchMethod>(
      app, "--match", link.match,
      {{"auto", MatchMethod::kAuto}, {"rf-id", MatchMethod::kRfId}, {"force", MatchMethod::kForce}},
      "How host ops find their times; force accepts any share (default: auto)");
}

void add_graph_options(CLI::App& app, GraphOptions& graph) {
  add_choice<Delays>(app, "--delays", graph.delays,
                     {{"none", Delays::kNone}, {"host", Delays::kHost}, {"all", Delays::kAll}},
                     "Which unexplained waiting becomes delay nodes (default: host)");
  app.add_option_function<std::string>(
         "--min-part", [&graph](const std::string& text) { set_min_part(graph, text); },
         "Join parts of host ops up to this long to their neighbour; op: one node per op (default: "
         "0)")
      ->option_text("0|2us|op");
  app.add_option_function<std::string>(
         "--steps", [&graph](const std::string& text) { set_steps(graph, text); },
         "Only these training steps (N of ProfilerStep#N), both included")
      ->option_text("A-B");
}

}  // namespace nadi::cli
