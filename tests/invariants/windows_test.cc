// Programs whose host and device trace were recorded over different windows (H10) keep what both
// recorded, with its true dependencies.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "nadi/base/error.h"
#include "tests/file_bytes.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/vm/programs.h"
#include "tests/vm/truth.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

/// Both files of one rank.
struct Texts {
  Json host, device;
};

/// With a begin at which a double of microseconds still has its nanoseconds.
vm::WriteOptions write_options() {
  vm::WriteOptions write;
  write.origin_ns = 1'000'000'000;
  return write;
}

bool is_root_node(const Json& node) {
  return node["name"].get<std::string>().starts_with("[pytorch|");
}
bool is_op_event(const Json& event) {
  const std::string category = event.value("cat", "");
  return category == "cpu_op" || category == "user_annotation";
}

/// The value a given share of all lie below.
template <class Number>
Number quantile(std::vector<Number> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

/// Leaves what the profiler would have recorded of the last ops only.
void start_device_late(Texts& texts, double share) {
  std::vector<double> starts;
  for (const Json& event : texts.device["traceEvents"])
    if (is_op_event(event)) starts.push_back(event["ts"]);
  const double begin = quantile(starts, share);
  Json kept = Json::array();
  for (Json& event : texts.device["traceEvents"])
    if (event["ph"] == "M" || event["ts"] >= begin) kept.push_back(std::move(event));
  texts.device["traceEvents"] = std::move(kept);
}

/// Leaves what the observer would have recorded of the last ops only.
void start_host_late(Texts& texts, double share) {
  std::vector<std::uint64_t> ids;
  for (const Json& node : texts.host["nodes"])
    if (!is_root_node(node)) ids.push_back(node["id"]);
  const std::uint64_t begin = quantile(ids, share);
  Json kept = Json::array();
  for (Json& node : texts.host["nodes"])
    if (is_root_node(node) || node["id"] >= begin) kept.push_back(std::move(node));
  texts.host["nodes"] = std::move(kept);
}

struct LateStart {
  const char* name;
  void (*spoil)(Texts&, double);
  Finding counted;  ///< the finding that counts what is left out
  MatchMethod method = MatchMethod::kAuto;
  friend void PrintTo(const LateStart& trace, std::ostream* out) { *out << trace.name; }
};

std::uint64_t op_count(const Json& host) {
  const Json& nodes = host["nodes"];
  return static_cast<std::uint64_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const Json& n) { return !is_root_node(n); }));
}
std::uint64_t event_count(const Json& device) {
  const Json& events = device["traceEvents"];
  return static_cast<std::uint64_t>(std::count_if(events.begin(), events.end(), is_op_event));
}

/// Sums over programs.
struct LateStartScore {
  int programs = 0;
  std::map<std::string, vm::Tally> required, edges;

  void add(const vm::Comparison& comparison) {
    ++programs;
    for (const auto& [kind, tally] : comparison.required) sum(required[kind], tally);
    for (const auto& [kind, tally] : comparison.edges) sum(edges[kind], tally);
  }

 private:
  static void sum(vm::Tally& all, const vm::Tally& one) {
    all.total += one.total;
    all.good += one.good;
  }
};

class LateStarts : public testing::TestWithParam<LateStart> {
 protected:
  /// Nothing is added where the traces have too few ops in common to be linked.
  void convert(std::uint64_t seed, double share) {
    const vm::Program program = vm::random_program(seed, 40);
    const std::string& name = program.name;
    const vm::Execution run = vm::execute(program);
    const vm::WriteOptions write = write_options();
    Texts texts{Json::parse(vm::write_host_trace(program, run, 0, write)),
                Json::parse(vm::write_device_trace(program, run, 0, write))};
    const std::uint64_t ops = op_count(texts.host);
    GetParam().spoil(texts, share);
    const std::uint64_t host_ops = op_count(texts.host),
                        common = std::min(host_ops, event_count(texts.device));
    if (common < 110) return;
    LinkOptions link;
    link.match.method = GetParam().method;
    const Conversion conversion = convert_texts(texts.host.dump(), texts.device.dump(), {}, link);
    check_windows(conversion, name, host_ops, ops - common);
    vm::CompareOptions compare;
    compare.origin_ns = write.origin_ns;
    score_.add(vm::compare(vm::make_truth(program, run, 0), plain_graph(conversion), compare));
  }

  static void check_windows(const Conversion& conversion, const std::string& name,
                            std::uint64_t host_ops, std::uint64_t least_left_out) {
    const LinkedTrace& linked = conversion.linked;
    const std::uint64_t left_out = conversion.diagnostics.count(GetParam().counted);
    EXPECT_GT(left_out, least_left_out / 2) << name;
    EXPECT_EQ(
        linked.host_op_count + conversion.diagnostics.count(Finding::kHostOpsOutsideTheDeviceTrace),
        host_ops)
        << name;
    EXPECT_GE(linked.matched_host_op_count, 100U) << name;
    for (std::size_t op = 0; op < linked.ops.size(); ++op) {
      const HostOpIndex host = linked.ops.host[op];
      const ProfilerOpIndex profiler = linked.ops.profiler[op];
      if (!host || !profiler) continue;
      EXPECT_EQ(linked.host.ops.rf_id[host], linked.device.ops.rf_id[profiler]) << name;
    }
  }

  LateStartScore score_;
};

TEST_P(LateStarts, KeepWhatBothTracesRecordedAndItsTrueDependencies) {
  const bool by_id = GetParam().method == MatchMethod::kAuto;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const double share : {0.15, 0.3, 0.45})
      if (by_id || share == 0.3) convert(seed, share);
  EXPECT_GE(score_.programs, by_id ? 15 : 5);
  for (const auto& [kind, tally] : score_.required)
    EXPECT_GE(tally.share(), 0.97) << kind << ": " << tally.good << " of " << tally.total;
  // Rows of a graph launch whose call lies outside look like those of a queue, and what they wait
  // for on other lanes is a guess.
  for (const auto& [evidence, tally] : score_.edges) {
    const bool may_be_false = evidence == "stream order" || evidence == "graph order (inferred)";
    EXPECT_GE(tally.share(), may_be_false ? 0.98 : 1.0)
        << evidence << ": " << tally.good << " of " << tally.total;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traces, LateStarts,
    testing::Values(LateStart{"device", start_device_late, Finding::kHostOpsOutsideTheDeviceTrace},
                    LateStart{"host", start_host_late, Finding::kDeviceOpsOutsideTheHostTrace},
                    LateStart{"device_by_order", start_device_late,
                              Finding::kHostOpsOutsideTheDeviceTrace, MatchMethod::kOrder},
                    LateStart{"host_by_order", start_host_late, Finding::kOpsOfOtherIterations,
                              MatchMethod::kOrder}),
    [](const auto& trace) { return std::string(trace.param.name); });

/// The texts of a rank of the real traces before PyTorch 2.3, which have no record-function ids.
Texts dlrm_texts(int rank) {
  const std::string ending = "." + std::to_string(rank) + ".json.gz";
  const auto text_of = [](const std::string& file) {
    return Json::parse(read_unpacked(NADI_SHARED_TRACES "/dlrm-8gpu/" + file));
  };
  return {text_of("host" + ending), text_of("device" + ending)};
}

/// Leaves what the profiler would have recorded between two shares of its ops' time.
void cut_device(Texts& texts, double begin_share, double end_share) {
  double first = 1e300, last = 0;
  for (const Json& event : texts.device["traceEvents"]) {
    if (!is_op_event(event)) continue;
    first = std::min(first, event["ts"].get<double>());
    last = std::max(last, event["ts"].get<double>());
  }
  const double begin = first + begin_share * (last - first),
               end = first + end_share * (last - first);
  Json kept = Json::array();
  for (Json& event : texts.device["traceEvents"])
    if (!event.contains("ts") || (event["ts"] >= begin && event["ts"] <= end))
      kept.push_back(std::move(event));
  texts.device["traceEvents"] = std::move(kept);
}

/// By host id the start of the profiler op that it was linked with.
std::map<std::uint64_t, Ns> linked_starts(const Texts& texts) {
  const LinkedTrace linked = convert_texts(texts.host.dump(), texts.device.dump()).linked;
  std::map<std::uint64_t, Ns> starts;
  for (std::size_t op = 0; op < linked.ops.size(); ++op)
    if (linked.ops.host[op] && linked.ops.profiler[op])
      starts[linked.host.ops.id[linked.ops.host[op]]] = linked.ops.start_ns[op];
  return starts;
}

TEST(RealWindows, AreLinkedByOrderAsTheWholeTracesAre) {
  if (!std::filesystem::exists(NADI_SHARED_TRACES))
    GTEST_SKIP() << "no real traces beside this repository";
  struct Cut {
    int rank;
    double host_begin, begin, end;
    std::size_t least;
  };
  for (const Cut& cut : {Cut{0, 0, 0, 0.3, 607},
                         {0, 0, 0.3, 1, 1065},
                         {0, 0, 0.3, 0.7, 354},
                         {0, 0, 0.7, 1, 711},
                         {0, 0, 0.03, 1, 1602},
                         {1, 0, 0.02, 1, 1629},
                         {0, 0.06, 0, 0.18, 380}}) {
    Texts texts = dlrm_texts(cut.rank);
    const std::map<std::uint64_t, Ns> expected = linked_starts(texts);
    cut_device(texts, cut.begin, cut.end);
    start_host_late(texts, cut.host_begin);
    const std::map<std::uint64_t, Ns> starts = linked_starts(texts);
    EXPECT_GE(starts.size(), cut.least) << cut.rank << ", " << cut.begin;
    for (const auto& [id, start] : starts) EXPECT_EQ(start, expected.at(id)) << id;
  }
}

}  // namespace
}  // namespace nadi
