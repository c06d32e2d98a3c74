#include "nadi/record/session.h"

#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/record/logged_comm.h"
#include "nadi/record/recorder.h"
#include "nadi/record/recording.h"

unsigned char nadi_record_flag = 0;

namespace nadi::record {

std::atomic<std::uint64_t> next_op_id{2};
std::atomic<std::uint64_t> next_correlation{1};
std::atomic<std::uint64_t> running_generation{0};
constinit thread_local ThreadLog* log_of_thread = nullptr;

namespace {

// What start, stop and threads that join share. Never destroyed: threads may record until the
// process is gone.
struct Control {
  std::mutex mutex;
  std::shared_ptr<Recording> running;
  std::uint64_t generations = 0;
};
Control& control() {
  static auto* const instance = new Control;
  return *instance;
}

/// Keeps a thread's log alive, and tells it when the thread ends.
constinit thread_local bool is_thread_over = false;
struct LogOwner {
  std::shared_ptr<ThreadLog> log;

  void hold(std::shared_ptr<ThreadLog> next) {
    if (log != nullptr) log->end();
    log = std::move(next);
    log_of_thread = log.get();
  }
  ~LogOwner() {
    hold(nullptr);
    is_thread_over = true;
  }
};
thread_local LogOwner owner;

void set_running(bool is_running, std::uint64_t generation) {
  running_generation.store(generation, std::memory_order_relaxed);
  std::atomic_ref<unsigned char>(nadi_record_flag)
      .store(is_running ? 1 : 0, std::memory_order_relaxed);
}

/// Takes it without ever running its destructor, and without memory.
template <class T>
void leave_behind(std::shared_ptr<T> left) {
  alignas(std::shared_ptr<T>) static std::byte room[sizeof(std::shared_ptr<T>)];
  new (room) std::shared_ptr<T>(std::move(left));
}

// A forked process has no writer and must not touch its parent's files: it records nothing, until
// it starts a recording of its own.
void forget_in_child() {
  set_running(false, 0);
  log_of_thread = nullptr;
  leave_behind(std::move(owner.log));
  leave_behind(std::move(control().running));
  control().mutex.unlock();
}

void prepare_process() {
  static const int once = [] {
    ::pthread_atfork([] { control().mutex.lock(); }, [] { control().mutex.unlock(); },
                     forget_in_child);
    return std::atexit([] {
      try {
        stop();
      } catch (...) {  // nobody is left who could report it
      }
    });
  }();
  (void)once;
}

constexpr std::uint64_t kLeastBufferedBytes = 64 << 10;  // a chunk of a thread's log

void check(const Settings& settings) {
  const auto refuse = [](const char* what, const char* remedy) {
    throw Error(ErrorCode::kUsage, "record", what, remedy);
  };
  if (settings.host_file.empty() || settings.device_file.empty())
    refuse("a recording needs two files", "Set Settings::host_file and Settings::device_file");
  if (settings.host_file == settings.device_file)
    refuse("both traces would go to the same file", "Give each a name of its own");
  if (settings.rank < -1)
    refuse("the rank is negative", "Number ranks from 0, or leave Settings::rank at -1 for one");
  if (settings.world_size < -1 || settings.world_size == 0)
    refuse("the world's size is not positive", "Set Settings::world_size to the job's, or to -1");
  if (settings.most_buffered_bytes < kLeastBufferedBytes)
    refuse("most_buffered_bytes is below 64 KiB, what one thread writes at a time",
           "Leave it at 256 MiB");
  if (settings.flush_ns <= 0) refuse("flush_ns is not positive", "Leave it at 100,000,000");
  if (settings.rank >= 0 && settings.world_size <= settings.rank)
    refuse("the rank is not below the world's size", "Set Settings::world_size to the job's");
}

}  // namespace

ThreadLog* attach_thread() noexcept {
  if (is_thread_over) return nullptr;
  const std::lock_guard lock(control().mutex);
  if (control().running == nullptr) return nullptr;
  try {
    owner.hold(control().running->add_thread());
  } catch (const std::bad_alloc&) {
    control().running->fail();
    return nullptr;
  }
  return log_of_thread;
}

void fail_recording() noexcept {
  if (!is_recording()) return;
  const std::lock_guard lock(control().mutex);
  if (control().running != nullptr) control().running->fail();
}

void start(const Settings& settings) {
  check(settings);
  prepare_process();
  {
    const std::lock_guard lock(control().mutex);
    if (control().running != nullptr)
      throw Error(ErrorCode::kUsage, "record", "a recording runs already", "Stop it first");
    const std::uint64_t generation = control().generations + 1;
    control().running = std::make_shared<Recording>(settings, generation);
    control().generations = generation;
    set_running(true, generation);
  }
  try {
    if (const auto groups = all_process_groups(); !groups.empty()) record_process_groups(groups);
  } catch (...) {
    stop();
    throw;
  }
}

Summary stop() {
  std::shared_ptr<Recording> recording;
  {
    const std::lock_guard lock(control().mutex);
    recording = std::move(control().running);
    control().running = nullptr;
    set_running(false, 0);
  }
  return recording == nullptr ? Summary() : recording->finish();
}

Ns now() {
  if (const ThreadLog* const log = is_recording() ? thread_log() : nullptr;
      log != nullptr && log->tick_clock() != nullptr)
    return log->tick_clock()();
  return monotonic_ns();
}

void name_thread(std::string_view name) {
  if (!is_recording()) return;
  name = cut_text(name);
  log_event({0, EventKind::kThreadName, 0, 0, 0}, text_bound(name),
            [&](EventWriter& writer) { writer.put_text(name); });
}

}  // namespace nadi::record
