// A host trace in which some ops are named otherwise, missing or more is found at the very places
// where the whole one is: the real trace of one iteration among 40, edited.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "nadi/link/match_choice.h"
#include "nadi/link/match_order.h"
#include "nadi/link/match_report.h"
#include "nadi/link/match_tree.h"
#include "tests/error_of.h"
#include "tests/unit/link/match_edits.h"

namespace nadi {
namespace {

using namespace test;

DeviceTrace read_device() {
  ByteSource source = ByteSource::open((kLinear / "device.json.gz").string());
  Diagnostics diagnostics;
  return read_device_trace(source, diagnostics);
}
const DeviceTrace& device() {
  static const DeviceTrace trace = read_device();
  return trace;
}

struct Located {
  HostTrace host;
  SequenceMatch match;
};
Located locate_in_device(const Json& host, MatchMethod method = MatchMethod::kOrder) {
  Located located{read(host), {}};
  located.match = method == MatchMethod::kTree ? locate_by_tree(located.host, device())
                                               : locate_by_order(located.host, device(), "");
  return located;
}

/// By iteration: the profiler row of each host id.
std::vector<std::map<std::uint64_t, ProfilerOpIndex>> rows_of(const Located& located) {
  std::vector<std::map<std::uint64_t, ProfilerOpIndex>> rows;
  for (const Iteration& iteration : located.match.iterations) {
    rows.emplace_back();
    for_each_pair(located.match, iteration, [&](HostOpIndex host, ProfilerOpIndex profiler) {
      rows.back()[located.host.ops.id[host]] = profiler;
    });
  }
  return rows;
}

/// How the unchanged ops of an edited trace are matched.
struct Outcome {
  std::size_t iterations = 0;
  std::size_t unmatched = 0;  ///< the most of an iteration
  std::size_t moved = 0;  ///< the most of an iteration: matched elsewhere than in the whole trace
  Ns furthest_ns = 0;     ///< how far
};
Outcome outcome_of(const Json& edited, MatchMethod method = MatchMethod::kOrder) {
  static const Located whole = locate_in_device(whole_host());
  static const auto of_whole = rows_of(whole);
  const Located located = locate_in_device(edited, method);
  const auto rows = rows_of(located);
  std::map<std::uint64_t, std::string_view> names;
  for (std::size_t row = 0; row < located.host.ops.size(); ++row)
    names[located.host.ops.id[row]] = located.host.strings[located.host.ops.name[row]];
  Outcome outcome;
  outcome.iterations = rows.size();
  for (std::size_t k = 0; k < std::min(rows.size(), of_whole.size()); ++k) {
    std::size_t unmatched = 0, moved = 0;
    for (const auto& [id, row] : of_whole[k]) {
      const auto name = names.find(id);
      if (name == names.end() || name->second != device().strings[device().ops.name[row]]) continue;
      const auto found = rows[k].find(id);
      unmatched += found == rows[k].end() ? 1 : 0;
      if (found == rows[k].end() || found->second == row) continue;
      ++moved;
      const auto& start = device().ops.start_ns;
      outcome.furthest_ns =
          std::max(outcome.furthest_ns, std::abs(start[found->second] - start[row]));
    }
    outcome.unmatched = std::max(outcome.unmatched, unmatched);
    outcome.moved = std::max(outcome.moved, moved);
  }
  return outcome;
}

class MatchEdited : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kLinear)) GTEST_SKIP() << "no real traces beside this repository";
  }
};

/// Ops of thread 1 and of thread 2.
constexpr std::size_t kOpsOfEdited[] = {311, 617};
/// Percent of a thread's ops.
std::size_t share(int tid, double percent) {
  return std::size_t(percent / 100 * double(kOpsOfEdited[tid - 1]));
}

/// Repetitions of one name (42 times aten::result_type) may move up when one of them is missing:
/// not by more than this, a tenth of an iteration.
constexpr Ns kNeighbourhood = 6'000'000;

TEST_F(MatchEdited, ThreeRenamedOpsCostTheirThreePlacesOnly) {
  Json host = whole_host();
  Numbers numbers;
  rename(host, 1, 1, "renamed", numbers);
  rename(host, 2, 2, "renamed", numbers);
  const Located located = locate_in_device(host);
  ASSERT_EQ(located.match.iterations.size(), 39U);
  for (const Iteration& iteration : located.match.iterations) EXPECT_EQ(iteration.matched, 925U);
  const Outcome outcome = outcome_of(host);
  EXPECT_EQ(outcome.unmatched, 0U);
  EXPECT_EQ(outcome.moved, 0U);
}

TEST_F(MatchEdited, AnIterationWithThreeRenamedOpsIsRepeatedBesideWholeOnes) {
  constexpr std::size_t kEdited = 20;
  const HostTrace host = read(whole_host());
  DeviceTrace edited = read_device();
  const SequenceMatch whole = locate_by_order(host, edited, "");
  std::vector<ProfilerOpIndex> rows;
  for_each_pair(whole, whole.iterations.at(kEdited),
                [&](HostOpIndex, ProfilerOpIndex profiler) { rows.push_back(profiler); });
  const StringId renamed = edited.strings.intern("renamed");
  for (const std::size_t op : {100U, 400U, 800U}) edited.ops.name[rows.at(op)] = renamed;
  EXPECT_EQ(locate_by_order(host, edited, "").iterations.size(), 38U);
  const SequenceMatch repeated = locate_by_order(host, edited, "", DifferingToo::kYes);
  ASSERT_EQ(repeated.iterations.size(), 39U);
  for (std::size_t k = 0; k < repeated.iterations.size(); ++k)
    EXPECT_EQ(repeated.iterations[k].matched, k == kEdited ? 925U : 928U) << k;
}

TEST_F(MatchEdited, RenamedOpsMoveNoOther) {
  Numbers numbers;
  for (const double percent : {1.0, 3.3, 5.0, 9.5})
    for (const char* name : {"renamed", "aten::t"}) {
      Json host = whole_host();
      for (int tid : {1, 2}) rename(host, tid, share(tid, percent), name, numbers);
      const Outcome outcome = outcome_of(host);
      EXPECT_EQ(outcome.iterations, 39U) << percent << " % " << name;
      EXPECT_EQ(outcome.unmatched, 0U) << percent << " % " << name;
      EXPECT_EQ(outcome.moved, 0U) << percent << " % " << name;
    }
}

TEST_F(MatchEdited, MissingOpsMoveNoOtherFurtherThanItsRepetitions) {
  Numbers numbers;
  for (const double percent : {1.0, 5.0, 9.5}) {
    Json host = whole_host();
    for (int tid : {1, 2}) remove(host, some_ids(host, tid, share(tid, percent), numbers));
    const Outcome outcome = outcome_of(host);
    EXPECT_EQ(outcome.iterations, 39U) << percent;
    EXPECT_EQ(outcome.unmatched, 0U) << percent;
    EXPECT_LT(outcome.furthest_ns, kNeighbourhood) << percent;
  }
}

TEST_F(MatchEdited, OpsMissingAtEitherEndMoveNoOther) {
  for (const double percent : {1.0, 9.5}) {
    for (const bool at_end : {false, true}) {
      Json host = whole_host();
      for (int tid : {1, 2}) {
        const std::size_t count = share(tid, percent);
        remove(host, ids_of(host, tid, at_end ? kOpsOfEdited[tid - 1] - count : 0, count));
      }
      const Outcome outcome = outcome_of(host);
      EXPECT_EQ(outcome.iterations, 39U) << percent << at_end;
      EXPECT_EQ(outcome.unmatched, 0U) << percent << at_end;
      EXPECT_EQ(outcome.moved, 0U) << percent << at_end;
    }
  }
}

TEST_F(MatchEdited, AdditionalOpsOfNewNamesMoveNoOther) {
  Numbers numbers;
  for (const double percent : {1.0, 9.5}) {
    Json host = whole_host(), at_begin = host, at_end = host;
    for (int tid : {1, 2}) {
      const std::size_t count = share(tid, percent);
      insert_after(host, some_ids(host, tid, count, numbers), "new");
      insert_after(at_begin, ids_of(at_begin, tid, 0, count), "new");
      insert_after(at_end, ids_of(at_end, tid, kOpsOfEdited[tid - 1] - count, count), "new");
    }
    for (const Json& edited : {host, at_begin, at_end}) {
      const Outcome outcome = outcome_of(edited);
      EXPECT_EQ(outcome.iterations, 39U) << percent;
      EXPECT_EQ(outcome.unmatched, 0U) << percent;
      EXPECT_EQ(outcome.moved, 0U) << percent;
    }
  }
}

TEST_F(MatchEdited, AdditionalOpsOfKnownNamesTakeNoMorePlacesThanTheyAre) {
  Numbers numbers;
  for (const double percent : {1.0, 5.0}) {
    Json host = whole_host(), at_begin = host, at_end = host;
    for (int tid : {1, 2}) {
      const std::size_t count = share(tid, percent);
      insert_after(host, some_ids(host, tid, count, numbers), "");
      insert_after(at_begin, ids_of(at_begin, tid, 0, count), "aten::t");
      insert_after(at_end, ids_of(at_end, tid, kOpsOfEdited[tid - 1] - count, count), "");
    }
    for (const Json& edited : {host, at_begin, at_end}) {
      const Outcome outcome = outcome_of(edited);
      EXPECT_EQ(outcome.iterations, 39U) << percent;
      EXPECT_LE(outcome.unmatched, share(1, percent) + share(2, percent)) << percent;
      EXPECT_LT(outcome.furthest_ns, kNeighbourhood) << percent;
    }
  }
}

TEST_F(MatchEdited, TreesGiveTheSamePlacesAsTheOrderWhereItIsTheSame) {
  Numbers numbers;
  Json host = whole_host();
  const Outcome whole = outcome_of(host, MatchMethod::kTree);
  EXPECT_EQ(whole.iterations, 39U);
  EXPECT_EQ(whole.unmatched + whole.moved, 0U);
  for (int tid : {1, 2}) rename(host, tid, share(tid, 3.3), "renamed", numbers);
  const Outcome edited = outcome_of(host, MatchMethod::kTree);
  EXPECT_EQ(edited.iterations, 39U);
  EXPECT_EQ(edited.unmatched + edited.moved, 0U);
}

/// Every second op changes places with the op that begins next, if they have the same parent. How
/// many do.
std::size_t swap_siblings(Json& host, int tid) {
  const std::vector<Json*> ops = ops_of(host, tid);
  std::set<std::uint64_t> parents;
  for (const Json* op : ops) parents.insert((*op)["parent"].get<std::uint64_t>());
  const auto is_leaf = [&](const Json& op) { return !parents.contains(op["id"]); };
  std::size_t swapped = 0;
  for (std::size_t i = 0; i + 1 < ops.size(); i += 2) {
    Json &a = *ops[i], &b = *ops[i + 1];
    if (a["parent"] != b["parent"] || !is_leaf(a) || !is_leaf(b)) continue;
    std::swap(a["id"], b["id"]);
    ++swapped;
  }
  return swapped;
}
/// Start of the iteration that is linked.
Ns chosen_start(const Json& host) {
  Located located = locate_in_device(host, MatchMethod::kTree);
  const std::size_t chosen = choose_iteration(located.match, located.host, device(), {});
  return located.match.iterations.at(chosen).start_ns;
}

TEST_F(MatchEdited, SwappedSiblingsTakeNoOtherIteration) {
  Json host = whole_host();
  const Ns right = chosen_start(host);
  EXPECT_GT(swap_siblings(host, 1) + swap_siblings(host, 2), 20U);
  EXPECT_EQ(chosen_start(host), right);
  const Outcome outcome = outcome_of(host, MatchMethod::kTree);
  EXPECT_EQ(outcome.unmatched, 0U);
}

TEST_F(MatchEdited, TreesMatchAllOpsOfEveryRankWhoseOrderIsTheSame) {
  for (const char* rank : {"0", "1", "2", "3"}) {
    const std::string folder = NADI_SHARED_TRACES "/dlrm-8gpu/",
                      end = std::string(rank) + ".json.gz";
    ByteSource host_source = ByteSource::open(folder + "host." + end);
    ByteSource device_source = ByteSource::open(folder + "device." + end);
    Diagnostics diagnostics;
    HostTrace host = read_host_trace(host_source, diagnostics);
    DeviceTrace trace = read_device_trace(device_source, diagnostics);
    const MatchOptions by_tree{.method = MatchMethod::kTree};
    EXPECT_EQ(match_ops(host, trace, by_tree, diagnostics).ops.matched, 1672U) << rank;
  }
}

TEST_F(MatchEdited, TheReportCountsEveryOpOnce) {
  Json host = whole_host();
  Numbers numbers;
  rename(host, 1, 10, "renamed", numbers);
  remove(host, some_ids(host, 1, 5, numbers));
  const Located located = locate_in_device(host);
  ASSERT_EQ(located.match.iterations.size(), 39U);
  for (const Iteration& iteration : located.match.iterations) {
    const ThreadMatchCounts of_2 = count_thread(located.match, ThreadMatchIndex(0), &iteration);
    EXPECT_EQ(of_2.exact, 617U);
    EXPECT_EQ(of_2.gap_filled + of_2.unmatched_host + of_2.unmatched_profiler, 0U);
    const ThreadMatchCounts of_1 = count_thread(located.match, ThreadMatchIndex(1), &iteration);
    EXPECT_EQ(of_1.host_ops, 306U);
    EXPECT_EQ(of_1.exact + of_1.gap_filled, 296U);
    EXPECT_EQ(of_1.unmatched_host, 10U);
    EXPECT_EQ(of_1.unmatched_profiler, 15U);
  }
}

TEST_F(MatchEdited, TooManyRenamedOpsAreRefusedWithTheirNumber) {
  Json host = whole_host();
  Numbers numbers;
  for (int tid : {1, 2}) rename(host, tid, share(tid, 20), "renamed", numbers);
  HostTrace edited = read(host);
  DeviceTrace trace = read_device();
  Diagnostics diagnostics;
  // 62 of 311 and 123 of 617 are renamed.
  const std::string text =
      message_of([&] { match_ops(edited, trace, {.method = MatchMethod::kOrder}, diagnostics); });
  EXPECT_NE(text.find("by the order of names only 743 of 928 host ops fit"), std::string::npos)
      << text;
  EXPECT_NE(text.find("123 unmatched"), std::string::npos) << text;
  EXPECT_NE(text.find("62 unmatched"), std::string::npos) << text;
}

}  // namespace
}  // namespace nadi
