#include "nadi/record/recording.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>

#include "nadi/base/error.h"
#include "nadi/record/recorder.h"

namespace nadi::record {
namespace {

std::string system_name_of_thread() {
  std::array<char, 64> name{};
  if (::pthread_getname_np(::pthread_self(), name.data(), name.size()) != 0) return {};
  return name.data();
}

}  // namespace

/// What threads read: the program's clock, else the cheap counter where it can be trusted.
Clock Recording::tick_clock() const {
  if (settings_.clock != nullptr) return settings_.clock;
  return is_counter_steady() ? nullptr : Clock{monotonic_ns};
}

Recording::Recording(const Settings& settings, std::uint64_t generation)
    : settings_(settings),
      generation_(generation),
      pool_(std::make_shared<ChunkPool>(settings.most_buffered_bytes)),
      scale_(tick_clock()),
      traces_(settings_, scale_.nanoseconds(read_ticks(tick_clock()))),
      writer_([this] { write_loop(); }) {}

Recording::~Recording() { join_writer(); }

std::shared_ptr<ThreadLog> Recording::add_thread() {
  ThreadIdentity identity;
  identity.os_tid = ::syscall(SYS_gettid);
  identity.root_id = next_op_id.fetch_add(1, std::memory_order_relaxed);
  identity.name = system_name_of_thread();
  const std::lock_guard lock(mutex_);
  identity.tid = ++threads_;
  new_logs_.push_back(
      std::make_shared<ThreadLog>(pool_, std::move(identity), generation_, tick_clock()));
  return new_logs_.back();
}

void Recording::write_loop() {
  ::pthread_setname_np(::pthread_self(), "nadi-record");
  try {
    while (pool_->wait(settings_.flush_ns)) {
      drain();
      traces_.write_out();
    }
    drain();
    close_open_ops();
  } catch (const std::bad_alloc&) {  // what has been written stays
    pool_->fail();
  } catch (...) {
    failure_ = std::current_exception();
    pool_->close();
  }
}

void Recording::drain() {
  std::vector<std::shared_ptr<ThreadLog>> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(new_logs_);
  }
  for (auto& log : added) {
    traces_.add_thread(log->identity());
    const ThreadIdentity& identity = log->identity();
    lanes_.push_back(std::make_unique<Lane>(
        Lane{std::move(log), ThreadReplay(identity, traces_, scale_, summary_)}));
  }
  std::erase_if(lanes_, [&](std::unique_ptr<Lane>& lane) {
    const bool is_over = lane->log->has_ended();  // before the last events are looked for
    lane->log->drain(
        [&](const EventHead& head, const EventReader& rest) { lane->replay.consume(head, rest); });
    if (is_over) lane->replay.close_all(kNoTime);
    return is_over;
  });
}

void Recording::close_open_ops() {
  const Ns now = scale_.nanoseconds(read_ticks(tick_clock()));
  for (auto& lane : lanes_) lane->replay.close_all(now);
}

void Recording::join_writer() {
  pool_->close();
  if (writer_.joinable()) writer_.join();
}

Summary Recording::finish() {
  join_writer();
  summary_.stalls = pool_->stalls();
  summary_.threads = threads_;
  traces_.finish(summary_);
  if (failure_) std::rethrow_exception(failure_);
  if (pool_->has_failed())
    throw Error(ErrorCode::kInput, "record", "memory ran out, and the recording ended there",
                "What there is can be converted; record fewer steps, or lower most_buffered_bytes");
  return summary_;
}

}  // namespace nadi::record
