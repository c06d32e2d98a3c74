#include "nadi/input/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <string>
#include <utility>

#include "nadi/base/beside.h"

namespace nadi {
namespace {

constexpr std::size_t kAheadBytes = 1 << 20;

/// What was read at a time; without bytes, the end of the stream.
struct Block {
  std::string bytes;
  std::uint64_t consumed = 0;  // of the file, with this block
};

class AheadStream : public ByteSource::Stream {
 public:
  explicit AheadStream(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {
    consumed = stream_->consumed;
    total = stream_->total;
    container = stream_->container;
    begin_next();
  }

  std::size_t read(std::span<char> into) override {
    if (used_ == block_.bytes.size() && !take_next()) return 0;
    const std::size_t size = std::min(into.size(), block_.bytes.size() - used_);
    std::memcpy(into.data(), block_.bytes.data() + used_, size);
    used_ += size;
    return size;
  }

 private:
  void begin_next() {
    reading_ = begin_beside([this] { fill_next(); });
  }

  void fill_next() {
    next_.bytes.resize(kAheadBytes);
    next_.bytes.resize(stream_->fill(next_.bytes));
    next_.consumed = stream_->consumed;
  }

  /// False = the stream has ended.
  bool take_next() {
    if (!reading_.valid()) return false;
    reading_.get();
    std::swap(block_, next_);
    used_ = 0;
    consumed = block_.consumed;
    if (block_.bytes.empty())
      damage = stream_->damage;
    else
      begin_next();
    return !block_.bytes.empty();
  }

  std::unique_ptr<Stream> stream_;  // like next_, the thread's while reading_ is valid
  Block block_, next_;
  std::size_t used_ = 0;
  std::future<void> reading_;  // last: its thread uses the others
};

}  // namespace

std::unique_ptr<ByteSource::Stream> read_ahead(std::unique_ptr<ByteSource::Stream> stream) {
  return std::make_unique<AheadStream>(std::move(stream));
}

}  // namespace nadi
