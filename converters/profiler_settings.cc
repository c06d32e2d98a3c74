#include "nadi/converters/profiler_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/model/call_names.h"

namespace nadi {
namespace {

constexpr const char* kSetUp =
    R"(observer = torch.profiler.ExecutionTraceObserver().register_callback("host.json")
with torch.profiler.profile(
{}        schedule=torch.profiler.schedule(wait=1, warmup=1, active=3),
        record_shapes=True,
        execution_trace_observer=observer,
{}        on_trace_ready=lambda prof: prof.export_chrome_trace("device.json.gz")) as prof:
    for batch in batches:
        train(batch)
        prof.step()
)";
constexpr const char* kSyncRows =
    R"(        experimental_config=torch._C._profiler._ExperimentalConfig(
            enable_cuda_sync_events=True),
)";
constexpr const char* kCuspy =
    R"(        activities=[ProfilerActivity.CPU, {ProfilerActivity.CUDA:
            ProfilerActivityConfig(profiler_configs=[CuspyConfig(
                enable_cuda_sync_events=True, enable_graph_dependencies=True,
                enable_event_node_ids=True)])}],
)";

bool has_call(const DeviceTrace& device, std::string_view prefix) {
  return std::any_of(device.calls.name.begin(), device.calls.name.end(),
                     [&](StringId name) { return device.strings[name].starts_with(prefix); });
}

bool has_cuda_graphs(const DeviceTrace& device) {
  const auto& graphs = device.rows.graph_id;
  return std::any_of(graphs.begin(), graphs.end(), [](std::uint64_t graph) { return graph != 0; });
}

}  // namespace

std::string cuspy_option(std::string_view option) {
  return fmt::format(
      "profile(activities=[ProfilerActivity.CPU, {{ProfilerActivity.CUDA: ProfilerActivityConfig("
      "profiler_configs=[CuspyConfig({}=True)])}}])",
      option);
}

bool is_of_rocm(const DeviceTrace& device) { return has_call(device, "hip"); }

std::string sync_rows_setting(const DeviceTrace& device) {
  if (device.is_by_cuspy) return cuspy_option("enable_cuda_sync_events");
  return has_call(device, "cu") ? "profile(experimental_config=torch._C._profiler."
                                  "_ExperimentalConfig(enable_cuda_sync_events=True))"
                                : "";
}

std::string record_names_setting(const DeviceTrace& device) {
  return device.is_by_cuspy
             ? "record from an earlier step on: the events were recorded before the profiler began"
             : "a newer PyTorch (its profiler writes cuda_event rows), or CUDA before 12.9";
}

std::string recording_set_up(const DeviceTrace& device) {
  const bool by_cuspy = device.is_by_cuspy || has_cuda_graphs(device);
  return fmt::format(kSetUp, by_cuspy ? kCuspy : "",
                     !by_cuspy && !sync_rows_setting(device).empty() ? kSyncRows : "");
}

}  // namespace nadi
