#include "nadi/record/thread_log.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace nadi::record {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;
constexpr std::size_t kFirstFree = 64;  // 4 MiB
constexpr std::size_t kMostFree = 256;

std::unique_ptr<Chunk> make_chunk(std::size_t size) {
  auto chunk = std::unique_ptr<Chunk>(new (std::nothrow) Chunk);
  if (chunk == nullptr) return nullptr;
  chunk->bytes.reset(new (std::nothrow) std::byte[size]);
  chunk->capacity = size;
  return chunk->bytes == nullptr ? nullptr : std::move(chunk);
}

}  // namespace

ChunkPool::ChunkPool(std::uint64_t most_bytes) : most_bytes_(most_bytes) {
  for (std::size_t i = 0; i < std::min<std::uint64_t>(kFirstFree, most_bytes / kChunkBytes); ++i) {
    auto chunk = make_chunk(kChunkBytes);
    if (chunk == nullptr) return;
    std::memset(chunk->bytes.get(), 0xff, kChunkBytes);
    free_.push_back(std::move(chunk));
  }
}

std::unique_ptr<Chunk> ChunkPool::take(std::size_t size, std::size_t filled) {
  std::unique_lock lock(mutex_);
  if (filled > 0) {
    filled_bytes_ += filled;
    has_filled_ = true;
    has_work_.notify_one();
    if (filled_bytes_ > most_bytes_ && !is_closed_) ++stalls_;
    has_room_.wait(lock, [&] { return is_closed_ || filled_bytes_ <= most_bytes_; });
  }
  if (is_closed_) return nullptr;
  if (size > kChunkBytes || free_.empty()) {
    lock.unlock();
    auto made = make_chunk(std::max(size, kChunkBytes));
    if (made == nullptr) fail();
    return made;
  }
  auto chunk = std::move(free_.back());
  free_.pop_back();
  return chunk;
}

void ChunkPool::give_back(std::unique_ptr<Chunk> chunk) {
  const std::lock_guard lock(mutex_);
  filled_bytes_ -= std::min<std::uint64_t>(filled_bytes_, chunk->capacity);
  has_room_.notify_all();
  if (chunk->capacity != kChunkBytes || free_.size() >= kMostFree) return;
  chunk->committed.store(0, std::memory_order_relaxed);
  free_.push_back(std::move(chunk));
}

void ChunkPool::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  has_room_.notify_all();
  has_work_.notify_all();
}

void ChunkPool::fail() noexcept {
  has_failed_ = true;
  close();
}

bool ChunkPool::wait(Ns most) {
  std::unique_lock lock(mutex_);
  has_work_.wait_for(lock, std::chrono::nanoseconds(most),
                     [&] { return is_closed_ || has_filled_; });
  has_filled_ = false;
  return !is_closed_;
}

ThreadLog::Front ThreadLog::front() {
  const std::lock_guard lock(mutex_);
  if (chunks_.empty()) return {nullptr, true};
  return {chunks_.front().get(), chunks_.size() == 1};
}

void ThreadLog::release_front() {
  std::unique_ptr<Chunk> chunk;
  {
    const std::lock_guard lock(mutex_);
    chunk = std::move(chunks_.front());
    chunks_.pop_front();
  }
  read_ = 0;
  pool_->give_back(std::move(chunk));
}

std::byte* ThreadLog::next_chunk(std::size_t bytes) {
  auto chunk = pool_->take(bytes, current_ == nullptr ? 0 : current_->capacity);
  Chunk* const next = chunk.get();
  if (next == nullptr || !keep(std::move(chunk))) {
    at_ = end_ = nullptr;  // nothing fits any more
    return nullptr;
  }
  current_ = next;
  at_ = next->bytes.get();
  end_ = at_ + next->capacity;
  return at_;
}

bool ThreadLog::keep(std::unique_ptr<Chunk> chunk) {
  try {
    const std::lock_guard lock(mutex_);
    chunks_.push_back(std::move(chunk));
    return true;
  } catch (const std::bad_alloc&) {
    pool_->fail();
    return false;
  }
}

}  // namespace nadi::record
