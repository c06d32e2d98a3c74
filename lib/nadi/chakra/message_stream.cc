#include "nadi/chakra/message_stream.h"

#include <fcntl.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "nadi/base/error.h"

namespace nadi {

namespace {

using google::protobuf::io::CopyingInputStream;
using google::protobuf::io::CopyingInputStreamAdaptor;
using google::protobuf::io::FileInputStream;
using google::protobuf::io::GzipInputStream;
using google::protobuf::io::ZeroCopyInputStream;

constexpr int kBlockBytes = 1 << 20;
constexpr const char* kWriteAgain =
    "Write the file again: a simulator would silently lose its tail";

int open_to_read(const std::string& path) {
  const int file = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error(ErrorCode::kInput, path,
                "cannot be opened: " + std::generic_category().message(errno),
                "Check the path and its permissions");
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISDIR(status.st_mode)) return file;
  ::close(file);
  throw Error(ErrorCode::kInput, path, "is a folder", "Pass the graphs in it: " + path + "/*.et");
}

/// Somebody else's bytes.
class GivenBytes final : public CopyingInputStream {
 public:
  explicit GivenBytes(MessageStream::ReadFunction read) : read_(std::move(read)) {}
  int Read(void* buffer, int size) override {
    return static_cast<int>(read_({static_cast<char*>(buffer), static_cast<std::size_t>(size)}));
  }

 private:
  MessageStream::ReadFunction read_;
};

constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd";

}  // namespace

/// One of three: a file, its gzip data unpacked, or given bytes.
struct MessageStream::Source {
  explicit Source(int descriptor) {
    file.emplace(descriptor, kBlockBytes);
    file->SetCloseOnDelete(true);
    if (!begins_with(kGzip)) return;
    gzip.emplace(&*file, GzipInputStream::GZIP, kBlockBytes);
  }
  Source(ReadFunction read, std::function<std::string()> damage_of_given)
      : damage(std::move(damage_of_given)) {
    given =
        std::make_unique<CopyingInputStreamAdaptor>(new GivenBytes(std::move(read)), kBlockBytes);
    given->SetOwnsCopyingStream(true);
  }

  /// Looks at the file's first bytes and puts them back.
  bool begins_with(std::string_view magic) {
    const void* data = nullptr;
    int size = 0;
    if (!file->Next(&data, &size)) return false;
    const std::string_view bytes(static_cast<const char*>(data), static_cast<std::size_t>(size));
    file->BackUp(size);
    return bytes.starts_with(magic);
  }
  ZeroCopyInputStream& stream() {
    if (given) return *given;
    return gzip ? static_cast<ZeroCopyInputStream&>(*gzip) : *file;
  }

  std::optional<FileInputStream> file;
  std::optional<GzipInputStream> gzip;  // goes through members packed one after the other
  bool is_member_whole = false;         // the last one begun
  std::unique_ptr<CopyingInputStreamAdaptor> given;
  std::function<std::string()> damage;  // of what is given; may be none
};

MessageStream::MessageStream(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      source_(std::make_unique<Source>(open_to_read(path))),
      is_plain_(!source_->gzip) {
  if (is_plain_ && source_->begins_with(kZstd))
    fail("is packed with zstd, and simulators read graphs that are plain or gzip",
         "Unpack it: zstd -d " + path);
}

MessageStream::MessageStream(std::string name, ReadFunction read,
                             std::function<std::string()> damage)
    : name_(std::move(name)),
      source_(std::make_unique<Source>(std::move(read), std::move(damage))),
      is_plain_(false) {}

MessageStream::~MessageStream() = default;
MessageStream::MessageStream(MessageStream&&) noexcept = default;

// Copies only where a message spans blocks, and only what is there: a wrong length costs no memory.
bool MessageStream::next(std::string_view& message) {
  message_offset_ = offset_;
  std::uint64_t length = 0;
  ++count_;
  if (!read_length(length)) {
    --count_;
    return false;
  }
  if (length > kMaxMessageBytes)
    fail("a message claims " + std::to_string(length) + " bytes, more than the " +
             std::to_string(kMaxMessageBytes) + " that are believed",
         kPassAGraph);
  offset_ += length;
  if (length <= window_.size()) {
    message = window_.substr(0, length);
    window_.remove_prefix(length);
    return true;
  }
  joined_.clear();
  while (joined_.size() < length) {
    if (window_.empty() && !fill())
      fail("the file ends within a message: " + std::to_string(joined_.size()) + " of " +
               std::to_string(length) + " bytes are there",
           kWriteAgain);
    const auto piece = std::min<std::size_t>(window_.size(), length - joined_.size());
    joined_ += window_.substr(0, piece);
    window_.remove_prefix(piece);
  }
  message = joined_;
  return true;
}

// False at a clean end of the file.
bool MessageStream::read_length(std::uint64_t& length) {
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (window_.empty() && !fill()) {
      if (shift == 0) return false;
      fail("the file ends within the length of a message", kWriteAgain);
    }
    const auto byte = static_cast<unsigned char>(window_.front());
    window_.remove_prefix(1);
    ++offset_;
    length |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return true;
  }
  fail("here is no length of a message", kPassAGraph);
}

bool MessageStream::fill() {
  const void* data = nullptr;
  int size = 0;
  do {
    if (source_->stream().Next(&data, &size)) {
      if (source_->gzip) source_->is_member_whole = source_->gzip->ZlibErrorCode() == Z_STREAM_END;
      continue;
    }
    if (source_->given) {
      if (const std::string damage = source_->damage ? source_->damage() : ""; !damage.empty())
        fail("the data is damaged (" + damage + ")", kWriteAgain);
      return false;
    }
    if (source_->file->GetErrno() != 0)
      fail("cannot be read: " + std::generic_category().message(source_->file->GetErrno()), "");
    if (source_->gzip) {
      const char* problem = source_->gzip->ZlibErrorMessage();
      if (problem != nullptr)
        fail(std::string("the gzip data is damaged (") + problem + ")", kWriteAgain);
      // The end of a cut file looks like any other end to protobuf's stream.
      if (!source_->is_member_whole) fail("the gzip data is cut", kWriteAgain);
    }
    return false;
  } while (size == 0);
  window_ = {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  return true;
}

void MessageStream::fail(const std::string& what, const std::string& remedy) const {
  throw Error(ErrorCode::kInput,
              name_ + ", byte " + std::to_string(message_offset_) + " (message " +
                  std::to_string(std::max<std::uint64_t>(count_, 1)) + ")",
              what, remedy);
}

MessageStream messages_of_bytes(std::string_view bytes, std::string name) {
  return {std::move(name), [bytes](std::span<char> into) mutable {
            const std::size_t size = bytes.copy(into.data(), into.size());
            bytes.remove_prefix(size);
            return size;
          }};
}

}  // namespace nadi
