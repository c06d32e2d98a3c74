#include "tests/invariants/hypothesis_score.h"

#include <optional>

namespace nadi {
namespace {

/// Of every half of a case.
constexpr int kHypothesisSeeds = 3;

bool is_same(const BuiltGraph& a, const BuiltGraph& b) {
  if (a.kind != b.kind || a.row != b.row || a.start_ns != b.start_ns ||
      a.duration_ns != b.duration_ns || num_edges(a.structure) != num_edges(b.structure))
    return false;
  auto [edge, end] = edges(a.structure);
  for (auto other = edges(b.structure).first; edge != end; ++edge, ++other) {
    const Edge &left = a.structure[*edge], &right = b.structure[*other];
    if (source(*edge, a.structure) != source(*other, b.structure) ||
        target(*edge, a.structure) != target(*other, b.structure) ||
        left.evidence != right.evidence || left.inferred != right.inferred)
      return false;
  }
  return true;
}

bool are_same(const std::vector<Conversion>& a, const std::vector<Conversion>& b) {
  for (std::size_t rank = 0; rank < a.size(); ++rank)
    if (!is_same(a[rank].graph, b[rank].graph)) return false;
  return true;
}

void add_seed(const InferenceCase& what, int seed, bool is_held_back,
              std::vector<HypothesisHalves>& scores) {
  ScoredProgram program = scored_program(what, seed);
  const std::vector<Conversion> all = program.convert({});
  std::optional<SpoiltScore> with;
  for (const HypothesisInfo& row : hypotheses()) {
    const std::vector<Conversion> others = program.convert(Hypotheses::without(row.hypothesis));
    if (are_same(all, others)) continue;
    if (!with) program.add(all, with.emplace());
    HypothesisHalves& score = scores[static_cast<std::size_t>(row.hypothesis)];
    HypothesisScore& half = score.halves[is_held_back ? 1 : 0];
    SpoiltScore without;
    program.add(others, without);
    half.with += *with;
    half.without += without;
    ++half.programs;
    score.kinds.insert(what.kind);
  }
}

}  // namespace

std::vector<InferenceCase> hypothesis_cases() {
  std::vector<InferenceCase> cases;
  const auto add = [&](const std::vector<InferenceCase>& some, const auto& is_wanted) {
    for (InferenceCase one : some) {
      one.seeds = kHypothesisSeeds;
      if (is_wanted(one)) cases.push_back(one);
    }
  };
  add(inference_cases(), [](const InferenceCase& one) {
    return one.fault.name == "no sync rows" || one.fault.name == "no record rows either";
  });
  add(framework_cases(), [](const InferenceCase& one) { return one.fault.name != "all recorded"; });
  for (const Fault& fault : all_faults())
    if (fault.name == "profiler begins at 30 %")
      for (const char* kind : {"data_parallel", "autograd", "fsdp2"})
        cases.push_back({fault, kind, {}, 1, 41, kHypothesisSeeds});
  return cases;
}

std::vector<HypothesisHalves> score_hypotheses(const std::string& text) {
  std::vector<HypothesisHalves> scores(hypotheses().size());
  for (const InferenceCase& what : hypothesis_cases())
    if ((what.fault.name + ", " + what.kind).find(text) != std::string::npos)
      for (const bool is_held_back : {false, true})
        for (const int seed : inference_seeds(what, is_held_back))
          add_seed(what, seed, is_held_back, scores);
  return scores;
}

}  // namespace nadi
