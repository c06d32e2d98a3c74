#include "nadi/converters/device_forms.h"

#include <utility>

#include "nadi/base/error.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/join_forms.h"

namespace nadi {
namespace {

struct Form {
  DeviceTrace trace;
  Diagnostics diagnostics, ambiguous;
};

}  // namespace

DeviceTrace read_device_forms(const std::string& device, const std::string& other_form,
                              const std::function<ByteSource(const std::string& name)>& open,
                              Diagnostics& diagnostics, const Progress& progress) {
  const auto read = [&](const std::string& name) {
    Form form{{}, Diagnostics(diagnostics.trace()), {}};
    ByteSource source = open(name);
    form.trace = read_device_trace(source, form.diagnostics, progress,
                                   other_form.empty() ? nullptr : &form.ambiguous);
    return form;
  };
  const auto refuse = [&](const char* problem, const char* remedy) {
    throw Error(ErrorCode::kInput, device + " and " + other_form, problem, remedy);
  };
  Form json = read(device), perfetto;
  Diagnostics of_both;
  if (!other_form.empty()) {
    perfetto = read(other_form);
    if (json.trace.is_perfetto) std::swap(json, perfetto);
    if (json.trace.is_perfetto || !perfetto.trace.is_perfetto)
      refuse("are device traces of one form", "Pass one, or the JSON and the .pftrace of one run");
    if (!take_graph_dependencies(perfetto.trace, json.trace, of_both))
      refuse("are of two runs: their rows have other correlations or begin at other times",
             "Pass the JSON and the .pftrace of one run");
    perfetto.diagnostics.merge(perfetto.ambiguous);
  }
  diagnostics.merge(json.diagnostics);
  // The Perfetto trace names the rows of what fits several.
  if (!json.trace.partly_recorded_rows.empty()) diagnostics.merge(json.ambiguous);
  diagnostics.merge(of_both);
  // What else the Perfetto trace lacks, the JSON has.
  if (perfetto.diagnostics.has_loss()) diagnostics.merge(perfetto.diagnostics);
  return std::move(json.trace);
}

}  // namespace nadi
