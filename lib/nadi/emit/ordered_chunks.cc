#include "nadi/emit/ordered_chunks.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nadi {
namespace {

using Make = std::function<void(std::size_t, unsigned, std::string&)>;
using Take = std::function<void(const std::string&)>;

// Buffers in a ring: chunk c uses slot c % size and waits until chunk c - size was taken.
class Ring {
 public:
  Ring(std::size_t chunk_count, std::size_t slots)
      : chunk_count_(chunk_count), slots_(slots), ready_(slots, false) {}

  void run_worker(unsigned worker, const Make& make) {
    try {
      while (make_next(worker, make)) continue;
    } catch (...) {
      stop(std::current_exception());
    }
  }

  void take_all(const Take& take) {
    for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
      const std::size_t slot = chunk % slots_.size();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ready_[slot] || failure_; });
      if (failure_) return;
      lock.unlock();
      take(slots_[slot]);
      lock.lock();
      slots_[slot].clear();
      ready_[slot] = false;
      taken_ = chunk + 1;
      changed_.notify_all();
    }
  }

  void stop(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
    changed_.notify_all();
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool make_next(unsigned worker, const Make& make) {
    std::unique_lock lock(mutex_);
    const std::size_t chunk = next_;
    if (chunk == chunk_count_) return false;
    ++next_;
    changed_.wait(lock, [&] { return chunk < taken_ + slots_.size() || failure_; });
    if (failure_) return false;
    lock.unlock();
    make(chunk, worker, slots_[chunk % slots_.size()]);
    lock.lock();
    ready_[chunk % slots_.size()] = true;
    changed_.notify_all();
    return true;
  }

  const std::size_t chunk_count_;
  std::vector<std::string> slots_;
  std::vector<bool> ready_;
  std::size_t next_ = 0, taken_ = 0;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

void make_alone(std::size_t chunk_count, const Make& make, const Take& take) {
  std::string buffer;
  for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
    buffer.clear();
    make(chunk, 0, buffer);
    take(buffer);
  }
}

}  // namespace

unsigned worker_count(std::size_t chunk_count, unsigned threads) {
  if (threads == 0) threads = std::thread::hardware_concurrency();
  return static_cast<unsigned>(
      std::clamp<std::size_t>(threads, 1, std::clamp<std::size_t>(chunk_count, 1, 64)));
}

void make_in_order(std::size_t chunk_count, unsigned threads, const Make& make, const Take& take) {
  const unsigned workers = worker_count(chunk_count, threads);
  if (workers == 1) return make_alone(chunk_count, make, take);
  Ring ring(chunk_count, std::min<std::size_t>(chunk_count, 2 * workers + 1));
  std::vector<std::thread> pool;
  try {
    for (unsigned worker = 0; worker < workers; ++worker)
      pool.emplace_back([&, worker] { ring.run_worker(worker, make); });
  } catch (const std::exception&) {  // a limit of processes or memory: those that began do all
    if (pool.empty()) return make_alone(chunk_count, make, take);
  }
  try {
    ring.take_all(take);
  } catch (...) {
    ring.stop(std::current_exception());
  }
  for (std::thread& thread : pool) thread.join();
  ring.rethrow();
}

}  // namespace nadi
