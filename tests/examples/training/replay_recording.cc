// `replay_recording PREFIX`: converts the traces that training_loop wrote and replays the graph, as
// `nadi convert` and `nadi replay` do.
#include <nadi/base/error.h>
#include <nadi/converters/convert.h>
#include <nadi/sim_bridge/replay/replay.h>
#include <nadi/sim_bridge/replay/report.h>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string prefix = argv[1];
  nadi::ConvertOptions options;
  options.traces = {prefix + ".host.json", prefix + ".device.json"};
  options.output = prefix;
  options.strict = true;
  try {
    const nadi::ConvertReport converted = nadi::convert(options);
    std::printf("%llu of %llu ops matched, %llu of %llu device rows linked\n",
                static_cast<unsigned long long>(converted.matched_host_ops),
                static_cast<unsigned long long>(converted.host_ops),
                static_cast<unsigned long long>(converted.linked_device_rows),
                static_cast<unsigned long long>(converted.device_rows));

    nadi::Diagnostics diagnostics;
    std::vector<nadi::Graph> graphs;
    graphs.push_back(nadi::load_chakra_graph(converted.output));
    const nadi::ReplayJob job = nadi::make_replay_job(graphs, diagnostics);
    const nadi::ReplayReport report =
        nadi::make_replay_report(job, nadi::measured_times(job), nadi::replay(job), nullptr, {});
    std::printf("measured %lld us, replayed %lld us\n",
                static_cast<long long>(report.measured_ns.value_or(0) / 1000),
                static_cast<long long>(report.replayed_ns / 1000));
  } catch (const nadi::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
