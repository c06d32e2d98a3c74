// Feeds a device trace, and a host trace or none (input_files.h), to the linker, which may refuse
// them. What it wrote is read again, and its graph is sound and of no more device rows than that
// of the traces: equal rows of one launch are told once.
#include "nadi/converters/convert.h"
#include "nadi/converters/link.h"
#include "tests/fuzz/input_traces.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/written_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::InputFiles input = nadi::split_input(data, size);
  const nadi::TemporaryFolder folder;
  nadi::ConvertOptions direct, again;
  direct.threads = again.threads = 1;
  direct.output_file = folder / "direct.et";
  again.output_file = folder / "again.et";
  std::string linked;
  nadi::ConvertReport of_traces;
  try {
    direct.traces = nadi::write_traces(input, folder);
    nadi::LinkedJsonOptions link;
    link.traces = direct.traces;
    nadi::link_to_json(link, [&](std::string_view piece) { linked += piece; });
    of_traces = nadi::convert(direct);
  } catch (const nadi::Error& error) {
    nadi::require_no_bug(error);
    return 0;
  }
  again.traces.linked = folder.write("linked.json", linked);
  if (nadi::convert(again).device_rows > of_traces.device_rows) __builtin_trap();
  nadi::require_sound(again.output_file);
  return 0;
}
