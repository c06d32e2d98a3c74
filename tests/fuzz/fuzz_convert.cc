// Feeds a device trace, a host trace or none, or a linked JSON (input_files.h) to the whole
// conversion: detect, read, link, graph, write. It may refuse them; a graph it wrote passes
// `nadi check` and replays.
#include "nadi/converters/convert.h"

#include "tests/fuzz/input_traces.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/written_graph.h"

namespace {

nadi::ConvertOptions options_for(nadi::InputFiles& input) {
  nadi::ConvertOptions options;
  options.graph.delays = std::vector{nadi::Delays::kHost, nadi::Delays::kAll, nadi::Delays::kNone,
                                     nadi::Delays::kHost}[input.choose(4)];
  options.link.match.method =
      std::vector{nadi::MatchMethod::kAuto, nadi::MatchMethod::kForce, nadi::MatchMethod::kOrder,
                  nadi::MatchMethod::kTree}[input.choose(4)];
  options.link.match.repeats_all = input.choose(2) == 1;
  options.link.clock =
      std::vector{nadi::ClockMode::kAuto, nadi::ClockMode::kAsRecorded}[input.choose(2)];
  options.graph.join_all_parts = input.choose(2) == 1;
  options.graph.min_part_ns = input.choose(2) == 1 ? 2000 : 0;
  options.threads = 1;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::InputFiles input = nadi::split_input(data, size);
  const nadi::TemporaryFolder folder;
  nadi::ConvertOptions options = options_for(input);
  options.output_file = folder / "graph.et";
  try {
    options.traces = nadi::write_traces(input, folder);
    nadi::convert(options);
  } catch (const nadi::Error& error) {
    nadi::require_no_bug(error);
    return 0;
  }
  nadi::require_sound(options.output_file);
  return 0;
}
