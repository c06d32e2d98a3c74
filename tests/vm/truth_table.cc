// truth_table [--inference] [--held-back] [--verbose] [--fault TEXT]: what is left of the truth
// when records are spoilt, as a Markdown table of faults (of those whose name holds the text). With
// --inference: when waits are not recorded, by kind of program; the text may be in its name, too.
// truth_table --graphs: what each form of a trace tells of the order inside launches of CUDA
// graphs.
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>

#include "nadi/base/error.h"
#include "tests/invariants/graph_score.h"
#include "tests/invariants/inference_score.h"
#include "tests/invariants/spoilt_score.h"
#include "tests/vm/programs.h"

namespace {

using namespace nadi;

struct Arguments {
  bool inference = false, held_back = false, verbose = false, graphs = false;
  std::string fault;
};

bool parse(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--inference")
      arguments.inference = true;
    else if (word == "--graphs")
      arguments.graphs = true;
    else if (word == "--held-back")
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

/// "0.9512 (351 of 369)"
std::string share_text(const vm::Tally& tally) {
  if (tally.total == 0) return "-";
  const std::string share = tally.good == tally.total ? "1" : fmt::format("{:.4f}", tally.share());
  return fmt::format("{} ({} of {})", share, tally.good, tally.total);
}

/// "0.75, held up 0.95; 0.99; 12 %": recall, precision of inferred waits, what-if.
std::string limits_text(const InferenceLimits& limits) {
  if (limits.most_what_if == 0) return "-";
  const std::string binding = limits.least_binding_recall > 0
                                  ? fmt::format(", held up {}", limits.least_binding_recall)
                                  : "";
  return fmt::format("{}{}; {}; {} %", limits.least_recall, binding, limits.least_precision,
                     limits.most_what_if);
}

/// How many waits each evidence gave, and how many of them are false.
std::string evidence_text(const SpoiltScore& score) {
  std::string text;
  for (const auto& [evidence, tally] : score.by_evidence) {
    if (!evidence.starts_with("event wait") && !evidence.starts_with("synchronis")) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", evidence, tally.total);
    if (tally.good < tally.total) text += fmt::format(" ({} false)", tally.total - tally.good);
  }
  return text.empty() ? "-" : text;
}

void print_inference_row(const InferenceCase& what, const SpoiltScore& score) {
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {:.5f} | {:.1f} % ({}, {}) | {} |\n",
             what.fault.name, what.kind, limits_text(what.limits), share_text(score.waits),
             share_text(score.needed_waits), share_text(score.binding_waits),
             share_text(score.inferred_waits()), score.edges.share(), score.worst_what_if,
             score.worst_program, score.worst_change, evidence_text(score));
  std::fflush(stdout);
}

void run_inference(const Arguments& arguments) {
  constexpr std::size_t kAllFindings = 100'000;
  fmt::print(
      "| record | programs | asked | waits found | of those nothing else implies | of these, of "
      "those "
      "that held something up | precision of inferred waits | of all edges | worst what-if | waits "
      "by evidence |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const InferenceCase& what : inference_cases()) {
    if ((what.fault.name + ", " + what.kind).find(arguments.fault) == std::string::npos) continue;
    SpoiltScore score;
    if (arguments.verbose) score.most_findings = kAllFindings;
    for (const int seed : inference_seeds(arguments.held_back)) add_seed(what, seed, score);
    print_inference_row(what, score);
    if (!arguments.verbose) continue;
    fmt::print(stderr, "recall of all kinds: {}\n", recall_text(score));
    for (const std::string& line : score.missing_waits) fmt::print(stderr, "missing: {}\n", line);
    for (const std::string& line : score.missing)
      if (line.find("event wait: ") == line.npos && line.find("synchronisation: ") == line.npos)
        fmt::print(stderr, "missing: {}\n", line);
    for (const std::string& line : score.false_edges) fmt::print(stderr, "false: {}\n", line);
    for (const std::string& line : score.what_ifs) fmt::print(stderr, "what-if: {}\n", line);
  }
}

/// "0.88 (412 of 468), 1, 12.3 %": recall and precision of the order inside launches, what-if.
std::string graph_text(const std::string& name, vm::DeviceForm form) {
  const vm::Program program = vm::make_program(name);
  vm::WriteOptions write;
  write.form = form;
  const vm::Comparison result = compare_graphs(program, write);
  vm::Tally edges;
  for (const char* evidence : {"graph dependency", "graph order", "graph order (inferred)"})
    if (const auto found = result.edges.find(evidence); found != result.edges.end()) {
      edges.total += found->second.total;
      edges.good += found->second.good;
    }
  return fmt::format("{} | {} | {:.1f} %", share_text(result.required.at("graph order")),
                     share_text(edges), worst_what_if(program, write).error);
}

void run_graphs() {
  fmt::print(
      "| program | Kineto: recall | precision | what-if | Cuspy's JSON: recall | precision | "
      "what-if "
      "| .pftrace: recall | precision | what-if |\n|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<std::string> names = vm::graph_program_names();
  for (int seed = 1; seed <= 6; ++seed) names.push_back(fmt::format("graphs:{}", seed));
  for (const std::string& name : names) {
    fmt::print("| {} |", name);
    for (const auto form :
         {vm::DeviceForm::kKineto, vm::DeviceForm::kCuspy, vm::DeviceForm::kPftrace})
      fmt::print(" {} |", graph_text(name, form));
    fmt::print("\n");
  }
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
    std::fputs(
        "usage: truth_table [--graphs] [--inference] [--held-back] [--verbose] [--fault TEXT]\n",
        stderr);
    return 2;
  }
  try {
    if (arguments.graphs)
      run_graphs();
    else if (arguments.inference)
      run_inference(arguments);
    else
      run(arguments);
  } catch (const nadi::Error& error) {
    fmt::print(stderr, "truth_table: {}\n", error.what());
    return 2;
  }
  return 0;
}
