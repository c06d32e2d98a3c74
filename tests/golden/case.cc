#include "tests/golden/case.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tests/file_bytes.h"
#include "tests/perfetto_bytes.h"

namespace nadi::golden {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(NADI_SOURCE_DIR) / "tests" / "golden";

Delays parse_delays(const std::string& text) {
  if (text == "none") return Delays::kNone;
  if (text == "host") return Delays::kHost;
  if (text == "all") return Delays::kAll;
  throw std::runtime_error("--delays " + text);
}

MatchMethod parse_method(const std::string& text) {
  if (text == "force") return MatchMethod::kForce;
  if (text == "order") return MatchMethod::kOrder;
  if (text == "tree") return MatchMethod::kTree;
  throw std::runtime_error("--match " + text);
}

/// The text of a Perfetto trace, which is read as the bytes that it stands for.
constexpr const char* kPerfettoText = "device.pftrace.txt";

ByteSource open_file_of_case(const std::string& path) {
  if (!path.ends_with(kPerfettoText)) return ByteSource::open(path);
  return ByteSource(path, [bytes = test::perfetto_bytes(read_file(path)),
                           at = std::size_t{0}](std::span<char> into) mutable {
    const std::size_t size = bytes.copy(into.data(), into.size(), at);
    at += size;
    return size;
  });
}

StepRange parse_steps(const std::string& text) {
  const std::size_t dash = text.find('-');
  const int first = std::stoi(text);
  return {first, dash == std::string::npos ? first : std::stoi(text.substr(dash + 1))};
}

void apply(Case& c, const std::string& option, const std::string& value) {
  if (option == "--delays")
    c.graph.delays = parse_delays(value);
  else if (option == "--steps")
    c.graph.steps = parse_steps(value);
  else if (option == "--rank")
    c.link.rank = std::stoi(value);
  else if (option == "--match")
    c.link.match.method = parse_method(value);
  else if (option == "--occurrence")
    c.link.match.iteration_pick = {IterationPickKind::kNumber, std::stoull(value)};
  else if (option == "--annotation")
    c.link.match.annotation = value;
  else if (option == "--clock" && value == "as-recorded")
    c.link.clock = ClockMode::kAsRecorded;
  else if (option == "--repeat" && value == "all")
    c.link.match.repeats_all = true;
  else if (option == "--memory-nodes" && value == "offload")
    c.graph.memory_nodes = MemoryNodes::kOffload;
  else if (option == "--memory-nodes" && value == "host")
    c.graph.memory_nodes = MemoryNodes::kHost;
  else if (option == "--min-part" && value == "op")
    c.graph.join_all_parts = true;
  else if (option == "--min-part" && value.ends_with("us"))
    c.graph.min_part_ns = 1000 * std::stoll(value);
  else
    throw std::runtime_error("unknown option " + option + " " + value);
}

}  // namespace

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (std::filesystem::exists(entry.path() / "device.json") ||
        std::filesystem::exists(entry.path() / kPerfettoText))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Case load_case(const std::string& name) {
  Case c;
  c.folder = kFolder / name;
  const bool is_perfetto = std::filesystem::exists(c.folder / kPerfettoText);
  c.traces.device = (c.folder / (is_perfetto ? kPerfettoText : "device.json")).string();
  if (is_perfetto) c.traces.open = open_file_of_case;
  if (std::filesystem::exists(c.folder / "host.json"))
    c.traces.host = (c.folder / "host.json").string();
  std::istringstream words(read_file(c.folder / "options"));
  for (std::string option, value; words >> option;) {
    if (option == "--strict") {
      c.strict = true;
    } else {
      words >> value;
      apply(c, option, value);
    }
  }
  return c;
}

}  // namespace nadi::golden
