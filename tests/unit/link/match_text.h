// Traces for tests of matching by names, as strings of one-letter names, and what became of them.
#pragma once

#include <string>

#include "nadi/base/error.h"
#include "nadi/link/match_choice.h"
#include "tests/unit/link/trace_text.h"

namespace nadi::test {

/// "abc": ops named so, 10 us apart from `start` on, 5 us long.
inline Lines ops(const std::string& names, double start = 0, int tid = 100) {
  Lines lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(op(std::string(1, names[i]), start + 10.0 * double(i), 5, 0, tid));
  return lines;
}
/// Nodes with ids from first_id on.
inline Lines nodes(const std::string& names, int tid = 1, int first_id = 2) {
  Lines lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(node(first_id + int(i), std::string(1, names[i]), 1, 0, tid));
  return lines;
}
inline Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The host ops and what they are linked to, by start time in units of 10 us: "a0 b1 c- ".
inline std::string linked_text(const LinkedTrace& linked) {
  std::string text;
  for (std::size_t row = 0; row < linked.ops.size(); ++row) {
    if (!linked.ops.host[row]) continue;
    const std::string place =
        !linked.ops.profiler[row] ? "-" : std::to_string(linked.ops.start_ns[row] / 10000);
    text += op_name(linked, std::uint32_t(row)) + place + " ";
  }
  return text;
}
inline LinkedTrace link_by(const MatchOptions& match, const Lines& events, const Lines& nodes,
                           Diagnostics* diagnostics = nullptr) {
  LinkOptions options;
  options.match = match;
  Diagnostics own;
  return link_traces(host_trace(nodes), device_trace(events), options,
                     diagnostics == nullptr ? own : *diagnostics);
}
inline std::string refusal(const MatchOptions& match, const Lines& events, const Lines& nodes) {
  try {
    link_by(match, events, nodes);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The first place of a kind of finding, "-" without it.
inline std::string finding(const Diagnostics& diagnostics, Finding kind) {
  for (const Diagnostic& row : diagnostics.table())
    if (row.kind == kind) return row.first.empty() ? "" : row.first.front();
  return "-";
}

}  // namespace nadi::test
