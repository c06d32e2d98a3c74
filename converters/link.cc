#include "nadi/converters/link.h"

#include <chrono>

#include "nadi/converters/convert.h"
#include "nadi/linked_json/writer.h"

namespace nadi {

ConvertReport link_to_json(const LinkedJsonOptions& options, const ByteSink& sink) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link(options.traces, options.link, options.strict, diagnostics, options.progress);
  GraphOptions without_delays;
  without_delays.delays = Delays::kNone;
  const BuiltGraph graph = build_graph(linked, without_delays, diagnostics);
  write_linked_json(linked, graph, sink, diagnostics);

  ConvertReport report = make_report(linked, graph, diagnostics);
  report.host = options.traces.host;
  report.device = options.traces.device;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace nadi
