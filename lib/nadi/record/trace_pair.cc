#include "nadi/record/trace_pair.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>

#include "nadi/base/error.h"
#include "nadi/record/append_json.h"
#include "nadi/record/ticks.h"

namespace nadi::record {
namespace {

constexpr std::string_view kSchema = "1.1.1-chakra.0.0.4";
// Where the start lies in the file: rows of the second before it have positive stamps, and no stamp
// is 0, which readers take for garbage (K8).
constexpr Ns kStartAt = 1'000'000'000;
constexpr std::size_t kMuchBytes = std::size_t{1} << 20;
// Linux gives no greater thread ids.
constexpr std::int64_t kMostThreads = std::int64_t{1} << 22;

Ns wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string wall_clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

void check(const TraceFile& file) {
  if (!file.problem().empty())
    throw Error(ErrorCode::kInput, file.path(),
                "the recording could not be written to its end: " + file.problem(),
                "What there is can be converted; record again where there is space");
}

}  // namespace

TracePair::TracePair(const Settings& settings, Ns start_ns)
    : job_{settings.rank, settings.world_size},
      pid_(::getpid()),
      origin_ns_(start_ns - kStartAt),
      host_(settings.host_file),
      device_(settings.device_file) {
  begin_host();
  begin_device(settings);
  write_out();
}

void TracePair::begin_host() {
  std::string& text = host_.text();
  text.append("{\"schema\":\"").append(kSchema).append("\",\"pid\":");
  append_number(text, pid_);
  text += ",\"time\":";
  append_string(text, wall_clock_text());
  text += ",\"start_ts\":";
  append_number(text, monotonic_ns() / 1'000'000);
  text += ",\"nodes\":[\n";
  append_root_node(text, "process", 1, 0);
}

void TracePair::begin_device(const Settings& settings) {
  std::string& text = device_.text();
  text += "{\"schemaVersion\":1,\"deviceProperties\":[";
  for (std::size_t i = 0; i < settings.device_names.size(); ++i) {
    text += i > 0 ? ",{\"id\":" : "{\"id\":";
    append_number(text, static_cast<std::uint64_t>(i));
    text += ",\"name\":";
    append_string(text, settings.device_names[i]);
    text += '}';
  }
  text += "],";
  if (settings.rank >= 0) {
    const auto groups = all_process_groups();
    text += "\"distributedInfo\":{\"backend\":";
    append_string(text, settings.backend);
    text += ",\"rank\":";
    append_number(text, settings.rank);
    text += ",\"world_size\":";
    append_number(text, settings.world_size);
    text += ",\"pg_count\":";
    append_number(text, static_cast<std::uint64_t>(groups.size()));
    text.append(",\"pg_config\":").append(groups_json(groups)).append("},");
  }
  text += "\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":";
  append_number(text, wall_clock_ns() - kStartAt);
  text += ",\"traceEvents\":[\n";
  std::string first;
  append_metadata_event(first, {pid_, 0, 0}, "process_labels", "labels", "CPU");
  text.append(first, 2);  // no comma in front of the first
}

EventPlace TracePair::place_of(const ThreadIdentity& thread) const {
  return {pid_, tids_.at(thread.tid), origin_ns_};
}

/// The system gives the number of a thread that has ended to a later one, which then gets another.
void TracePair::add_thread(const ThreadIdentity& thread) {
  const std::int64_t uses = uses_of_os_tid_[thread.os_tid]++;
  tids_[thread.tid] = thread.os_tid + uses * kMostThreads;
  host_.text() += ",\n";
  append_root_node(host_.text(), "thread", thread.root_id, thread.tid);
  name_thread(thread, thread.name);
}

void TracePair::name_thread(const ThreadIdentity& thread, std::string_view name) {
  if (!name.empty())
    append_metadata_event(device_.text(), place_of(thread), "thread_name", "name", name);
}

void TracePair::add_op(const ThreadIdentity& thread, const ClosedOp& op) {
  host_.text() += ",\n";
  append_op_node(host_.text(), op, thread.tid, job_);
  append_op_event(device_.text(), place_of(thread), op, op_count_++, job_);
  write_out_much();
}

void TracePair::add_call(const ThreadIdentity& thread, const ClosedCall& call) {
  append_call_event(device_.text(), place_of(thread), call);
}

void TracePair::name_lane(std::int64_t device, std::int64_t stream) {
  if (!named_lanes_.emplace(device, stream).second) return;
  std::string name = "stream ";
  append_number(name, stream);
  append_metadata_event(device_.text(), {device, stream, 0}, "thread_name", "name", name);
}

void TracePair::add_device_row(const ClosedDeviceRow& row) {
  name_lane(row.facts.device, row.facts.stream);
  append_device_row_event(device_.text(), origin_ns_, row, job_);
  write_out_much();
}

/// The device trace first: whenever the program dies, every op of the host trace is in it.
void TracePair::write_out() {
  device_.write_out();
  host_.write_out();
}

void TracePair::write_out_much() {
  if (host_.text().size() + device_.text().size() >= kMuchBytes) write_out();
}

void TracePair::finish(Summary& summary) {
  host_.text() += "\n],\"finish_ts\":";
  append_number(host_.text(), monotonic_ns() / 1'000'000);
  host_.text() += "}\n";
  device_.text() += "\n]}\n";
  write_out();
  summary.host_bytes = host_.bytes();
  summary.device_bytes = device_.bytes();
  check(host_);
  check(device_);
}

}  // namespace nadi::record
