// Writes down which stream and event calls of the CUDA runtime name, with thread and time: the
// truth beside a profiler's trace. Loaded by LD_PRELOAD; at its end the program writes a line for
// each call to the file REC_LOG: what, begin and end (ns since 1970), stream, event (both
// hexadecimal), thread, what cudaEventQuery returned (0 = the event has happened).
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

struct Call {
  const char* what;
  std::int64_t begin_ns, end_ns;
  void *stream, *event;
  long thread;
  int returned;
};

constexpr std::size_t kMostCalls = 4'000'000;

struct Calls {
  std::unique_ptr<Call[]> all{new Call[kMostCalls]};
  std::atomic<std::size_t> count = 0;

  ~Calls() {
    const char* const path = std::getenv("REC_LOG");
    std::FILE* const file = path && count > 0 ? std::fopen(path, "w") : nullptr;
    if (!file) return;
    for (std::size_t i = 0; i < count && i < kMostCalls; ++i) {
      const Call& call = all[i];
      std::fprintf(file, "%s %" PRId64 " %" PRId64 " %" PRIxPTR " %" PRIxPTR " %ld %d\n", call.what,
                   call.begin_ns, call.end_ns, reinterpret_cast<std::uintptr_t>(call.stream),
                   reinterpret_cast<std::uintptr_t>(call.event), call.thread, call.returned);
    }
    std::fclose(file);
  }
};
Calls calls;

std::int64_t now_ns() { return std::chrono::system_clock::now().time_since_epoch().count(); }

/// PyTorch's modules load the runtime for themselves alone: RTLD_NEXT does not find it.
void* runtime() {
  static void* const library = dlopen("libcudart.so.13", RTLD_NOLOAD | RTLD_LAZY);
  return library;
}

/// Calls the runtime's function of that name, and writes it down.
template <class... Args>
int logged(const char* what, const char* function, void* stream, void* event, Args... args) {
  const auto real = reinterpret_cast<int (*)(Args...)>(dlsym(runtime(), function));
  Call call{what, now_ns(), 0, stream, event, syscall(SYS_gettid), 0};
  call.returned = real(args...);
  call.end_ns = now_ns();
  if (const std::size_t at = calls.count++; at < kMostCalls) calls.all[at] = call;
  return call.returned;
}

}  // namespace

extern "C" {

int cudaEventRecord(void* event, void* stream) {
  return logged("record", "cudaEventRecord", stream, event, event, stream);
}
int cudaEventRecordWithFlags(void* event, void* stream, unsigned flags) {
  return logged("record", "cudaEventRecordWithFlags", stream, event, event, stream, flags);
}
int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return logged("wait", "cudaStreamWaitEvent", stream, event, stream, event, flags);
}
int cudaEventSynchronize(void* event) {
  return logged("event_sync", "cudaEventSynchronize", nullptr, event, event);
}
int cudaEventQuery(void* event) { return logged("query", "cudaEventQuery", nullptr, event, event); }
int cudaStreamSynchronize(void* stream) {
  return logged("stream_sync", "cudaStreamSynchronize", stream, nullptr, stream);
}
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return logged("copy", "cudaMemcpyAsync", stream, nullptr, to, from, bytes, kind, stream);
}
int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return logged("set", "cudaMemsetAsync", stream, nullptr, to, value, bytes, stream);
}
}
