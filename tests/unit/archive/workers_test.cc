// Pieces of work begin in order, and those that run at a time fit into the memory.
#include "nadi/converters/archive/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

namespace nadi {
namespace {

constexpr auto kLongEnough = std::chrono::milliseconds(20);  // for a thread to begin by mistake
constexpr auto kAtMost = std::chrono::seconds(30);

/// Counts pieces that run at a time.
class Running {
 public:
  /// A piece that ends once `together` of them run.
  std::function<void(unsigned)> piece(int together) {
    return [this, together](unsigned) {
      std::unique_lock lock(mutex_);
      most_ = std::max(most_, ++now_);
      changed_.notify_all();
      changed_.wait_for(lock, kAtMost, [&] { return most_ >= together; });
      changed_.wait_for(lock, kLongEnough, [&] { return most_ > together; });
      --now_;
    };
  }
  int most() const { return most_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int now_ = 0, most_ = 0;
};

/// A door that stays open.
class Door {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kAtMost, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

TEST(Workers, BeginInTheOrderGiven) {
  std::vector<int> order;
  Workers workers(1, 100);
  for (int i = 0; i < 50; ++i)
    workers.submit(i % 7 * 30, [&order, i](unsigned) { order.push_back(i); });
  workers.wait_for_all();
  EXPECT_EQ(order.size(), 50U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Workers, RunAsManyAtATimeAsThereAreThreads) {
  Running running;
  Workers workers(3, 100);
  for (int i = 0; i < 6; ++i) workers.submit(1, running.piece(3));
  workers.wait_for_all();
  EXPECT_EQ(running.most(), 3);
}

TEST(Workers, RunAsManyAtATimeAsThereIsRoomFor) {
  Running running;
  Workers workers(4, 100);
  for (int i = 0; i < 6; ++i) workers.submit(50, running.piece(2));
  workers.wait_for_all();
  EXPECT_EQ(running.most(), 2);
}

TEST(Workers, APieceThatNeedsMoreThanAllMemoryRunsAlone) {
  Running running;
  Workers workers(3, 100);
  for (const std::uint64_t bytes : {200, 60, 1000, 60}) workers.submit(bytes, running.piece(1));
  workers.wait_for_all();
  EXPECT_EQ(running.most(), 1);
}

TEST(Workers, AreToldTheirOwnNumber) {
  std::mutex mutex;
  std::vector<int> running(2, 0);
  bool is_shared = false;
  Workers workers(2, 100);
  for (int i = 0; i < 20; ++i)
    workers.submit(1, [&](unsigned thread) {
      std::unique_lock lock(mutex);
      is_shared = is_shared || ++running.at(thread) > 1;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
      --running.at(thread);
    });
  workers.wait_for_all();
  EXPECT_FALSE(is_shared);
}

TEST(Workers, StoppedDropWhatHasNotBegun) {
  Door begun, door;
  int ran = 0;
  Workers workers(1, 100);
  workers.submit(1, [&](unsigned) {
    begun.open();
    door.pass();
    ++ran;
  });
  for (int i = 0; i < 5; ++i) workers.submit(1, [&](unsigned) { ++ran; });
  begun.pass();
  workers.stop();
  workers.submit(1, [&](unsigned) { ++ran; });
  door.open();
  workers.wait_for_all();
  EXPECT_EQ(ran, 1);
}

TEST(Workers, ThatGoWaitForWhatHasBegun) {
  Door begun;
  int ran = 0;
  {
    Workers workers(1, 100);
    workers.submit(1, [&](unsigned) {
      begun.open();
      std::this_thread::sleep_for(kLongEnough);
      ++ran;
    });
    workers.submit(1, [&](unsigned) { ran += 100; });
    begun.pass();
  }
  EXPECT_EQ(ran, 1);
}

TEST(Workers, AreWaitedForOneByOneUntilNoneIsLeft) {
  std::atomic<int> ran = 0;
  Workers workers(2, 100);
  EXPECT_FALSE(workers.wait_for_one());
  for (int i = 0; i < 10; ++i)
    workers.submit(1, [&](unsigned) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++ran;
    });
  int waits = 0;
  while (workers.wait_for_one()) ++waits;
  EXPECT_EQ(ran, 10);
  EXPECT_LE(waits, 10);
}

TEST(Workers, GiveBackWhatAPieceHeldBeforeOthersBegin) {
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = held;
  bool is_gone = false;
  Workers workers(2, 1);
  workers.submit(1, [held = std::move(held)](unsigned) {});
  workers.submit(1, [&](unsigned) { is_gone = watched.expired(); });
  workers.wait_for_all();
  EXPECT_TRUE(is_gone);
}

}  // namespace
}  // namespace nadi
