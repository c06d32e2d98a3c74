#include "nadi/converters/convert.h"

#include <chrono>

#include "nadi/emit/chakra_writer.h"

namespace nadi {

ConvertReport convert(const ConvertOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link(options.traces, options.link, options.strict, diagnostics, options.progress);
  const Graph graph = build_graph(linked, options.graph, diagnostics);
  const std::string output = options.output + "." + std::to_string(linked.rank) + ".et";
  ChakraOptions chakra;
  chakra.threads = options.threads;
  write_chakra(linked, graph, chakra, output, diagnostics);

  ConvertReport report = make_report(linked, graph, diagnostics);
  report.host = options.traces.host;
  report.device = options.traces.device;
  report.output = output;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace nadi
