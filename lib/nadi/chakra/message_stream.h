// The messages of a Chakra file (.et) in file order, their bytes only; plain or gzip.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nadi {

/// The remedy where a file is none.
inline constexpr const char* kPassAGraph =
    "Pass a Chakra graph (.et): length-delimited protobuf messages";

/// Framing: schema/chakra.md. Throws Error (kInput) with file, byte and message number where the
/// file ends early, is damaged or is no Chakra file. Holds 1 MB and the longest message.
class MessageStream {
 public:
  /// A longer message is not believed: a wrong length must not eat the memory.
  static constexpr std::uint64_t kMaxMessageBytes = 512ULL << 20;

  /// Fills a part of the span and gives its size; 0 = end of data.
  using ReadFunction = std::function<std::size_t(std::span<char>)>;

  /// Opens the file; "-" is standard input.
  explicit MessageStream(const std::string& path);
  /// Reads somebody else's bytes, unpacked. `damage` is asked at their end why they end before the
  /// data does; empty = they do not.
  MessageStream(std::string name, ReadFunction read, std::function<std::string()> damage = {});
  ~MessageStream();
  MessageStream(MessageStream&&) noexcept;

  /// Reads the next message; false at the end of the file. Its bytes are valid until the next call.
  bool next(std::string_view& message);

  /// Place at which the latest message began, its length included; bytes of the unpacked file.
  std::uint64_t offset() const { return message_offset_; }
  /// Place at which the latest message ended: its bytes are the last ones before.
  std::uint64_t end() const { return offset_; }
  /// True where the file's bytes are the messages' bytes: it can be read at offset() again.
  bool is_plain() const { return is_plain_; }
  const std::string& name() const { return name_; }

  /// Throws Error (kInput) that names the file and the place of the latest message.
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

 private:
  struct Source;
  bool fill();
  bool read_length(std::uint64_t& length);

  std::string name_;
  std::unique_ptr<Source> source_;
  std::string_view window_;  // bytes of the source's block not read yet
  std::string joined_;       // the current message where it spans blocks
  std::uint64_t offset_ = 0, message_offset_ = 0;
  std::uint64_t count_ = 0;  // of messages, the one being read included
  bool is_plain_ = true;
};

/// The messages of bytes in memory, which must outlive the stream. name stands in messages.
MessageStream messages_of_bytes(std::string_view bytes, std::string name);
MessageStream messages_of_bytes(std::string&& bytes, std::string name) = delete;

}  // namespace nadi
