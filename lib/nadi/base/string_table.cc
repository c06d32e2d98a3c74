#include "nadi/base/string_table.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "nadi/base/error.h"

namespace nadi {
namespace {

constexpr std::size_t kFirstBlockBytes = 1 << 10;  // many tables hold few strings
constexpr std::size_t kBlockBytes = 1 << 18;

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

StringTable::StringTable() : slots_(1024, 0) { intern({}); }

StringTable::StringTable(const StringTable& other) : StringTable() {
  for (const std::string_view text : other.texts_) intern(text);
}

std::size_t StringTable::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = slots_[slot];
    if (entry == 0) return slot;
    if (hashes_[entry - 1] == hash >> 32 && texts_[entry - 1] == text) return slot;
  }
}

StringId StringTable::intern(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != 0) return StringId{slots_[slot] - 1};
  if (texts_.size() >= 0xfffffffeU)
    throw Error(ErrorCode::kInput, "string table", "more than 4 billion distinct strings",
                "Convert the trace in pieces (`steps`)");
  char* copy = reserve(text.size());
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  texts_.emplace_back(copy, text.size());
  hashes_.push_back(static_cast<std::uint32_t>(hash >> 32));
  slots_[slot] = static_cast<std::uint32_t>(texts_.size());
  const StringId id{static_cast<std::uint32_t>(texts_.size() - 1)};
  if (texts_.size() * 2 > slots_.size()) grow();
  return id;
}

StringId StringTable::find(std::string_view text) const {
  const std::uint32_t entry = slots_[slot_of(text, hash_of(text))];
  return entry == 0 ? StringId::kEmpty : StringId{entry - 1};
}

void StringTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < texts_.size(); ++id) {
    std::size_t slot = hash_of(texts_[id]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(id + 1);
  }
}

char* StringTable::reserve(std::size_t bytes) {
  if (blocks_.empty() || block_used_ + bytes > block_size_) {
    block_size_ = std::max(bytes, std::clamp(2 * block_size_, kFirstBlockBytes, kBlockBytes));
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_bytes_ += block_size_;
    block_used_ = 0;
  }
  char* place = blocks_.back().get() + block_used_;
  block_used_ += bytes;
  return place;
}

std::size_t StringTable::memory_bytes() const {
  return block_bytes_ + texts_.capacity() * sizeof(texts_[0]) + slots_.capacity() * 4 +
         hashes_.capacity() * 4;
}

std::vector<StringId> StringTable::absorb(StringTable&& other) {
  std::vector<StringId> ids;
  ids.reserve(other.size());
  for (std::string_view text : other.texts_) ids.push_back(intern(text));
  other = StringTable();
  return ids;
}

}  // namespace nadi
