// One recording: the logs of all threads and the thread that writes them into the files.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "nadi/record/session.h"
#include "nadi/record/thread_log.h"
#include "nadi/record/thread_replay.h"
#include "nadi/record/ticks.h"
#include "nadi/record/trace_pair.h"

namespace nadi::record {

class Recording {
 public:
  /// Creates the files and starts the writer. Throws as start() does.
  Recording(const Settings& settings, std::uint64_t generation);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Adds a log for the calling thread.
  std::shared_ptr<ThreadLog> add_thread();
  /// Ends it for lack of memory: what has been logged so far is still written.
  void fail() noexcept { pool_->fail(); }
  /// Ends it. Throws Error where a file could not be written, or memory ran out.
  Summary finish();

 private:
  struct Lane {
    std::shared_ptr<ThreadLog> log;
    ThreadReplay replay;
  };

  void write_loop();
  void drain();
  void close_open_ops();
  void join_writer();
  Clock tick_clock() const;

  const Settings settings_;
  const std::uint64_t generation_;
  const std::shared_ptr<ChunkPool> pool_;
  TickScale scale_;
  TracePair traces_;
  Summary summary_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<ThreadLog>> new_logs_;  ///< under mutex_
  std::uint64_t threads_ = 0;                         ///< under mutex_
  std::vector<std::unique_ptr<Lane>> lanes_;          ///< the writer's own
  std::exception_ptr failure_;                        ///< the writer's, until it has ended
  std::thread writer_;
};

}  // namespace nadi::record
