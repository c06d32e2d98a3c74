// The events of one thread: written by it without a lock, read by the writer at any time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "nadi/record/event_bytes.h"
#include "nadi/record/session.h"

namespace nadi::record {

/// A piece of a log. Bytes before `committed` are whole events and change no more.
struct Chunk {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t capacity = 0;
  std::atomic<std::size_t> committed{0};
};

/// Keeps what all logs of a recording together hold within bounds, and used chunks for use again.
class ChunkPool {
 public:
  /// Begins with some chunks whose memory the system has already given.
  explicit ChunkPool(std::uint64_t most_bytes);

  /// A chunk of at least this size; nullptr = the recording is over, or memory is. `filled`: bytes
  /// of the chunk the thread has just filled, 0 = its first: a first one never waits.
  std::unique_ptr<Chunk> take(std::size_t size, std::size_t filled);
  /// Takes back a chunk that the writer has read.
  void give_back(std::unique_ptr<Chunk> chunk);
  /// Ends the pool: nobody gets chunks any more, nobody waits.
  void close();
  /// As close(), because memory ran out.
  void fail() noexcept;
  bool has_failed() const { return has_failed_; }
  /// Waits until a thread has filled a chunk, or for so long; false = closed.
  bool wait(Ns most);

  std::uint64_t stalls() const { return stalls_; }

 private:
  std::mutex mutex_;
  std::condition_variable has_room_, has_work_;
  std::vector<std::unique_ptr<Chunk>> free_;
  std::uint64_t most_bytes_, filled_bytes_ = 0;
  std::atomic<std::uint64_t> stalls_{0};
  std::atomic<bool> has_failed_{false};
  bool has_filled_ = false, is_closed_ = false;
};

/// The thread that a log belongs to.
struct ThreadIdentity {
  std::uint64_t tid = 0;      ///< logical: 1, 2, … in the order of first events
  std::int64_t os_tid = 0;    ///< of the system
  std::uint64_t root_id = 0;  ///< id of its node in the host trace
  std::string name;
};

class ThreadLog {
 public:
  ThreadLog(std::shared_ptr<ChunkPool> pool, ThreadIdentity identity, std::uint64_t generation,
            Clock clock)
      : pool_(std::move(pool)),
        identity_(std::move(identity)),
        generation_(generation),
        clock_(clock) {}

  /// For the thread itself: room for an event of up to so many bytes; nullptr = drop it.
  std::byte* reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) >= bytes) [[likely]]
      return at_;
    return next_chunk(bytes);
  }
  /// Ends the event begun at reserve(): the writer may read it from now on.
  void commit(std::byte* end) {
    at_ = end;
    current_->committed.store(static_cast<std::size_t>(end - current_->bytes.get()),
                              std::memory_order_release);
  }
  std::uint64_t recording() const { return generation_; }
  Clock tick_clock() const { return clock_; }
  const ThreadIdentity& identity() const { return identity_; }

  /// Says that the thread has ended: nothing will come any more.
  void end() { has_ended_.store(true, std::memory_order_release); }
  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

  /// For the writer: hands every event committed so far to consume(head, rest), in order.
  template <class Consume>
  void drain(const Consume& consume) {
    for (;;) {
      const auto [chunk, is_last] = front();
      if (chunk == nullptr) return;
      const std::size_t committed = chunk->committed.load(std::memory_order_acquire);
      while (read_ < committed) {
        EventReader reader(chunk->bytes.get() + read_);
        const auto head = reader.take<EventHead>();
        consume(head, reader);
        read_ += head.size;
      }
      if (is_last) return;
      release_front();
    }
  }

 private:
  struct Front {
    Chunk* chunk;
    bool is_last;
  };
  Front front();
  void release_front();
  std::byte* next_chunk(std::size_t bytes);
  /// False where memory ran out.
  bool keep(std::unique_ptr<Chunk> chunk);

  // The thread's own.
  std::byte *at_ = nullptr, *end_ = nullptr;
  Chunk* current_ = nullptr;
  // Shared.
  const std::shared_ptr<ChunkPool> pool_;
  const ThreadIdentity identity_;
  const std::uint64_t generation_;
  const Clock clock_;
  std::atomic<bool> has_ended_{false};
  std::mutex mutex_;
  std::deque<std::unique_ptr<Chunk>> chunks_;
  // The writer's own.
  std::size_t read_ = 0;  ///< bytes of the front chunk
};

}  // namespace nadi::record
