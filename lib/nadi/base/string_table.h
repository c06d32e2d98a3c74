// Interned strings: equal text has equal StringId, text stays where it is for the table's life.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace nadi {

/// Index into a StringTable. 0 is the empty string in every table.
enum class StringId : std::uint32_t { kEmpty = 0 };

class StringTable {
 public:
  StringTable();
  /// Interns all of other's strings, under the same ids.
  explicit StringTable(const StringTable& other);
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  /// The id of text, adding it if new. Amortised O(length).
  StringId intern(std::string_view text);
  /// The id of text if it is in the table, else kEmpty.
  StringId find(std::string_view text) const;
  std::string_view text(StringId id) const { return texts_[static_cast<std::uint32_t>(id)]; }
  std::string_view operator[](StringId id) const { return text(id); }
  /// Number of distinct strings, the empty one included.
  std::size_t size() const { return texts_.size(); }
  /// Bytes held for text, index and slots.
  std::size_t memory_bytes() const;
  /// Interns all of other's strings here; result[id in other] = id here. Other is left empty.
  std::vector<StringId> absorb(StringTable&& other);

 private:
  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();
  char* reserve(std::size_t bytes);

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_;   // open addressing; 0 = free, else id + 1
  std::vector<std::uint32_t> hashes_;  // upper half of the hash, by id
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = 0, block_size_ = 0, block_bytes_ = 0;
};

}  // namespace nadi
