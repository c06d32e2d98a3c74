// The module nadi._nadi: what the package nadi (nadi/__init__.py) hands on.
#include <fmt/format.h>
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
#include "nadi/converters/events/event_columns.h"
#include "nadi/converters/events/events.h"
#include "nadi/converters/graph_tables.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/open_job.h"
#include "nadi/converters/profile/profile_tables.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/converters/python/calls.h"
#include "nadi/converters/python/columns.h"

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

/// Does work that tells nobody how far it is. Ctrl-C is for its end.
template <class Work>
auto run_unlocked(const Work& work) {
  CallProgress progress{py::none()};
  return progress.run(work);
}

/// Makes a table without Python's lock.
template <class MakeTable>
py::dict table_of(const MakeTable& make_table) {
  return arrays_of(run_unlocked(make_table));
}

/// Calls a verb of the tool with its arguments as words; `write` takes what it prints, as bytes.
/// One verb runs at a time: verbs tell one listener how far they are.
int run_verb(const std::vector<std::string>& words, const py::object& callback,
             const py::object& write) {
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
    return cli::run_words(words, [&](std::string_view text) {
      const py::gil_scoped_acquire locked;
      write(py::bytes(text.data(), text.size()));
    });
  });
}

std::optional<StepRange> range_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto steps = cli::parse_steps(*text);
  if (!steps) throw Error(ErrorCode::kUsage, "`steps`", "'" + *text + "' is no range like 3-5");
  return steps;
}

std::shared_ptr<OpenJob> load_job(const std::vector<std::string>& inputs,
                                  const std::optional<std::string>& steps,
                                  const py::object& callback) {
  CallProgress progress(callback);
  ConvertOptions convert;
  convert.graph.steps = range_of(steps);
  convert.progress = progress.reading();
  convert.on_stage = progress.stages();
  return progress.run([&] { return OpenJob::load(inputs, convert); });
}

SharedGraph read_graph(const std::string& path, bool shapes, const py::object& callback) {
  CallProgress progress(callback);
  return {progress.run([&] {
    progress.update("reading", 0, 0);
    return std::make_shared<const Graph>(
        load_graph(path, {.shapes = shapes, .parents = true}, progress.reading()));
  })};
}

std::shared_ptr<JobRun> replay(OpenJob& job, const std::vector<std::string>& scales,
                               bool without_lanes, bool with_one_host_lane, bool with_inferred) {
  const ReplayLanes chosen = without_lanes        ? ReplayLanes::kNone
                             : with_one_host_lane ? ReplayLanes::kOneHost
                                                  : ReplayLanes::kAll;
  return run_unlocked([&] { return job.replay(scales, chosen, with_inferred); });
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
  ColumnTable table = progress.run([&] {
    const auto traces = choose_ranks(find_event_traces(paths, found), request.ranks);
    EventColumns columns(traces.size() > 1, request.table.round_to_micros);
    found.merge(write_event_tables(traces, request.table, columns, progress.reading()).diagnostics);
    return columns.take();
  });
  return py::make_tuple(arrays_of(std::move(table)), findings_of(found));
}

struct BrokenRule {
  std::string graph;
  CheckFinding finding;
};

/// A row per rule that a graph breaks, errors first.
py::dict check(const std::vector<std::string>& paths, const py::object& callback) {
  CallProgress progress(callback);
  const auto broken = progress.run([&] {
    std::vector<BrokenRule> rules;
    for (const std::string& path : paths)
      for (const CheckFinding& finding :
           check_chakra(messages_of(ByteSource::open(path), progress.reading())).findings)
        rules.push_back({path, finding});
    return rules;
  });
  ColumnTable table;
  table.add("graph", broken, &BrokenRule::graph);
  table.add("rule", broken, [](const auto& rule) { return rule.finding.rule; });
  table.add("severity", broken, [](const auto& rule) { return to_string(rule.finding.severity); });
  table.add("count", broken, [](const auto& rule) { return rule.finding.count; });
  table.add("message", broken, [](const auto& rule) { return rule.finding.message; });
  table.add("first", broken, [](const auto& rule) {
    return fmt::format("{}", fmt::join(rule.finding.first, "; "));
  });
  return arrays_of(std::move(table));
}

Roofline roofline_of(double tflops_per_s, double gb_per_s) {
  for (const double peak : {tflops_per_s, gb_per_s})
    if (!(peak >= 0 && std::isfinite(peak)))
      throw Error(ErrorCode::kUsage, "a device that does " + std::to_string(peak) + " at most",
                  "is none", "Pass numbers from 0 on; 0 = not known");
  return {tflops_per_s, gb_per_s};
}

PathSumBy path_sum_of(const std::string& name) {
  if (name == "op") return PathSumBy::kOp;
  if (name == "kind") return PathSumBy::kKind;
  if (name == "rank") return PathSumBy::kRank;
  if (name == "step") return PathSumBy::kStep;
  throw Error(ErrorCode::kUsage, "what='" + name + "'", "is none",
              "There are op, kind, rank, step");
}

void add_graph(py::module_& module) {
  py::class_<SharedGraph>(module, "Graph")
      .def_property_readonly("name",
                             [](const SharedGraph& view) { return text_of(view.graph->name); })
      .def_property_readonly("rank", [](const SharedGraph& view) { return view.graph->rank; })
      .def_property_readonly("base_time_ns",
                             [](const SharedGraph& view) { return view.graph->base_time_ns; })
      .def("__len__", [](const SharedGraph& view) { return view.graph->size(); })
      .def("nodes",
           [](const SharedGraph& view) { return table_of([&] { return node_table(view.graph); }); })
      .def("edges", [](const SharedGraph& view) { return table_of([&] { return view.edges(); }); })
      .def("communications",
           [](const SharedGraph& view) {
             return table_of([&] { return communication_table(*view.graph); });
           })
      .def("lanes", [](const SharedGraph& view) {
        return table_of([&] { return lane_table(*view.graph); });
      });
}

void add_profile(py::module_& module) {
  using py::arg;
  py::class_<Profile, std::shared_ptr<Profile>>(module, "Profile")
      .def(
          "json",
          [](const Profile& profile, double tflops_per_s, double gb_per_s) {
            const Roofline roofline = roofline_of(tflops_per_s, gb_per_s);
            return run_unlocked([&] { return profile_json(profile, roofline); });
          },
          arg("tflops_per_s"), arg("gb_per_s"))
      .def(
          "table",
          [](const Profile& profile, const std::string& name, double tflops_per_s,
             double gb_per_s) {
            const Roofline roofline = roofline_of(tflops_per_s, gb_per_s);
            return table_of([&] { return profile_table(profile, name, roofline); });
          },
          arg("name"), arg("tflops_per_s"), arg("gb_per_s"));
  py::class_<NamedPath, std::shared_ptr<NamedPath>>(module, "Path")
      .def_property_readonly("length_ns", &NamedPath::length_ns)
      .def("__len__", [](const NamedPath& path) { return path.pieces.size(); })
      .def("pieces",
           [](const NamedPath& path) { return table_of([&] { return path_table(path); }); })
      .def("by", [](const NamedPath& path, const std::string& name) {
        const PathSumBy by = path_sum_of(name);
        return table_of([&] { return path_sums(path, by); });
      });
}

void add_job(py::module_& module) {
  using py::arg;
  using Steps = std::optional<std::string>;
  py::class_<JobRun, std::shared_ptr<JobRun>>(module, "Run")
      .def_readonly("length_ns", &JobRun::length_ns);
  py::class_<OpenJob, std::shared_ptr<OpenJob>>(module, "Job")
      .def_property_readonly("ranks", &OpenJob::ranks)
      .def("graph", &OpenJob::graph)
      .def("measured", [](OpenJob& job) { return run_unlocked([&] { return job.measured(); }); })
      .def("replay", replay, arg("scales"), arg("without_lanes"), arg("with_one_host_lane"),
           arg("with_inferred"))
      .def("profile",
           [](const OpenJob& job, const Steps& steps) {
             const auto range = range_of(steps);
             return run_unlocked([&] { return job.profile(range); });
           })
      .def_property_readonly("findings",
                             [](const OpenJob& job) { return findings_of(job.diagnostics()); })
      .def("times",
           [](const OpenJob& job, std::int64_t rank, const std::shared_ptr<JobRun>& run) {
             return arrays_of(job.times(rank, run));
           })
      .def("path", [](const OpenJob& job, const JobRun& run, const Steps& steps) {
        const auto range = range_of(steps);
        return run_unlocked([&] { return job.path(run, range); });
      });
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
  add_graph(module);
  add_profile(module);
  add_job(module);
  module.def("load_job", load_job, arg("inputs"), arg("steps"), arg("progress"));
  module.def("read_graph", read_graph, arg("path"), arg("shapes"), arg("progress"));
  module.def("events", events, arg("paths"), arg("settings"), arg("config"), arg("progress"));
  module.def("check", check, arg("paths"), arg("progress"));
  module.def("run", run_verb, arg("words"), arg("progress"), arg("write"));
  module.def("arrow_stream", arrow_stream_of, arg("columns"));
}

}  // namespace nadi::python
