#include "nadi/read/trace_start.h"

#include <filesystem>
#include <span>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/read/foreign_forms.h"

namespace nadi {
namespace {

constexpr std::size_t kLookedAt = 1 << 16;

std::string name_of(TraceType type) {
  if (type == TraceType::kLinkedJson) return "a linked trace";
  return type == TraceType::kHostTrace ? "a host trace" : "a device trace";
}

std::string remedy_for(TraceType found, TraceType wanted) {
  switch (found) {
    case TraceType::kHostTrace:
      return "nadi convert, link and doctor take it with `host`";
    case TraceType::kDeviceTrace:
      return "nadi convert, link and doctor take it with `device`";
    case TraceType::kLinkedJson:
      return "nadi convert takes it with `linked`, or the two traces it was linked from: `host` "
             "for PyTorch's execution trace, `device` for the Kineto trace";
    case TraceType::kChakra:
      return "It is the result of a conversion: look at it with `nadi show`, or pass the traces it "
             "was made from";
    case TraceType::kOther:
      break;
  }
  if (wanted == TraceType::kLinkedJson)
    return "Pass what nadi link or MLCommons' chakra_trace_link wrote (JSON, also packed)";
  return wanted == TraceType::kHostTrace
             ? "Pass what torch.profiler's ExecutionTraceObserver wrote (JSON, also packed)"
             : "Pass what torch.profiler's export_chrome_trace wrote (JSON, also packed)";
}

/// The first bytes of a regular file; none of what cannot be read, or only once, as a pipe.
std::string start_of_file(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return {};
  try {
    return ByteSource::open(file).read_up_to(kLookedAt);
  } catch (const Error&) {
    return {};  // who reads it says so
  }
}

TraceType detect_file(const std::string& file) { return detect(start_of_file(file)); }

/// True of what no part of a graph looks like, be it cut or damaged.
bool is_no_graph(const std::string& what) {
  return what != "binary data of an unknown kind" && what != "an empty file" &&
         what != "damaged gzip";
}

[[noreturn]] void refuse(const ByteSource& source, std::string problem, std::string remedy) {
  if (!source.container().empty()) problem += " (unpacked from " + source.container() + ")";
  if (!source.damage().empty()) problem += "; it could not be unpacked whole: " + source.damage();
  throw Error(ErrorCode::kInput, source.name(), std::move(problem), std::move(remedy));
}

}  // namespace

void refuse_trace(const Window& window, TraceType wanted, TraceType found,
                  const std::string& what) {
  refuse(window.source(), "this is " + what + ", not " + name_of(wanted),
         remedy_for(found, wanted));
}

void refuse_contents(const Window& window, const std::string& problem, const std::string& remedy) {
  refuse(window.source(), problem, remedy);
}

void refuse_array(const Window& window, TraceType wanted) {
  const std::string lacks = wanted == TraceType::kDeviceTrace
                                ? "none of its elements is an event, an object with \"ph\""
                                : name_of(wanted) + " is an object that holds \"nodes\"";
  refuse(window.source(), "this is " + std::string(kPlainArray) + ": " + lacks,
         remedy_for(TraceType::kOther, wanted));
}

void refuse_trace_as_graph(const std::string& file) {
  const auto refuse_as = [&](TraceType type) {
    throw Error(ErrorCode::kInput, file, "this is " + name_of(type) + ", not a Chakra graph",
                "Make one: nadi convert " + file +
                    (type == TraceType::kHostTrace ? " and the device trace of its rank" : ""));
  };
  std::error_code none;
  if (std::filesystem::is_directory(file, none))
    throw Error(ErrorCode::kInput, file, "is a folder", "Pass the graphs in it: " + file + "/*.et");
  const std::string start = start_of_file(file);
  switch (const TraceType type = detect(start)) {
    case TraceType::kHostTrace:
    case TraceType::kDeviceTrace:
    case TraceType::kLinkedJson:
      return refuse_as(type);
    case TraceType::kOther:
      if (const std::string what = describe(start, file); is_no_graph(what))
        throw Error(ErrorCode::kInput, file, "this is " + what + ", not a Chakra graph",
                    "Pass what nadi convert wrote (.et)");
      return;
    case TraceType::kChakra:
      return;
  }
}

void refuse_swapped(const std::string& host, const std::string& device) {
  if (detect_file(host) == TraceType::kDeviceTrace && detect_file(device) == TraceType::kHostTrace)
    throw Error(ErrorCode::kInput, "`host` and `device`",
                "are swapped: " + host + " is the device trace, " + device + " the host trace",
                "Exchange the two");
}

std::string expect_trace(Window& window, TraceType wanted) {
  window.fill_to(kLookedAt);
  if (window.text().starts_with("\xef\xbb\xbf")) window.advance(3);
  const std::string_view start = window.text().substr(0, kLookedAt);
  const TraceType found = detect(start);
  const std::string& name = window.source().name();
  std::string what = describe(start, name);
  // Keys may come late: JSON of an unknown kind gets its chance, and so does a linked trace whose
  // first nodes have no times. Nothing but a device trace may be a list.
  if (what == kPlainArray && wanted != TraceType::kDeviceTrace) refuse_array(window, wanted);
  const bool may_be_linked = wanted == TraceType::kLinkedJson && found == TraceType::kHostTrace;
  const bool may_be =
      found == wanted || may_be_linked || what == kPlainArray || what == "JSON of another kind";
  if (may_be) return what;
  const ForeignForm* form = found == TraceType::kOther ? foreign_form(start, name) : nullptr;
  if (form != nullptr && !form->remedy.empty())
    refuse(window.source(), "this is " + what + ", not " + name_of(wanted),
           std::string(form->remedy));
  refuse_trace(window, wanted, found, what);
}

}  // namespace nadi
