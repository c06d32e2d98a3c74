#include "nadi/emit/chakra_check.h"

#include <fmt/format.h>

#include <memory>

#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/cli/watched_source.h"

namespace nadi::cli {

namespace {

struct Arguments {
  std::vector<std::string> inputs;
  bool strict = false;
};

/// A row per rule that is broken, with the first places below it.
std::string findings_table(const std::vector<Finding>& findings) {
  TextTable table{{"finding", "severity", "count", "what"}, {}, {2}};
  for (const Finding& finding : findings) {
    table.rows.push_back({finding.rule, std::string(to_string(finding.severity)),
                          with_commas(finding.count), finding.message});
    for (const std::string& place : finding.first) table.rows.push_back({"", "", "", "  " + place});
  }
  return format_table(table, 2);
}

bool has_failed(const ChakraCheck& check, bool strict) {
  for (const Finding& finding : check.findings) {
    if (finding.severity == FindingSeverity::kError) return true;
    if (strict && finding.severity == FindingSeverity::kWarning) return true;
  }
  return false;
}

/// True if the graph failed.
bool check_one(const std::string& input, bool strict) {
  ChakraCheck check;
  {
    ProgressBar bar;
    check = check_chakra(open_watched(input, bar));
  }
  const bool failed = has_failed(check, strict);
  fmt::print("{}: {}: {} nodes, {} data and {} ctrl dependencies\n", input,
             failed ? "failed" : "ok", with_commas(check.nodes), with_commas(check.data_edges),
             with_commas(check.ctrl_edges));
  if (!check.findings.empty()) fmt::print("{}", findings_table(check.findings));
  return failed;
}

int run_check(const Arguments& arguments) {
  bool any_failed = false;
  for (const std::string& input : arguments.inputs) {
    any_failed = check_one(input, arguments.strict) || any_failed;
  }
  return any_failed ? kCheckFailed : kOk;
}

}  // namespace

RunVerb add_check(Options options) {
  auto arguments = std::make_shared<Arguments>();
  options.add_texts("graphs", arguments->inputs, "Chakra graphs (.et), or -");
  options.add_flag("--strict", arguments->strict, "Warnings fail too");
  return [arguments] { return run_check(*arguments); };
}

}  // namespace nadi::cli
