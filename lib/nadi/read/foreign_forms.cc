#include "nadi/read/foreign_forms.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kRecordAnew =
    "Record the run with torch.profiler, profile(activities=[ProfilerActivity.CPU, "
    "ProfilerActivity.CUDA]), and pass what export_chrome_trace writes";
constexpr std::string_view kRecordAnewForNsys =
    "No export of Nsight Systems tells what nadi needs: record the run with torch.profiler, "
    "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]), and pass what "
    "export_chrome_trace writes";
constexpr std::string_view kPassNpuTrace =
    "Pass the trace_view.json that torch_npu's profiler writes with export_type Text";

constexpr ForeignForm kNsysSqlite{"an Nsight Systems export (SQLite)", kRecordAnewForNsys};
constexpr ForeignForm kNsysJson{"an Nsight Systems export (JSON)", kRecordAnewForNsys};
constexpr ForeignForm kNsysReport{"an Nsight Systems report", kRecordAnewForNsys};
constexpr ForeignForm kNcuReport{"an Nsight Compute report", kRecordAnew};
constexpr ForeignForm kRocpd{"a rocpd database of rocprofv3 (SQLite)", kRecordAnew};
constexpr ForeignForm kRocprofv3{"the JSON of rocprofv3", kRecordAnew};
constexpr ForeignForm kNpuDatabase{"a database of torch_npu or msprof (SQLite)", kPassNpuTrace};
constexpr ForeignForm kEventDatabase{"an SQLite database of events (nadi events)",
                                     "Pass the traces that it was made from"};
constexpr ForeignForm kOtherSqlite{"an SQLite database (Nsight Systems export?)",
                                   kRecordAnewForNsys};
constexpr ForeignForm kXSpace{
    "an XSpace of JAX or XLA (xplane.pb)",
    "Pass the trace.json.gz beside it, or the perfetto_trace.json.gz that "
    "jax.profiler.trace(FOLDER, create_perfetto_trace=True) writes: nadi reads their GPU rows"};
constexpr ForeignForm kProgram{"a program (ELF)", ""};
constexpr ForeignForm kPicture{"a picture (PNG)", ""};
constexpr ForeignForm kPdf{"a PDF document", ""};
constexpr ForeignForm kDamagedGzip{"damaged gzip",
                                   "Copy it again: it is cut, or its header damaged"};
constexpr ForeignForm kLfsPointer{"a Git LFS pointer, not the file it points to",
                                  "Fetch the file: git lfs pull"};
constexpr ForeignForm kOldPickle{"a Python pickle (PyTorch memory snapshot or checkpoint)", ""};
constexpr ForeignForm kPickle{"a Python pickle (PyTorch memory snapshot)", ""};

// Chrome trace events, of which nadi may read some.
constexpr ForeignForm kRocprof{"a trace of rocprof", kRecordAnew};
constexpr ForeignForm kNsys2json{"an Nsight Systems export (JSON of nsys2json)",
                                 kRecordAnewForNsys};
constexpr ForeignForm kVizTracer{"a VizTracer report", kRecordAnew};
constexpr ForeignForm kLegacyAutograd{
    "a trace of torch.autograd.profiler without Kineto",
    "Record the run with torch.profiler (PyTorch 1.8.1 or later), profile(activities="
    "[ProfilerActivity.CPU, ProfilerActivity.CUDA]), and pass what export_chrome_trace writes"};
constexpr ForeignForm kJax{"a profile of JAX or XLA",
                           "Profile a run on GPUs: nadi reads the rows of their streams"};
constexpr ForeignForm kNpu{"a trace of torch_npu or msprof",
                           "Profile with ProfilerActivity.CPU and ProfilerActivity.NPU: nadi reads "
                           "ops, calls of CANN and rows of Ascend Hardware"};

/// How a form is known: all that is not empty must be so.
struct FormMarks {
  std::string_view begin;              ///< the first bytes
  std::string_view holds, also_holds;  ///< texts among the bytes looked at
  std::string_view ending;             ///< of the file's name
  const ForeignForm* form;
};

constexpr std::string_view kSqlite = "SQLite format 3";

/// Of files that are no trace, in order: the first that fits names the file. What stands in them:
/// Nsight Systems' exports (nsys export --type=sqlite, json, jsonlines), rocprofv3's writers,
/// torch_npu's databases; an XSpace { XPlane planes = 1 } begins with XPlane { id = 1; name = 2 }.
constexpr std::array kForeignForms = {
    FormMarks{kSqlite, "CUPTI_ACTIVITY_KIND_", "", "", &kNsysSqlite},
    FormMarks{kSqlite, "TARGET_INFO_", "", "", &kNsysSqlite},
    FormMarks{kSqlite, "rocpd_", "", "", &kRocpd},
    FormMarks{kSqlite, "CANN_API", "", "", &kNpuDatabase},
    FormMarks{kSqlite, "PYTORCH_API", "", "", &kNpuDatabase},
    FormMarks{kSqlite, "CREATE TABLE events", "index_correlation", "", &kEventDatabase},
    FormMarks{kSqlite, "", "", "", &kOtherSqlite},
    FormMarks{"NVNSIGHT", "", "", "", &kNsysReport},
    FormMarks{"", "", "", ".nsys-rep", &kNsysReport},
    FormMarks{"", "", "", ".qdrep", &kNsysReport},
    FormMarks{"", "", "", ".qdstrm", &kNsysReport},
    FormMarks{"", "", "", ".ncu-rep", &kNcuReport},
    FormMarks{"{\"data\":[\"", "", "", "", &kNsysJson},
    FormMarks{"{", "\"CudaEvent\"", "\"correlationId\"", "", &kNsysJson},
    FormMarks{"{", "\"TraceProcessEvent\"", "", "", &kNsysJson},
    FormMarks{"{", "\"table\"", "\"StringIds\"", "", &kNsysJson},
    FormMarks{"{", "\"table\"", "\"CUPTI_ACTIVITY_KIND_", "", &kNsysJson},
    FormMarks{"{", "\"rocprofiler-sdk-tool\"", "", "", &kRocprofv3},
    FormMarks{"", "", "", ".xplane.pb", &kXSpace},
    FormMarks{"\x7f"
              "ELF",
              "", "", "", &kProgram},
    FormMarks{"\x89PNG", "", "", "", &kPicture},
    FormMarks{"%PDF", "", "", "", &kPdf},
    FormMarks{"\x1f\x8b"sv, "", "", "", &kDamagedGzip},
    FormMarks{"version https://git-lfs", "", "", "", &kLfsPointer},
    FormMarks{"\x80\x02"sv, "", "", "", &kOldPickle},
    FormMarks{"\x80\x04"sv, "", "", "", &kPickle},
    FormMarks{"\x80\x05"sv, "", "", "", &kPickle},
};

/// Of Chrome traces, by what rocprof, nsys2json, VizTracer, PyTorch's
/// torch/autograd/profiler_util.py and profiler_legacy.cpp, XLA's trace_events_to_json and msprof
/// write.
constexpr std::array kForeignEvents = {
    FormMarks{"", "\"CPU HIP API\"", "", "", &kRocprof},
    FormMarks{"", "\"CPU HSA API\"", "", "", &kRocprof},
    FormMarks{"", "\"Device ", "\"Stream ", "", &kNsys2json},
    FormMarks{"", "\"Device ", "\"NVTX ", "", &kNsys2json},
    FormMarks{"", "\"FEE\"", "", "", &kVizTracer},
    FormMarks{"", "\"viztracer_metadata\"", "", "", &kVizTracer},
    FormMarks{"", "\"CPU functions\"", "", "", &kLegacyAutograd},
    FormMarks{"", "\"CPU Functions\"", "", "", &kLegacyAutograd},
    FormMarks{"", "\"CUDA functions\"", "", "", &kLegacyAutograd},
    FormMarks{"", "\"/host:CPU\"", "", "", &kJax},
    FormMarks{"", "\"/device:", "", "", &kJax},
    FormMarks{"", "\"CANN\"", "", "", &kNpu},
    FormMarks{"", "\"Ascend Hardware\"", "", "", &kNpu},
};

bool holds_text(std::string_view bytes, std::string_view text) {
  return text.empty() || bytes.find(text) != std::string_view::npos;
}

template <std::size_t count>
const ForeignForm* find_form(const std::array<FormMarks, count>& forms, std::string_view prefix,
                             std::string_view file) {
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const FormMarks& marks) {
    return prefix.starts_with(marks.begin) && file.ends_with(marks.ending) &&
           holds_text(prefix, marks.holds) && holds_text(prefix, marks.also_holds);
  });
  return form == forms.end() ? nullptr : form->form;
}

}  // namespace

bool starts_as_xspace(std::string_view prefix) {
  constexpr std::size_t kLengthsAndId = 16, kPlanesTag = 0x0a, kNameTag = 0x12;
  if (!prefix.starts_with(static_cast<char>(kPlanesTag))) return false;
  const std::size_t tag = prefix.substr(0, kLengthsAndId).find(static_cast<char>(kNameTag));
  if (tag == std::string_view::npos || tag + 2 > prefix.size()) return false;
  const std::string_view name = prefix.substr(tag + 2);
  return name.starts_with("/host:") || name.starts_with("/device:") ||
         name.starts_with("Task Environment");
}

const ForeignForm* foreign_form(std::string_view prefix, std::string_view file) {
  return starts_as_xspace(prefix) ? &kXSpace : find_form(kForeignForms, prefix, file);
}

const ForeignForm* foreign_events(std::string_view prefix) {
  return find_form(kForeignEvents, prefix, "");
}

}  // namespace nadi
