#include "toy_device.h"

#include <nadi/record/record.h>

#include <algorithm>

namespace record = nadi::record;

namespace {

constexpr std::int64_t kLaunchLatency = 4'000, kLaunchCost = 2'000;

void wait_until(std::int64_t time) {
  while (record::now() < time) {
  }
}

}  // namespace

void work(std::int64_t ns) { wait_until(record::now() + ns); }

void ToyDevice::launch(const std::string& kernel, std::int64_t stream, std::int64_t duration_ns) {
  // The call that asks for the work: its correlation is what the work is known by.
  const record::Launch call("cudaLaunchKernel");
  const std::int64_t start = std::max(free_at_[stream], record::now() + kLaunchLatency);
  free_at_[stream] = start + duration_ns;
  // The work itself. A real device tells it later; that may be on any thread.
  record::DeviceRow row;
  row.name = kernel;
  row.stream = stream;
  row.correlation = call.correlation();
  row.start_ns = start;
  row.duration_ns = duration_ns;
  record::add_device_row(row);
  work(kLaunchCost);
}

void ToyDevice::copy_to_host(std::int64_t bytes) {
  const record::Launch call("cudaMemcpy");  // blocks: readers know it by its name
  record::DeviceRow row;
  row.kind = record::DeviceRowKind::kCopy;
  row.name = "Memcpy DtoH (Device -> Pageable)";
  row.stream = kCompute;
  row.correlation = call.correlation();
  row.start_ns = std::max(free_at_[kCompute], record::now() + kLaunchLatency);
  row.duration_ns = 1'000 + bytes / 10;
  row.bytes = bytes;
  record::add_device_row(row);
  free_at_[kCompute] = row.start_ns + row.duration_ns;
  wait_until(free_at_[kCompute]);
}

void ToyDevice::record_event(std::int64_t event, std::int64_t stream) {
  const record::EventRecord call(0, stream, event);
  event_at_[event] = free_at_[stream];
}

void ToyDevice::make_wait(std::int64_t stream, std::int64_t event) {
  const record::StreamWait call(0, stream, event);
  free_at_[stream] = std::max(free_at_[stream], event_at_[event]);
}

void ToyDevice::synchronize(std::int64_t stream) {
  const record::StreamSync call(0, stream);
  wait_until(free_at_[stream]);
}
