// The tables of README.md beside this file, as Markdown; tests/readme/tables_test.py compares them.
//   truth_table [--spoilt]   what is left of the truth when records are spoilt, a row per fault
//   truth_table --inference  when waits are not recorded, a row per kind of program, too
//   truth_table --frameworks the same of programs that call as today's frameworks do
//   truth_table --hypotheses what each hypothesis of nadi's table is worth
//   truth_table --graphs     what forms of a trace tell of the order inside launches of CUDA graphs
// --fault TEXT: rows whose fault (and kind) hold the text. --verbose: what is missing or false.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "tests/invariants/graph_score.h"
#include "tests/invariants/hypothesis_score.h"
#include "tests/invariants/inference_score.h"
#include "tests/invariants/spoilt_score.h"
#include "tests/vm/programs.h"

namespace {

using namespace nadi;

struct Arguments {
  bool inference = false, frameworks = false, hypotheses = false, verbose = false, graphs = false;
  std::string fault;
};

bool parse(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--spoilt") continue;  // what is printed without a choice
    if (word == "--inference")
      arguments.inference = true;
    else if (word == "--frameworks")
      arguments.frameworks = true;
    else if (word == "--hypotheses")
      arguments.hypotheses = true;
    else if (word == "--graphs")
      arguments.graphs = true;
    else if (word == "--verbose")
      arguments.verbose = true;
    else if (word == "--fault" && i + 1 < count)
      arguments.fault = words[++i];
    else
      return false;
  }
  return true;
}

/// Of the programs that nadi is tuned with, and of those held back.
using Halves = std::array<SpoiltScore, 2>;

/// "0.992; 0.995": what a half gives and whether it misses its limit, which makes it bold.
template <class Text>
std::string both(const Halves& halves, const Text& text) {
  std::array<std::string, 2> texts;
  for (std::size_t half = 0; half < 2; ++half) {
    const auto [words, misses] = text(halves[half]);
    texts[half] = misses ? "**" + words + "**" : words;
  }
  return texts[0] == texts[1] ? texts[0] : texts[0] + "; " + texts[1];
}

/// "1", or with as many of three to five digits as tell it from 1.
std::string share_text(const vm::Tally& tally) {
  if (tally.good == tally.total) return tally.total == 0 ? "-" : "1";
  int digits = 3;
  for (double step = 1e-3; digits < 5 && step > 1 - tally.share(); step /= 10) ++digits;
  return fmt::format("{:.{}f}", tally.share(), digits);
}

std::string recall_text(const SpoiltScore& score) {
  std::string text;
  for (const auto& [kind, tally] : score.required)
    if (tally.good < tally.total)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, share_text(tally));
  return text.empty() ? "1" : text;
}

std::string what_if_text(const SpoiltScore& score) {
  return score.what_ifs.empty() ? "-" : fmt::format("{:.1f} %", score.worst_what_if);
}

void print_findings(const SpoiltScore& score) {
  fmt::print(stderr, "recall of all kinds: {}; worst what-if: {}, {}\n", recall_text(score),
             score.worst_program, score.worst_change);
  for (const auto& [evidence, tally] : score.by_evidence)
    fmt::print(stderr, "{}: {} of {} true\n", evidence, tally.good, tally.total);
  for (const std::string& line : score.missing) fmt::print(stderr, "missing: {}\n", line);
  for (const std::string& line : score.missing_waits) fmt::print(stderr, "not found: {}\n", line);
  for (const std::string& line : score.false_edges) fmt::print(stderr, "false: {}\n", line);
  for (const std::string& line : score.what_ifs) fmt::print(stderr, "what-if: {}\n", line);
}

constexpr std::size_t kAllFindings = 100'000;

/// add: to the score of a half.
template <class Add>
Halves score_halves(const Arguments& arguments, const Add& add) {
  Halves halves;
  for (std::size_t half = 0; half < 2; ++half) {
    if (arguments.verbose) halves[half].most_findings = kAllFindings;
    add(half == 1, halves[half]);
    if (arguments.verbose) print_findings(halves[half]);
  }
  return halves;
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

void print_inference_row(const InferenceCase& what, const Halves& halves) {
  const InferenceLimits& limits = what.limits;
  const auto tally = [](const vm::Tally& of, double least) {
    return std::pair(share_text(of), of.total > 0 && of.share() < least);
  };
  const double most_what_if = limits.most_what_if > 0 ? limits.most_what_if : 100;
  fmt::print(
      "| {} | {} | {} | {} | {} | {} | {} |\n", what.fault.name, what.kind, limits_text(limits),
      both(halves, [&](const auto& s) { return tally(s.waits, limits.least_recall); }),
      both(halves,
           [&](const auto& s) { return tally(s.binding_waits, limits.least_binding_recall); }),
      both(halves,
           [&](const auto& s) { return tally(s.inferred_waits(), limits.least_precision); }),
      both(halves, [&](const auto& s) {
        return std::pair(what_if_text(s), s.worst_what_if > most_what_if);
      }));
  std::fflush(stdout);
}

void run_inference(const Arguments& arguments) {
  fmt::print(
      "| record | programs | asked: found; precision; what-if | waits found | that held something "
      "up "
      "| precision of inferred ones | worst what-if |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const InferenceCase& what : inference_cases()) {
    if ((what.fault.name + ", " + what.kind).find(arguments.fault) == std::string::npos) continue;
    print_inference_row(what, score_halves(arguments, [&](bool is_held_back, SpoiltScore& score) {
                          for (const int seed : inference_seeds(what, is_held_back))
                            add_seed(what, seed, score);
                        }));
  }
}

constexpr double kLeastOfQueues = 0.65;

void print_framework_row(const InferenceCase& what, const Halves& halves) {
  const InferenceLimits& limits = what.limits;
  const auto cell = [&](const auto& tally_of, double least) {
    return both(halves, [&](const SpoiltScore& score) {
      const vm::Tally tally = tally_of(score);
      return std::pair(share_text(tally), tally.total > 0 && tally.share() < least);
    });
  };
  const auto recall = [&](vm::EdgeKind kind, double least) {
    return cell([kind](const SpoiltScore& s) { return s.recall_of(kind); }, least);
  };
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", what.fault.name,
             what.kind, limits_text(limits),
             cell([](const auto& s) { return s.waits; }, limits.least_recall),
             cell([](const auto& s) { return s.binding_waits; }, limits.least_binding_recall),
             recall(vm::EdgeKind::kThreadHandOff, limits.least_binding_recall),
             cell([](const auto& s) { return s.binding_queues; }, kLeastOfQueues),
             recall(vm::EdgeKind::kQueryLoop, 0),
             cell([](const auto& s) { return s.edges; }, limits.least_precision),
             cell([](const auto& s) { return s.inferred_edges(); }, limits.least_precision),
             both(halves, [&](const auto& s) {
               return std::pair(what_if_text(s), s.worst_what_if > limits.most_what_if);
             }));
  std::fflush(stdout);
}

void run_frameworks(const Arguments& arguments) {
  fmt::print(
      "| record | programs | asked: waits; precision; what-if | waits found | that held something "
      "up | hand-offs | queues that held something up | loops of queries | precision | of inferred "
      "ones | worst what-if |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const InferenceCase& what : framework_cases()) {
    if ((what.fault.name + ", " + what.kind).find(arguments.fault) == std::string::npos) continue;
    print_framework_row(what, score_halves(arguments, [&](bool is_held_back, SpoiltScore& score) {
                          for (const int seed : inference_seeds(what, is_held_back))
                            add_seed(what, seed, score);
                        }));
  }
}

/// "0.985 -> 0.870": with the hypothesis and without it, or what both are.
template <class Text>
std::string with_and_without(const HypothesisHalves& scores, const Text& text) {
  std::array<std::string, 2> halves;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::string with = text(scores.halves[half].with);
    const std::string without = text(scores.halves[half].without);
    halves[half] = with == without ? with : fmt::format("{} → {}", with, without);
  }
  return halves[0] == halves[1] ? halves[0] : halves[0] + "; " + halves[1];
}

void print_hypothesis(const HypothesisInfo& row, const HypothesisHalves& scores) {
  std::string kinds;
  for (const std::string& kind : scores.kinds) kinds += (kinds.empty() ? "" : ", ") + kind;
  const auto cell = [&](const auto& tally_of) {
    return with_and_without(scores, [&](const auto& s) { return share_text(tally_of(s)); });
  };
  fmt::print("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.name, to_string(row.of),
             kinds.empty() ? "-" : kinds,
             fmt::format("{}; {}", scores.halves[0].programs, scores.halves[1].programs),
             cell([](const auto& s) { return s.waits; }),
             cell([](const auto& s) { return s.binding_waits; }),
             cell([](const auto& s) { return s.binding_queues; }),
             cell([](const auto& s) { return s.inferred_edges(); }),
             with_and_without(scores, [](const auto& s) { return what_if_text(s); }));
}

void run_hypotheses(const Arguments& arguments) {
  const std::vector<HypothesisHalves> scores = score_hypotheses(arguments.fault);
  fmt::print(
      "| hypothesis | class | programs it changes | how many | waits found | that held something "
      "up "
      "| queues that held something up | precision of inferred edges | worst what-if "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (const HypothesisInfo& row : hypotheses())
    print_hypothesis(row, scores[static_cast<std::size_t>(row.hypothesis)]);
}

/// "0.880, 1, 12.3 %": recall and precision of the order inside launches, what-if.
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
  return fmt::format("{}, {}, {:.1f} %", share_text(result.required.at("graph order")),
                     share_text(edges), worst_what_if(program, write).error);
}

void run_graphs() {
  fmt::print(
      "| program | Kineto's JSON | the new profiler's JSON | its `.pftrace` "
      "|\n|---|---|---|---|\n");
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

/// "0.97, 5 %": recall of every kind, and the worst what-if.
std::string limits_text(const Fault& fault) {
  if (!fault.limits) return "-";
  const std::string recall = fmt::format("{}", fault.limits->least_recall);
  return fault.limits->most_what_if > 0
             ? fmt::format("{}, {} %", recall, fault.limits->most_what_if)
             : recall;
}

void print_row(const Fault& fault, const Halves& halves) {
  const Limits limits = fault.limits.value_or(Limits{0, 0});
  fmt::print("| {} | {} | {} | {} | {} |\n", fault.name, limits_text(fault),
             both(halves,
                  [&](const auto& s) {
                    return std::pair(recall_text(s), s.least_recall() < limits.least_recall);
                  }),
             both(halves,
                  [&](const auto& s) {
                    return std::pair(share_text(s.edges),
                                     fault.limits && s.edges.good < s.edges.total);
                  }),
             both(halves, [&](const auto& s) {
               return std::pair(what_if_text(s),
                                limits.most_what_if > 0 && s.worst_what_if > limits.most_what_if);
             }));
  std::fflush(stdout);
}

void run(const Arguments& arguments) {
  fmt::print("| record | asked | recall | precision | worst what-if |\n|---|---|---|---|---|\n");
  for (const Fault& fault : all_faults()) {
    if (fault.name.find(arguments.fault) == std::string::npos) continue;
    print_row(fault, score_halves(arguments, [&](bool is_held_back, SpoiltScore& score) {
                Fault drawn = fault;
                if (is_held_back) drawn.spoil.seed += 1;
                for (const std::string& program : scored_programs(is_held_back))
                  add_program(program, drawn, score);
              }));
  }
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) {
    std::fputs(
        "usage: truth_table [--spoilt|--graphs|--inference|--frameworks|--hypotheses] [--verbose] "
        "[--fault TEXT]\n",
        stderr);
    return 2;
  }
  try {
    if (arguments.hypotheses)
      run_hypotheses(arguments);
    else if (arguments.graphs)
      run_graphs();
    else if (arguments.frameworks)
      run_frameworks(arguments);
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
