// A window of bounded size on a file: the blocks read last.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "nadi/sim_bridge/feeder/node_file.h"

namespace nadi {

/// Nodes are fed nearly in file order, so a block is read once and serves its neighbours; a jump
/// costs one block.
class ByteWindow {
 public:
  static constexpr std::size_t kBlockBytes = 64 << 10;

  /// Holds window_bytes at most, but at least two blocks.
  ByteWindow(NodeFile file, std::size_t window_bytes);

  /// The bytes at the place. Throws Error (kInput) where the file has become shorter.
  std::string read(std::uint64_t offset, std::size_t size);

  const NodeFile& file() const { return file_; }
  /// Bytes the blocks hold now.
  std::size_t held_bytes() const { return blocks_.size() * kBlockBytes; }

 private:
  struct Block {
    std::uint64_t number = 0;
    bool is_used = false;  // since the hand passed
    std::string bytes;
  };
  const std::string& block(std::uint64_t number);
  Block& replace_block();
  [[noreturn]] void fail_short() const;

  NodeFile file_;
  std::size_t max_blocks_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint64_t, std::size_t> index_of_;  // block number -> blocks_
  std::size_t hand_ = 0;                                     // of the clock
};

}  // namespace nadi
