// Stands for an accelerator: its streams work by the clock, and it tells what they did.
#pragma once

#include <cstdint>
#include <map>
#include <string>

/// Device 0 of the program. Times in ns, of nadi::record::now().
class ToyDevice {
 public:
  static constexpr std::int64_t kCompute = 7, kNetwork = 20;  ///< its streams

  /// Puts a kernel on a stream: it runs so long, after what is there and what the stream waits for.
  void launch(const std::string& kernel, std::int64_t stream, std::int64_t duration_ns);
  /// Copies from the device; returns when that is done.
  void copy_to_host(std::int64_t bytes);
  void record_event(std::int64_t event, std::int64_t stream);
  void make_wait(std::int64_t stream, std::int64_t event);
  void synchronize(std::int64_t stream);

 private:
  std::map<std::int64_t, std::int64_t> free_at_;   // by stream: when its work is done
  std::map<std::int64_t, std::int64_t> event_at_;  // by event: when it happens
};

/// Keeps the processor busy.
void work(std::int64_t ns);
