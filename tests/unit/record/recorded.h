// Records into a temporary folder, and reads what was written as any user of the traces would.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/link.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"
#include "nadi/record/record.h"
#include "tests/file_bytes.h"

namespace nadi::record::test {

/// A clock that goes on by 1 us whenever it is read, from 5 s.
inline std::atomic<Ns>& clock_time() {
  static std::atomic<Ns> time{5'000'000'000};
  return time;
}
inline Ns step_clock() { return clock_time().fetch_add(1000) + 1000; }

/// Two files of the test that runs, gone with it.
class Files {
 public:
  Files() {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("nadi_record_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string host() const { return (folder_ / "host.json").string(); }
  std::string device() const { return (folder_ / "device.json").string(); }
  Settings settings(Clock clock = nullptr) const {
    Settings settings;
    settings.host_file = host();
    settings.device_file = device();
    settings.clock = clock;
    return settings;
  }
  static std::string text(const std::string& path) { return read_file(path); }

 private:
  std::filesystem::path folder_;
};

/// What a recording wrote, as JSON.
struct Recorded {
  Summary summary;
  nlohmann::json host, device;

  /// The node of that name; a null object where there is none. Of several, the first.
  nlohmann::json node(std::string_view name) const {
    for (const auto& found : host["nodes"])
      if (found["name"] == name) return found;
    return {};
  }
  nlohmann::json attribute(std::string_view node_name, std::string_view name) const {
    const nlohmann::json of = node(node_name);
    for (const auto& found : of["attrs"])
      if (found["name"] == name) return found["value"];
    return {};
  }
  /// The event of that category and name (any, where empty).
  nlohmann::json event(std::string_view category, std::string_view name = {}) const {
    for (const auto& found : device["traceEvents"])
      if (found.value("cat", "") == category && (name.empty() || found["name"] == name))
        return found;
    return {};
  }
  std::size_t count(std::string_view category) const {
    std::size_t count = 0;
    for (const auto& found : device["traceEvents"]) count += found.value("cat", "") == category;
    return count;
  }
};

inline Recorded read_recorded(const Files& files, Summary summary = {}) {
  return {summary, nlohmann::json::parse(Files::text(files.host())),
          nlohmann::json::parse(Files::text(files.device()))};
}

/// Records what the program does, on the clock that steps.
template <class Program>
Recorded record_program(const Program& program) {
  const Files files;
  start(files.settings(step_clock));
  program();
  const Summary summary = stop();
  return read_recorded(files, summary);
}

/// Links both files as `nadi convert` does.
inline LinkedTrace link_recorded(const Files& files, Diagnostics& diagnostics) {
  const std::string host_text = Files::text(files.host()),
                    device_text = Files::text(files.device());
  ByteSource host = source_of_bytes(host_text, "host.json");
  ByteSource device = source_of_bytes(device_text, "device.json");
  HostTrace host_trace = read_host_trace(host, diagnostics);
  return link_traces(std::move(host_trace), read_device_trace(device, diagnostics), {},
                     diagnostics);
}

/// As link_recorded, of a recording that was stopped: nothing may be lost or odd.
inline LinkedTrace link_whole(const Files& files) {
  Diagnostics diagnostics;
  LinkedTrace linked = link_recorded(files, diagnostics);
  for (const Diagnostic& found : diagnostics.table())
    EXPECT_TRUE(severity_of(found.kind) == Severity::kInfo) << to_string(found.kind);
  EXPECT_EQ(linked.matched_host_op_count, linked.host_op_count);
  return linked;
}

}  // namespace nadi::record::test
