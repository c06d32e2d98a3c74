#include "nadi/converters/archive/workers.h"

#include <exception>
#include <utility>

namespace nadi {

Workers::Workers(unsigned threads, std::uint64_t memory) : memory_(memory) {
  try {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { run(i); });
  } catch (const std::exception&) {  // a limit of processes or memory: those that began do all
    if (threads_.empty()) throw;
  }
}

Workers::~Workers() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::submit(std::uint64_t bytes_needed, std::function<void(unsigned)> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    waiting_.push_back({bytes_needed, std::move(work)});
  }
  changed_.notify_all();
}

bool Workers::wait_for_one() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty() && running_ == 0) return false;
  const std::uint64_t before = ended_;
  changed_.wait(lock, [&] { return ended_ > before || (waiting_.empty() && running_ == 0); });
  return true;
}

void Workers::wait_for_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
}

void Workers::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
}

bool Workers::can_begin() const {
  if (waiting_.empty()) return false;
  return running_ == 0 || bytes_in_use_ + waiting_.front().bytes_needed <= memory_;
}

void Workers::run(unsigned thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return can_begin() || is_closed_; });
    if (!can_begin()) return;
    Piece piece = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_in_use_ += piece.bytes_needed;
    ++running_;
    lock.unlock();
    piece.work(thread);
    piece.work = nullptr;  // with all it holds, before others begin
    lock.lock();
    bytes_in_use_ -= piece.bytes_needed;
    --running_;
    ++ended_;
    changed_.notify_all();
  }
}

}  // namespace nadi
