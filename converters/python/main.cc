// The module nadi._nadi: what the package nadi (nadi/__init__.py) hands on.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/cli/event_request.h"
#include "nadi/converters/cli/for_program.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/diff/diff_tables.h"
#include "nadi/converters/diff/write_diff_json.h"
#include "nadi/converters/events/event_columns.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/open_job.h"
#include "nadi/converters/profile/profile_tables.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/converters/python/calls.h"
#include "nadi/converters/python/columns.h"
#include "nadi/converters/report_json.h"

namespace nadi::python {

namespace {

constexpr const char* kErrorCodes[] = {"usage", "input", "check", "internal"};  // by ErrorCode

PyObject* error_type = nullptr;  // nadi.Error

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const py::object made = py::handle(error_type)(error.what());
    made.attr("code") = kErrorCodes[static_cast<int>(error.code())];
    made.attr("where") = text_of(error.where());
    made.attr("what") = text_of(error.problem());
    made.attr("remedy") = text_of(error.remedy());
    PyErr_SetObject(error_type, made.ptr());
  }
}

/// Does work that reports no progress. Ctrl-C is for its end.
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

/// A method that does so.
template <class Owner, class MakeTable>
auto table_method(MakeTable make_table) {
  return [make_table](const Owner& owner) {
    return table_of([&] { return std::invoke(make_table, owner); });
  };
}

/// Runs a verb of the tool. One runs at a time: verbs report their progress to one listener.
template <class Run>
auto run_in_turn(const py::object& callback, const Run& run) {
  CallProgress progress(callback);
  return progress.run([&] {
    const auto turn = progress.wait_for_turn();
    const cli::ProgressListener listener(
        [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
          progress.update(stage, done, total);
        });
    return run();
  });
}

/// `write` takes what the verb prints, as bytes.
int run_verb(const std::vector<std::string>& words, const py::object& callback,
             const py::object& write) {
  return run_in_turn(callback, [&] {
    return cli::run_words(words, [&](std::string_view text) {
      const py::gil_scoped_acquire locked;
      write(py::bytes(text.data(), text.size()));
    });
  });
}

std::unique_ptr<cli::ComparedRuns> compare(const std::vector<std::string>& words,
                                           const py::object& callback) {
  return run_in_turn(callback,
                     [&] { return std::make_unique<cli::ComparedRuns>(cli::compare_runs(words)); });
}

py::dict check(const std::vector<std::string>& words, const py::object& callback) {
  return arrays_of(run_in_turn(callback, [&] { return cli::check_graphs(words); }));
}

std::shared_ptr<OpenJob> load_job(const std::vector<std::string>& inputs,
                                  const std::optional<std::string>& steps,
                                  const py::object& callback) {
  CallProgress progress(callback);
  ConvertOptions convert;
  convert.graph.steps = cli::steps_of(steps);
  convert.progress = progress.reading();
  convert.on_stage = [&](std::string_view stage) { progress.update(stage, 0, 0); };
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

/// What is lost or doubtful, a text each: its kind, how often it was found, the first place.
py::list warnings_of(const Diagnostics& diagnostics) {
  py::list texts;
  for (const Diagnostic& found : diagnostics.table()) {
    if (severity_of(found.kind) == Severity::kInfo) continue;
    texts.append(text_of(fmt::format("{}{}{}", to_string(found.kind),
                                     found.count == 1 ? "" : fmt::format(", {} times", found.count),
                                     found.first.empty() ? "" : ": " + found.first.front())));
  }
  return texts;
}

/// (columns, warnings)
py::tuple events(const std::vector<std::string>& paths, const cli::Settings& settings,
                 const std::string& config, const py::object& callback) {
  const cli::EventRequest request = cli::event_request(settings, config);
  CallProgress progress(callback);
  Diagnostics found;
  ColumnTable table = progress.run([&] {
    return read_event_columns(paths, request.ranks, request.table, progress.reading(), found);
  });
  return py::make_tuple(arrays_of(std::move(table)), warnings_of(found));
}

/// (warnings, errors) of what a verb wrote as JSON.
py::tuple troubles_of(const std::string& report) {
  const ReportedTroubles troubles = run_unlocked([&] { return reported_troubles(report); });
  return py::make_tuple(warnings_of(troubles.found), troubles.errors);
}

void add_graph(py::module_& module) {
  py::class_<SharedGraph>(module, "Graph")
      .def_property_readonly("name",
                             [](const SharedGraph& view) { return text_of(view.graph->name); })
      .def_property_readonly("rank", [](const SharedGraph& view) { return view.graph->rank; })
      .def_property_readonly("base_time_ns",
                             [](const SharedGraph& view) { return view.graph->base_time_ns; })
      .def("__len__", [](const SharedGraph& view) { return view.graph->size(); })
      .def("nodes", table_method<SharedGraph>(&SharedGraph::nodes))
      .def("edges", table_method<SharedGraph>(&SharedGraph::edges))
      .def("communications", table_method<SharedGraph>(&SharedGraph::communications))
      .def("lanes", table_method<SharedGraph>(&SharedGraph::lanes));
}

void add_profile(py::module_& module) {
  py::class_<Roofline>(module, "Roofline").def(py::init(&roofline_of));
  py::class_<Profile, std::shared_ptr<Profile>>(module, "Profile")
      .def("json",
           [](const Profile& profile, const Roofline& roofline) {
             return run_unlocked([&] { return profile_json(profile, roofline); });
           })
      .def("table", [](const Profile& profile, const std::string& name, const Roofline& roofline) {
        return table_of([&] { return profile_table(profile, name, roofline); });
      });
  py::class_<NamedPath, std::shared_ptr<NamedPath>>(module, "Path")
      .def_property_readonly("length_ns", &NamedPath::length_ns)
      .def("__len__", [](const NamedPath& path) { return path.pieces.size(); })
      .def("pieces", table_method<NamedPath>(path_table))
      .def("by", [](const NamedPath& path, const std::string& name) {
        return table_of([&] { return path_sums(path, path_sum_by(name)); });
      });
}

void add_job(py::module_& module) {
  using Steps = std::optional<std::string>;
  py::class_<RunTimes, std::shared_ptr<RunTimes>>(module, "Run")
      .def_readonly("length_ns", &RunTimes::length_ns);
  py::class_<OpenJob, std::shared_ptr<OpenJob>>(module, "Job")
      .def_property_readonly("ranks", &OpenJob::ranks)
      .def_property_readonly("warnings",
                             [](const OpenJob& job) { return warnings_of(job.diagnostics()); })
      .def("graph", &OpenJob::graph)
      .def("measured",
           [](const OpenJob& job) { return run_unlocked([&] { return job.measured(); }); })
      .def("replay",
           [](OpenJob& job, const std::vector<std::string>& scales, const std::string& lanes,
              const std::string& host_lanes, const std::string& inferred) {
             return run_unlocked([&] { return job.replay({scales, lanes, host_lanes, inferred}); });
           })
      .def("profile",
           [](const OpenJob& job, const Steps& steps) {
             const auto range = cli::steps_of(steps);
             return run_unlocked([&] { return job.profile(range); });
           })
      .def("times",
           [](const OpenJob& job, std::int64_t rank, const std::shared_ptr<RunTimes>& run) {
             return table_of([&] { return job.times(rank, run); });
           })
      .def("path", [](const OpenJob& job, const RunTimes& run, const Steps& steps) {
        const auto range = cli::steps_of(steps);
        return run_unlocked([&] { return job.path(run, range); });
      });
}

void add_diff(py::module_& module) {
  using cli::ComparedRuns;
  py::class_<ComparedRuns>(module, "ComparedRuns")
      .def_property_readonly("failure", &ComparedRuns::failure)
      .def_property_readonly(
          "warnings", [](const ComparedRuns& runs) { return warnings_of(runs.report.diagnostics); })
      .def("rows", table_method<ComparedRuns>(
                       [](const ComparedRuns& runs) { return diff_row_table(runs.report); }))
      .def("hta_rows", table_method<ComparedRuns>(
                           [](const ComparedRuns& runs) { return hta_diff_table(runs.report); }))
      .def("json", [](const ComparedRuns& runs) {
        std::string text;
        write_diff_json(runs.report, runs.gate, [&](std::string_view part) { text += part; });
        return text;
      });
}

}  // namespace

PYBIND11_MODULE(_nadi, module) {
  error_type = PyErr_NewExceptionWithDoc(
      "nadi.Error",
      "What cannot be done: `code` (usage, input, check or internal), `where`, `what`, `remedy`;\n"
      "and the `report` of what was done, where convert, or a condition of diff, failed.",
      PyExc_RuntimeError, nullptr);
  module.attr("Error") = py::handle(error_type);
  module.attr("__version__") = NADI_VERSION;
  py::register_exception_translator(translate);
  add_graph(module);
  add_profile(module);
  add_job(module);
  add_diff(module);
  module.def("load_job", load_job);
  module.def("read_graph", read_graph);
  module.def("events", events);
  module.def("check", check);
  module.def("compare", compare);
  module.def("troubles_of", troubles_of);
  module.def("run", run_verb);
  module.def("arrow_stream", arrow_stream_of);
  // Last: what fails to be imported leaves nothing behind.
  py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") =
                                                         py::cpp_function(forget_calls));
  py::module_::import("atexit").attr("register")(py::cpp_function(end_calls));
}

}  // namespace nadi::python
