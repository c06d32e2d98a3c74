// The progress of two readers as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "nadi/read/progress.h"

namespace nadi {

/// Adds up what several readers have read, and calls the caller's progress one at a time.
class JointProgress {
 public:
  explicit JointProgress(const Progress& progress) : progress_(progress) {}

  /// The progress to give to one reader; the object must outlive the reading.
  Progress part(std::size_t which) {
    if (!progress_) return {};
    return [this, which](std::uint64_t read, std::uint64_t total) {
      const std::lock_guard lock(mutex_);
      read_[which] = read;
      total_[which] = total;
      progress_(read_[0] + read_[1], total_[0] + total_[1]);
    };
  }

 private:
  const Progress& progress_;
  std::mutex mutex_;
  std::uint64_t read_[2] = {0, 0}, total_[2] = {0, 0};
};

}  // namespace nadi
