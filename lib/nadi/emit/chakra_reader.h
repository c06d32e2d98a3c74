// Reads a Chakra file (.et), plain or compressed, message by message.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "et_def.pb.h"
#include "nadi/input/byte_source.h"

namespace nadi {

/// A longer message is not believed: a wrong length must not eat the memory.
inline constexpr std::uint64_t kMaxChakraMessageBytes = 512ULL << 20;

/// Throws Error (kInput) with the node's number and byte where the file is not what it should be.
/// Framing: schema/chakra.md. Offsets count bytes of the unpacked file.
class ChakraReader {
 public:
  enum class MissingMetadata {
    kError,
    kAccept,  ///< a first message that is a node is read as a node
  };

  /// Opens the file ("-" is standard input) and reads the metadata.
  explicit ChakraReader(const std::filesystem::path& path,
                        MissingMetadata missing = MissingMetadata::kError);
  /// The same from any bytes.
  explicit ChakraReader(ByteSource source, MissingMetadata missing = MissingMetadata::kError);

  const ChakraProtoMsg::GlobalMetadata& metadata() const { return metadata_; }
  bool has_metadata() const { return has_metadata_; }

  /// The next node, in file order; false at the end of the file. What node held before is lost.
  bool next(ChakraProtoMsg::Node& node);

  /// Nodes read so far.
  std::uint64_t node_count() const { return node_count_; }
  /// Where the latest message began, its length included.
  std::uint64_t message_offset() const { return message_offset_; }
  const std::string& name() const { return source_.name(); }

 private:
  void read_metadata(MissingMetadata missing);
  bool read_message();
  std::optional<std::uint64_t> read_length();
  bool fill();
  void take_bytes(std::uint64_t length);
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

  ByteSource source_;
  std::vector<char> buffer_;
  std::string_view window_;   // bytes of buffer_ not read yet
  std::string_view message_;  // the current message
  std::string joined_;        // its bytes where they span buffers
  std::uint64_t offset_ = 0, message_offset_ = 0, node_count_ = 0;
  bool has_metadata_ = false, is_first_a_node_ = false;
  ChakraProtoMsg::GlobalMetadata metadata_;
};

}  // namespace nadi
