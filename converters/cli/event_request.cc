#include "nadi/converters/cli/event_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/events/attribute_choice.h"

namespace nadi::cli {

namespace {

constexpr EventSetting kSettings[] = {
    {"args", "SET,...",
     "Named sets of attributes, which add up (default: default): minimum, bandwidth, sync, "
     "input_shape, communication, info, triton_kernels, default, complete"},
    {"add-arg", "NAME",
     "One more attribute: a name of --list-args, or 'column=raw key:Type:default'; may be "
     "repeated"},
    {"only-args", "NAME,...", "These attributes instead of sets"},
    {"all-args", nullptr, "Also every other attribute that occurs"},
    {"registry", "FILE", "More attributes and sets, as in schema/event_attributes.json, or YAML"},
    {"skip-categories", "CAT,...",
     "Leave these out (default: python_function, as HTA 0.5's ParserConfig); '' = none"},
    {"keep-gpu-annotations", nullptr,
     "Keep rows of category gpu_user_annotation, which HTA 0.5's ParserConfig leaves out"},
    {"all-categories", nullptr,
     "Keep both, as the newest HTA's json reader does: leave out only what --skip-categories "
     "names"},
    {"max-duration", "TIME", "Leave out what is longer (default: 86400s)"},
    {"ranks", "N,...", "Ranks and ranges of ranks: 0,2-3 (default: all)"},
    {"iterations", "N,...", "Iterations (ProfilerStep#N) and ranges: first, 3,5-7 (default: all)"},
    {"round-us", nullptr, "Whole microseconds as HTA makes them: starts up, ends down"},
};

class Request {
 public:
  explicit Request(Settings settings) : settings_(std::move(settings)) {}

  EventRequest take() {
    EventRequest request;
    request.registry = built_in_registry();
    for (const std::string& file : texts("registry"))
      extend_registry(request.registry, parse_registry(read_as_json(file), file));
    AttributeChoice choice{parts("args"), parts("only-args"), texts("add-arg")};
    request.table.all_attributes = flag("all-args");
    if (request.table.all_attributes) request.table.registry = request.registry;
    request.table.attributes = choose_attributes(request.registry, choice);
    const bool keeps_all = flag("all-categories");
    if (keeps_all || has("skip-categories"))
      request.table.skip_categories = parts("skip-categories");
    request.table.keep_gpu_annotations = keeps_all || flag("keep-gpu-annotations");
    request.table.round_to_micros = flag("round-us");
    if (has("max-duration")) request.table.max_duration_ns = duration("max-duration");
    if (has("iterations")) request.table.iterations = parse_iterations(joined("iterations"));
    if (has("ranks")) request.ranks = joined("ranks");
    return request;
  }

 private:
  bool has(const std::string& name) const { return settings_.count(name) > 0; }
  std::vector<std::string> texts(const std::string& name) const {
    return has(name) ? settings_.at(name) : std::vector<std::string>();
  }
  std::string joined(const std::string& name) const {
    return fmt::format("{}", fmt::join(texts(name), ","));
  }
  /// Between commas, those that are not empty.
  std::vector<std::string> parts(const std::string& name) const {
    std::vector<std::string> kept = split_at_commas(joined(name));
    std::erase(kept, "");
    return kept;
  }
  bool flag(const std::string& name) const {
    if (!has(name)) return false;
    const std::string text = joined(name);
    if (text != "true" && text != "false")
      throw Error(ErrorCode::kUsage, name, "'" + text + "' is neither true nor false");
    return text == "true";
  }
  Ns duration(const std::string& name) const {
    const auto time = parse_duration(joined(name));
    if (!time)
      throw Error(ErrorCode::kUsage, name, "'" + joined(name) + "' is no time like 20s or 1.5ms");
    return *time;
  }

  Settings settings_;
};

void require_known(const Settings& settings, const std::string& where) {
  std::string names;
  for (const EventSetting& known : kSettings) names += fmt::format(" {}", known.name);
  for (const auto& entry : settings) {
    const auto same = [&](const EventSetting& known) { return known.name == entry.first; };
    if (std::none_of(std::begin(kSettings), std::end(kSettings), same))
      throw Error(ErrorCode::kUsage, where, "no setting is named '" + entry.first + "'",
                  "There are" + names);
  }
}

}  // namespace

std::span<const EventSetting> event_settings() { return kSettings; }

EventRequest event_request(const Settings& given, const std::string& config) {
  require_known(given, "the settings");
  Settings settings = given;
  if (!config.empty()) {
    Settings file = read_settings(config);
    require_known(file, config);
    settings.merge(file);  // what is given stays
  }
  return Request(std::move(settings)).take();
}

}  // namespace nadi::cli
