#include "nadi/emit/chakra_reader.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "nadi/base/error.h"

namespace nadi {
namespace {

using ChakraProtoMsg::GlobalMetadata;

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr const char* kWriteAgain =
    "Write the file again: a simulator would silently lose its tail";
constexpr const char* kWhatIsEt =
    "Pass a Chakra graph (.et): length-delimited protobuf messages, plain or compressed";

// Protobuf would write its own complaints to standard error.
template <class Message>
bool parse(std::string_view bytes, Message& message) {
  const google::protobuf::LogSilencer silence;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// A node has numbers as its fields 1 (id) and 3 (type); metadata has text as its field 1 and no 3.
bool has_node_fields(const GlobalMetadata& metadata) {
  const auto& unknown = metadata.GetReflection()->GetUnknownFields(metadata);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto& field = unknown.field(i);
    const bool is_number = field.type() == google::protobuf::UnknownField::TYPE_VARINT;
    if (is_number && (field.number() == 1 || field.number() == 3)) return true;
  }
  return false;
}

}  // namespace

ChakraReader::ChakraReader(const std::filesystem::path& path, MissingMetadata missing)
    : ChakraReader(ByteSource::open(path.string()), missing) {}

ChakraReader::ChakraReader(ByteSource source, MissingMetadata missing)
    : source_(std::move(source)), buffer_(kBufferBytes) {
  read_metadata(missing);
}

void ChakraReader::read_metadata(MissingMetadata missing) {
  if (!read_message()) fail("is empty", kWhatIsEt);
  const bool is_metadata = parse(message_, metadata_) && !has_node_fields(metadata_);
  has_metadata_ = is_metadata;
  if (is_metadata) return;
  metadata_.Clear();
  ChakraProtoMsg::Node node;
  if (!parse(message_, node)) fail("the first message is no GlobalMetadata", kWhatIsEt);
  if (missing == MissingMetadata::kError)
    fail("the first message is a node, not GlobalMetadata",
         "Write GlobalMetadata first: readers take the first message for it and lose the node");
  is_first_a_node_ = true;
}

bool ChakraReader::next(ChakraProtoMsg::Node& node) {
  if (is_first_a_node_) {
    is_first_a_node_ = false;
  } else if (!read_message()) {
    return false;
  }
  if (!parse(message_, node))
    fail("here is no Chakra node, or one whose text is not UTF-8", kWhatIsEt);
  ++node_count_;
  return true;
}

// False at a clean end of the file.
bool ChakraReader::read_message() {
  message_offset_ = offset_;
  const auto length = read_length();
  if (!length) return false;
  if (*length > kMaxChakraMessageBytes)
    fail("a message claims " + std::to_string(*length) + " bytes, more than the " +
             std::to_string(kMaxChakraMessageBytes) + " that are believed",
         kWhatIsEt);
  take_bytes(*length);
  return true;
}

std::optional<std::uint64_t> ChakraReader::read_length() {
  std::uint64_t length = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (window_.empty() && !fill()) {
      if (shift == 0) return std::nullopt;
      fail("the file ends within the length of a message", kWriteAgain);
    }
    const auto byte = static_cast<unsigned char>(window_.front());
    window_.remove_prefix(1);
    ++offset_;
    length |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return length;
  }
  fail("here is no length of a message", kWhatIsEt);
}

// Copies only what is there, so that a wrong length costs no memory.
void ChakraReader::take_bytes(std::uint64_t length) {
  if (length <= window_.size()) {
    message_ = window_.substr(0, length);
    window_.remove_prefix(length);
    offset_ += length;
    return;
  }
  joined_.clear();
  while (joined_.size() < length) {
    if (window_.empty() && !fill())
      fail("the file ends within a message: " + std::to_string(joined_.size()) + " of " +
               std::to_string(length) + " bytes are there",
           kWriteAgain);
    const std::size_t piece = std::min<std::size_t>(window_.size(), length - joined_.size());
    joined_ += window_.substr(0, piece);
    window_.remove_prefix(piece);
    offset_ += piece;
  }
  message_ = joined_;
}

bool ChakraReader::fill() {
  const std::size_t size = source_.read(buffer_);
  window_ = {buffer_.data(), size};
  if (size == 0 && !source_.damage().empty())
    fail("the data is damaged (" + source_.damage() + ")", kWriteAgain);
  return size != 0;
}

void ChakraReader::fail(const std::string& what, const std::string& remedy) const {
  const std::uint64_t message = node_count_ + (has_metadata_ ? 2 : 1);
  throw Error(ErrorCode::kInput,
              source_.name() + ", byte " + std::to_string(message_offset_) + " (message " +
                  std::to_string(message) + ")",
              what, remedy);
}

}  // namespace nadi
