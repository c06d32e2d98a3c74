#include "nadi/sim_bridge/feeder/byte_window.h"

#include <algorithm>

#include "nadi/base/error.h"

namespace nadi {

ByteWindow::ByteWindow(NodeFile file, std::size_t window_bytes)
    : file_(std::move(file)), max_blocks_(std::max<std::size_t>(2, window_bytes / kBlockBytes)) {}

std::string ByteWindow::read(std::uint64_t offset, std::size_t size) {
  std::string result;
  if (size >= kBlockBytes) {  // would push everything else out
    result.resize(size);
    if (file_.read_at(offset, result.data(), size) < size) fail_short();
    return result;
  }
  result.reserve(size);
  while (result.size() < size) {
    const std::uint64_t at = offset + result.size();
    const std::string& bytes = block(at / kBlockBytes);
    const std::size_t begin = at % kBlockBytes;
    if (begin >= bytes.size()) fail_short();
    result.append(bytes, begin, size - result.size());
  }
  return result;
}

const std::string& ByteWindow::block(std::uint64_t number) {
  const auto known = index_of_.find(number);
  if (known != index_of_.end()) {
    blocks_[known->second].is_used = true;
    return blocks_[known->second].bytes;
  }
  Block& place = replace_block();
  place.number = number;
  place.bytes.resize(kBlockBytes);
  place.bytes.resize(file_.read_at(number * kBlockBytes, place.bytes.data(), kBlockBytes));
  index_of_[number] = static_cast<std::size_t>(&place - blocks_.data());
  return place.bytes;
}

// The clock: the first block not used since the hand's last round.
ByteWindow::Block& ByteWindow::replace_block() {
  if (blocks_.size() < max_blocks_) return blocks_.emplace_back();
  while (blocks_[hand_].is_used) {
    blocks_[hand_].is_used = false;
    hand_ = (hand_ + 1) % blocks_.size();
  }
  Block& place = blocks_[hand_];
  hand_ = (hand_ + 1) % blocks_.size();
  index_of_.erase(place.number);
  return place;
}

void ByteWindow::fail_short() const {
  throw Error(ErrorCode::kInput, file_.name(), "has become shorter since it was opened",
              "Let nobody write the file while it is read");
}

}  // namespace nadi
