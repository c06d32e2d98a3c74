#include "nadi/read/host_trace_reader.h"

#include <fmt/format.h>

#include "nadi/read/host_nodes.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

class HostTraceVisitor : public TraceVisitor {
 public:
  explicit HostTraceVisitor(HostNodeBuilder& nodes) : nodes_(nodes) {}

  bool wants(std::string_view key) const override { return HostNodeBuilder::wants(key); }

  bool member(std::string_view key, std::string_view value) override {
    nodes_.add_member(key, value);
    return true;
  }

  bool event(std::string_view object, std::uint64_t number) override {
    if (!node_.parse(parser_, object)) return false;
    nodes_.add(node_, number);
    return true;
  }

 private:
  HostNodeBuilder& nodes_;
  JsonParser parser_;
  NodeFields node_;
};

}  // namespace

HostTrace read_host_trace(ByteSource& source, Diagnostics& diagnostics, const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kHostTrace);
  HostTrace trace;
  HostNodeBuilder nodes(trace, diagnostics);
  HostTraceVisitor visitor(nodes);
  const WalkResult result = walk_trace(window, kHostTraceShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kHostTrace, TraceType::kOther, what + " without \"nodes\"");
  nodes.name_groups();
  if (!source.damage().empty() && trace.ops.size() == 0)
    refuse_contents(window, "it is cut before its first node", "Copy it again, or record it again");
  if (!source.damage().empty())
    report_cut_once(source.name() + ": " + source.damage(), diagnostics);
  else if (!result.list_closed && diagnostics.count(Finding::kTruncatedInput) == 0)
    diagnostics.report(Finding::kObserverNotStopped,
                       fmt::format("the list ends after node {}", result.events));
  return trace;
}

}  // namespace nadi
