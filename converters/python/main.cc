// The module nadi._nadi: what the package nadi (nadi/__init__.py) hands on.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/converters/cli/event_request.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/events/events.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/converters/python/arrow_stream.h"
#include "nadi/converters/python/calls.h"
#include "nadi/converters/python/event_columns.h"
#include "nadi/converters/python/graph_columns.h"
#include "nadi/converters/python/job.h"

namespace nadi::python {

namespace {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kInput:
      return "input";
    case ErrorCode::kCheck:
      return "check";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

PyObject* error_type = nullptr;  // nadi.Error

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const py::object made = py::handle(error_type)(error.what());
    made.attr("code") = name_of(error.code());
    made.attr("where") = text_of(error.where());
    made.attr("what") = text_of(error.problem());
    made.attr("remedy") = text_of(error.remedy());
    PyErr_SetObject(error_type, made.ptr());
  }
}

/// Calls a verb of the tool with its arguments as words; what it prints goes where the tool prints.
/// One verb runs at a time: verbs tell one listener how far they are.
int run_verb(const std::vector<std::string>& words, const py::object& callback) {
  if (CallProgress::is_inside_callback())
    throw Error(ErrorCode::kUsage, words.empty() ? "nadi" : "nadi " + words.front(),
                "is called by the progress callback of another call",
                "Call it when that one is done");
  CallProgress progress(callback);
  struct Listening {
    explicit Listening(CallProgress& told) {
      cli::set_progress_listener([&told](std::string_view stage, std::uint64_t done,
                                         std::uint64_t total) { told.update(stage, done, total); });
    }
    ~Listening() { cli::set_progress_listener({}); }
  };
  return progress.run([&] {
    const auto turn = progress.wait_for_turn();
    const Listening listening(progress);
    return cli::run_words(words);
  });
}

std::optional<StepRange> range_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto steps = cli::parse_steps(*text);
  if (!steps) throw Error(ErrorCode::kUsage, "`steps`", "'" + *text + "' is no range like 3-5");
  return steps;
}

std::shared_ptr<Job> load_job(const std::vector<std::string>& inputs,
                              const std::optional<std::string>& steps, const py::object& callback) {
  CallProgress progress(callback);
  const auto range = range_of(steps);
  return progress.run([&] { return Job::load(inputs, range, progress); });
}

GraphView read_graph(const std::string& path, bool shapes, const py::object& callback) {
  CallProgress progress(callback);
  return GraphView(progress.run([&] {
    progress.update("reading", 0, 0);
    return std::make_shared<const Graph>(load_graph(path, {.shapes = shapes, .parents = true}));
  }));
}

std::shared_ptr<JobRun> replay(Job& job, const std::vector<std::string>& scales, bool without_lanes,
                               bool with_one_host_lane, bool with_inferred) {
  const ReplayLanes chosen = without_lanes        ? ReplayLanes::kNone
                             : with_one_host_lane ? ReplayLanes::kOneHost
                                                  : ReplayLanes::kAll;
  // Edges are out of the graphs meanwhile: who looks at these has Python's lock, or the job's.
  if (!with_inferred) return job.replay(scales, chosen, with_inferred);
  CallProgress progress{py::none()};
  return progress.run([&] { return job.replay(scales, chosen, with_inferred); });
}

/// A dict per finding.
py::list findings_of(const Diagnostics& diagnostics) {
  py::list findings;
  for (const Diagnostic& found : diagnostics.table()) {
    py::list first;
    for (const std::string& place : found.first) first.append(text_of(place));
    py::dict row;
    row["kind"] = text_of(to_string(found.kind));
    row["severity"] = text_of(to_string(severity_of(found.kind)));
    row["count"] = found.count;
    row["first"] = first;
    findings.append(row);
  }
  return findings;
}

/// (columns, findings)
py::tuple events(const std::vector<std::string>& paths, const cli::Settings& settings,
                 const std::string& config, const py::object& callback) {
  const cli::EventRequest request = cli::event_request(settings, config);
  CallProgress progress(callback);
  Diagnostics found;
  const auto columns = progress.run([&] {
    const auto traces = choose_ranks(find_event_traces(paths, found), request.ranks);
    auto made = std::make_unique<EventColumns>(traces.size() > 1, request.table.round_to_micros);
    found.merge(write_event_tables(traces, request.table, *made, progress.reading()).diagnostics);
    return made;
  });
  return py::make_tuple(columns->take(), findings_of(found));
}

/// A dict per rule that the graph breaks, errors first.
py::list check(const std::string& path) {
  CallProgress progress{py::none()};
  const ChakraCheck checked =
      progress.run([&] { return check_chakra(messages_of(ByteSource::open(path))); });
  py::list findings;
  for (const CheckFinding& finding : checked.findings) {
    py::dict row;
    row["rule"] = finding.rule;
    row["severity"] = text_of(to_string(finding.severity));
    row["count"] = finding.count;
    row["message"] = text_of(finding.message);
    row["first"] = finding.first;
    findings.append(row);
  }
  return findings;
}

std::shared_ptr<JobRun> measured(Job& job) {
  CallProgress progress{py::none()};
  return progress.run([&] { return job.measured(); });
}

/// A row in each list, for the names of its columns.
std::string profile_example() {
  Profile profile;
  profile.devices.emplace_back();
  profile.steps.emplace_back();
  profile.idle.emplace_back();
  profile.collectives.emplace_back().members.emplace_back();
  profile.waiting.emplace_back();
  profile.path.emplace_back();
  profile.path_steps.emplace_back();
  profile.spots.kernels.emplace_back();
  profile.spots.families.emplace_back();
  profile.spots.ops.emplace_back();
  profile.spots.paths.emplace_back();
  profile.findings.emplace_back();
  return nadi::profile_json(profile);
}

std::string profile_json(const Job& job, double peak_tflops, double memory_gb_per_s,
                         const std::optional<std::string>& steps) {
  for (const double peak : {peak_tflops, memory_gb_per_s})
    if (!(peak >= 0 && std::isfinite(peak)))
      throw Error(ErrorCode::kUsage, "a device that does " + std::to_string(peak) + " at most",
                  "is none", "Pass numbers from 0 on; 0 = not known");
  CallProgress progress{py::none()};
  const auto range = range_of(steps);
  return progress.run([&] { return job.profile_json({peak_tflops, memory_gb_per_s}, range); });
}

}  // namespace

PYBIND11_MODULE(_nadi, module) {
  error_type = PyErr_NewExceptionWithDoc(
      "nadi.Error",
      "What cannot be done: `code` (usage, input, check or internal), `where`, `what`, `remedy`.",
      PyExc_RuntimeError, nullptr);
  using py::arg;
  module.attr("Error") = py::handle(error_type);
  module.attr("__version__") = NADI_VERSION;
  py::module_::import("atexit").attr("register")(py::cpp_function(end_calls));
  py::module_::import("os").attr("register_at_fork")(arg("after_in_child") =
                                                         py::cpp_function(forget_calls));
  py::register_exception_translator(translate);
  py::class_<GraphView>(module, "Graph")
      .def_property_readonly("name", [](const GraphView& v) { return text_of(v.graph().name); })
      .def_property_readonly("rank", [](const GraphView& view) { return view.graph().rank; })
      .def_property_readonly("base_time_ns",
                             [](const GraphView& view) { return view.graph().base_time_ns; })
      .def("__len__", [](const GraphView& view) { return view.graph().size(); })
      .def("nodes", &GraphView::nodes)
      .def("edges", &GraphView::edges)
      .def("communications", &GraphView::communications)
      .def("lanes", &GraphView::lanes);
  py::class_<JobRun, std::shared_ptr<JobRun>>(module, "Run")
      .def_readonly("length_ns", &JobRun::length_ns);
  py::class_<Job, std::shared_ptr<Job>>(module, "Job")
      .def_property_readonly("ranks", &Job::ranks)
      .def_property_readonly("steps", &Job::steps)
      .def("graph", &Job::graph)
      .def("measured", measured)
      .def("replay", replay, arg("scales"), arg("without_lanes"), arg("with_one_host_lane"),
           arg("with_inferred"))
      .def("profile_json", profile_json, arg("peak_tflops"), arg("memory_gb_per_s"), arg("steps"))
      .def_property_readonly("findings",
                             [](const Job& job) { return findings_of(job.diagnostics()); })
      .def("times", &Job::times)
      .def("path", &Job::path);
  module.def("load_job", load_job, arg("inputs"), arg("steps"), arg("progress"));
  module.def("read_graph", read_graph, arg("path"), arg("shapes"), arg("progress"));
  module.def("events", events, arg("paths"), arg("settings"), arg("config"), arg("progress"));
  module.def("profile_example", profile_example);
  module.def("check", check, arg("path"));
  module.def("run", run_verb, arg("words"), arg("progress"));
  module.def("arrow_stream", arrow_stream, arg("rows"), arg("columns"));
}

}  // namespace nadi::python
