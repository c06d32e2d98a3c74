#include "nadi/read/device_walk.h"

#include <fmt/format.h>

#include "nadi/read/category_by_name.h"
#include "nadi/read/foreign_forms.h"
#include "nadi/read/further_documents.h"
#include "nadi/read/json_text.h"
#include "nadi/read/perfetto_walk.h"
#include "nadi/read/trace_start.h"

namespace nadi {
namespace {

constexpr std::size_t kStartBytes = 1 << 16;

/// Hands on all it gets, and notes whether any of it is an event: these have a phase.
class PhaseWatch : public TraceVisitor {
 public:
  explicit PhaseWatch(TraceVisitor& visitor) : visitor_(visitor) {}

  bool wants(std::string_view key) const override { return visitor_.wants(key); }
  bool member(std::string_view key, std::string_view value) override {
    return visitor_.member(key, value);
  }
  bool event(std::string_view object, std::uint64_t number) override {
    has_phase_ = has_phase_ || object.find("\"ph\"") != std::string_view::npos;
    return visitor_.event(object, number);
  }
  bool begin_document(std::uint64_t number) override { return visitor_.begin_document(number); }

  bool has_phase() const { return has_phase_; }

 private:
  TraceVisitor& visitor_;
  bool has_phase_ = false;
};

[[noreturn]] void refuse_cut(const Window& window,
                             const char* what = "it is cut before its first row") {
  refuse_contents(window, what, "Record it again, to its end, or copy it again");
}

/// Throws where nothing was read because the data ended before the first row, or because the file
/// is of another tool.
void require_rows(const Window& window, const std::string& start, const CategoryByName& rows,
                  bool is_cut) {
  if (rows.has_rows()) return;
  if (is_cut && !rows.has_other_categories() && rows.left_out() == 0) refuse_cut(window);
  if (const ForeignForm* form = foreign_events(start))
    refuse_contents(window, fmt::format("this is {}, of which nadi reads nothing", form->name),
                    std::string(form->remedy));
  if (rows.left_out() > 0 && !rows.has_other_categories())
    refuse_contents(
        window,
        fmt::format("none of its {} complete events has a category (cat), nor does a process name "
                    "tell one",
                    rows.left_out()),
        "Pass what torch.profiler's export_chrome_trace wrote (JSON, also packed)");
}

}  // namespace

std::uint64_t walk_device_trace(ByteSource& source, const EventSubscriber& subscriber,
                                Diagnostics& diagnostics, const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kDeviceTrace);
  if (what == kPerfettoTrace) {
    const std::uint64_t events = walk_perfetto_trace(window, subscriber, diagnostics);
    window.finish();
    if (!source.damage().empty())
      report_cut_once(source.name() + ": " + source.damage(), diagnostics);
    return events;
  }
  const std::string start(trim(window.text().substr(0, kStartBytes)));
  CategoryByName rows(subscriber, diagnostics);
  FurtherDocuments documents(rows, diagnostics);
  PhaseWatch watch(documents);
  const bool is_doubtful = what == kPlainArray;
  const WalkResult result =
      walk_trace(window, kDeviceTraceShape,
                 is_doubtful ? watch : static_cast<TraceVisitor&>(documents), diagnostics);
  documents.finish();
  rows.finish();
  window.finish();
  if (is_doubtful && !watch.has_phase()) refuse_array(window, TraceType::kDeviceTrace);
  const std::string& damage = source.damage();
  if (!result.found_list && !damage.empty()) refuse_cut(window);
  if (!result.found_list && detect(start) == TraceType::kDeviceTrace)
    refuse_cut(window, "this is a device trace that ends before its \"traceEvents\"");
  if (!result.found_list)
    refuse_trace(window, TraceType::kDeviceTrace, TraceType::kOther,
                 what + " without \"traceEvents\"");
  require_rows(window, start, rows, !damage.empty() || !result.list_closed);
  if (!damage.empty())
    report_cut_once(source.name() + ": " + damage, diagnostics);
  else if (!result.list_closed)
    report_cut_once(fmt::format("after event {}", result.events), diagnostics);
  return result.events;
}

}  // namespace nadi
