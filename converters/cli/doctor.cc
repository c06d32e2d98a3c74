#include "nadi/converters/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

constexpr const char* kFullSetup = R"(
A set-up that records all of it:
  observer = torch.profiler.ExecutionTraceObserver().register_callback("host.json")
  with torch.profiler.profile(
          activities=[{}],
          schedule=torch.profiler.schedule(wait=1, warmup=1, active=3),
          record_shapes=True,
          execution_trace_observer=observer,
{}          on_trace_ready=lambda prof: prof.export_chrome_trace("device.json.gz")) as prof:
      for batch in batches:
          train(batch)
          prof.step()
)";
constexpr const char* kKinetoActivities = "ProfilerActivity.CPU, ProfilerActivity.CUDA";
constexpr const char* kKinetoConfig =
    R"(          experimental_config=torch._C._profiler._ExperimentalConfig(
              enable_cuda_sync_events=True),
)";
constexpr const char* kCuspyActivities = R"(ProfilerActivity.CPU, {ProfilerActivity.CUDA:
              ProfilerActivityConfig(profiler_configs=[CuspyConfig(
                  enable_cuda_sync_events=True, enable_graph_dependencies=True,
                  enable_event_node_ids=True)])})";

std::string full_setup(const std::vector<DoctorFinding>& findings) {
  const bool wants_cuspy =
      std::any_of(findings.begin(), findings.end(), [](const DoctorFinding& finding) {
        return finding.topic == kProfilerTopic ||
               finding.remedy.find("CuspyConfig") != std::string::npos;
      });
  return fmt::format(kFullSetup, wants_cuspy ? kCuspyActivities : kKinetoActivities,
                     wants_cuspy ? "" : kKinetoConfig);
}

std::string health_table(const std::vector<DoctorFinding>& findings) {
  TextTable table{{"what", "health", "found"}, {}, {}};
  for (const DoctorFinding& finding : findings) {
    table.rows.push_back({finding.topic, std::string(to_string(finding.health)), finding.found});
  }
  return format_table(table);
}

/// "" where nothing lacks that another recording would have. What several processes lack is said of
/// the first.
std::string remedies_text(const std::vector<DoctorFinding>& findings) {
  std::string text;
  std::set<std::string> said;
  for (const DoctorFinding& finding : findings) {
    if (finding.remedy.empty() || finding.health == TraceHealth::kGood ||
        !said.insert(finding.remedy).second)
      continue;
    text += fmt::format("  {}: {}\n", finding.topic, finding.remedy);
  }
  return text.empty() ? "" : "\nWhat to do:\n" + text + full_setup(findings);
}

int run_doctor(const DoctorOptions& options, bool strict) {
  auto findings = doctor(options);
  for (DoctorFinding& finding : findings) {
    finding.found = in_option_words(finding.found);
    finding.remedy = in_option_words(finding.remedy);
  }
  write_output("-", health_table(findings) + remedies_text(findings));
  for (const DoctorFinding& finding : findings) {
    if (strict && finding.health == TraceHealth::kLacking) return kCheckFailed;
  }
  return kOk;
}

}  // namespace

RunVerb add_doctor(Options options) {
  struct DoctorArguments {
    std::vector<std::string> named;
    TraceFiles traces;
    bool strict = false;
  };
  auto arguments = std::make_shared<DoctorArguments>();
  add_trace_arguments(options, arguments->named,
                      "The device trace of one rank, its host trace if there is one, or a folder "
                      "of them");
  options.add_text("--host", arguments->traces.host, Need::kOptional, "TRACE",
                   "Host trace (ExecutionTraceObserver), or -");
  add_device_option(options, arguments->traces.device, arguments->traces.other_form);
  add_process_option(options, arguments->traces.process);
  options.add_flag("--strict", arguments->strict, "Exit 1 if something important is lacking");
  return [arguments, options] {
    TraceFiles& traces = arguments->traces;
    take_named_rank(options, arguments->named, traces);
    return run_doctor({traces.host, traces.device, traces.other_form, traces.process},
                      arguments->strict);
  };
}

}  // namespace nadi::cli
