// truth_table [--held-back] [--verbose] [--fault TEXT]: what is left of the truth when records are
// spoilt, as a Markdown table of faults (of those whose name holds the text).
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>

#include "nadi/base/error.h"
#include "tests/invariants/spoilt_score.h"

namespace {

using namespace nadi;

struct Arguments {
  bool held_back = false, verbose = false;
  std::string fault;
};

bool parse(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--held-back")
      arguments.held_back = true;
    else if (word == "--verbose")
      arguments.verbose = true;
    else if (word == "--fault" && i + 1 < count)
      arguments.fault = words[++i];
    else
      return false;
  }
  return true;
}

std::string recall_text(const SpoiltScore& score) {
  std::string text;
  for (const auto& [kind, tally] : score.required)
    if (tally.good < tally.total)
      text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ", kind, tally.share());
  return text.empty() ? "1" : text;
}

/// "0.97, 5 %": recall of every kind, and the worst what-if.
std::string limits_text(const Fault& fault) {
  if (!fault.limits) return "-";
  const std::string recall = fmt::format("{}", fault.limits->least_recall);
  return fault.limits->most_what_if > 0
             ? fmt::format("{}, {} %", recall, fault.limits->most_what_if)
             : recall;
}

void print_row(const Fault& fault, const SpoiltScore& score) {
  const std::string precision =
      score.edges.good == score.edges.total ? "1" : fmt::format("{:.5f}", score.edges.share());
  const std::string what_if = score.what_ifs.empty()
                                  ? "-"
                                  : fmt::format("{:.1f} % ({}, {})", score.worst_what_if,
                                                score.worst_program, score.worst_change);
  fmt::print("| {} | {} | {} | {} | {} |\n", fault.name, limits_text(fault), recall_text(score),
             precision, what_if);
  std::fflush(stdout);
}

void print_findings(const SpoiltScore& score) {
  for (const std::string& line : score.missing) fmt::print(stderr, "missing: {}\n", line);
  for (const std::string& line : score.false_edges) fmt::print(stderr, "false: {}\n", line);
  for (const std::string& line : score.what_ifs) fmt::print(stderr, "what-if: {}\n", line);
}

void run(const Arguments& arguments) {
  fmt::print("| record | asked | recall | precision | worst what-if |\n|---|---|---|---|---|\n");
  for (Fault fault : all_faults()) {
    if (fault.name.find(arguments.fault) == std::string::npos) continue;
    if (arguments.held_back) fault.spoil.seed += 1;
    SpoiltScore score;
    for (const std::string& program : scored_programs(arguments.held_back))
      add_program(program, fault, score);
    print_row(fault, score);
    if (arguments.verbose) print_findings(score);
  }
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) {
    std::fputs("usage: truth_table [--held-back] [--verbose] [--fault TEXT]\n", stderr);
    return 2;
  }
  try {
    run(arguments);
  } catch (const nadi::Error& error) {
    fmt::print(stderr, "truth_table: {}\n", error.what());
    return 2;
  }
  return 0;
}
