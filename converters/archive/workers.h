// Threads that do work of which each piece needs memory, and together never more than there is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nadi {

class Workers {
 public:
  /// `memory`: bytes that all pieces that run at a time may need together. Fewer threads where a
  /// limit allows no more. Throws std::system_error where it allows none.
  Workers(unsigned threads, std::uint64_t memory);
  /// Drops what has not begun, and waits for what has.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Work begins in the order in which it is given, each piece as soon as there is room for it; one
  /// that needs more than all memory runs alone. It must not throw.
  void submit(std::uint64_t bytes_needed, std::function<void(unsigned thread)> work);
  /// Waits until one more piece has ended; false = none was waiting or running.
  bool wait_for_one();
  /// Waits until nothing waits or runs.
  void wait_for_all();
  /// Drops what has not begun; what is given later is dropped, too.
  void stop();

 private:
  struct Piece {
    std::uint64_t bytes_needed;
    std::function<void(unsigned thread)> work;
  };
  void run(unsigned thread);
  bool can_begin() const;

  const std::uint64_t memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> waiting_;
  std::uint64_t bytes_in_use_ = 0, ended_ = 0;
  unsigned running_ = 0;
  bool is_closed_ = false, is_stopped_ = false;
  std::vector<std::thread> threads_;  // last: they use all else
};

}  // namespace nadi
