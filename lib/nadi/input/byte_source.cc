#include "nadi/input/byte_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "nadi/base/error.h"
#include "nadi/input/apple_double.h"
#include "nadi/input/archive.h"
#include "nadi/input/raw_stream.h"
#include "nadi/input/read_ahead.h"
#include "nadi/input/unpack.h"

namespace nadi {
namespace {

constexpr std::size_t kPeekBytes = 512;   // a tar header
constexpr std::size_t kHeadBytes = 4096;  // looked at for Finder data

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

/// "archive.tar.gz:member" -> the two; a file that is really called so wins.
std::pair<std::string, std::string> split_member(std::string_view path) {
  const std::string whole(path);
  if (whole == "-" || is_file(whole)) return {whole, {}};
  for (std::size_t colon = whole.find(':'); colon != std::string::npos;
       colon = whole.find(':', colon + 1)) {
    const std::string file = whole.substr(0, colon);
    if (colon > 0 && colon + 1 < whole.size() && (file == "-" || is_file(file)))
      return {file, whole.substr(colon + 1)};
  }
  return {whole, {}};
}

}  // namespace

ByteSource ByteSource::open(std::string_view path) {
  const auto [file, member] = split_member(path);
  auto raw = std::make_unique<RawFile>(file);
  std::unique_ptr<Stream> stream;
  const std::string_view head = raw->peek(kPeekBytes);
  if (is_archive(head) || is_compressed(head) || !member.empty())
    stream = open_archive(std::move(raw), file, member);
  else
    stream = std::move(raw);
  ByteSource source(file == "-" ? "standard input" : std::string(path), std::move(stream));
  source.skip_finder_data();
  if (member.empty() || !is_compressed(source.head())) return source;
  const auto packed = std::make_shared<ByteSource>(std::move(source));
  return unpack(packed->name_, [packed](std::span<char> into) { return packed->read(into); });
}

ByteSource ByteSource::open(const std::string& path, const UnpackLimits& limits) {
  auto stream = unpack_once(std::make_unique<RawFile>(path), path, limits);
  const bool was_packed = !stream->container.empty();
  ByteSource source(path, std::move(stream));
  source.skip_finder_data();
  const bool is_more = is_archive(source.head()) || (was_packed && is_compressed(source.head()));
  return is_more ? open(path) : std::move(source);
}

ByteSource ByteSource::unpack(std::string name, ReadFunction read, std::uint64_t total,
                              const UnpackLimits& limits) {
  auto raw = std::make_unique<RawFunction>(std::move(read), total);
  auto stream = unpack_once(std::move(raw), name, limits);
  const bool was_packed = !stream->container.empty();
  ByteSource source(std::move(name), std::move(stream));
  source.skip_finder_data();
  if (is_archive(source.head()))
    throw Error(ErrorCode::kInput, source.name_, "is an archive inside an archive or a pipe",
                "Unpack it, or pass it as a file of its own");
  if (was_packed && is_compressed(source.head()))
    throw Error(ErrorCode::kInput, source.name_, "it is packed more than once", "Unpack it first");
  return source;
}

ByteSource ByteSource::read_ahead(ByteSource source) {
  if (!source.container().empty() && source.total() > 0)
    source.stream_ = nadi::read_ahead(std::move(source.stream_));
  return source;
}

void ByteSource::skip_finder_data() {
  ahead_.resize(kHeadBytes);
  ahead_.resize(stream_->fill(ahead_));
  ahead_used_ = std::min(ahead_.size(), apple_double_bytes(ahead_));
}

ByteSource::ByteSource(std::string name, ReadFunction read, std::uint64_t total)
    : ByteSource(std::move(name), std::make_unique<RawFunction>(std::move(read), total)) {}

ByteSource::ByteSource(std::string name, std::unique_ptr<Stream> stream)
    : name_(std::move(name)), stream_(std::move(stream)) {}

ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> into) {
  if (into.empty()) return 0;
  if (ahead_used_ == ahead_.size()) return stream_->read(into);
  const std::size_t got = std::min(into.size(), ahead_.size() - ahead_used_);
  std::memcpy(into.data(), ahead_.data() + ahead_used_, got);
  ahead_used_ += got;
  return got;
}

std::string ByteSource::read_up_to(std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  std::size_t size = 0;
  while (const std::size_t count = read(std::span(text).subspan(size))) size += count;
  text.resize(size);
  return text;
}
std::uint64_t ByteSource::consumed() const { return stream_->consumed; }
std::uint64_t ByteSource::total() const { return stream_->total; }
const std::string& ByteSource::damage() const { return stream_->damage; }
const std::string& ByteSource::container() const { return stream_->container; }

ByteSource::ReadFunction reader_of(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable {
    const std::size_t size = bytes.copy(into.data(), into.size());
    bytes.remove_prefix(size);
    return size;
  };
}

ByteSource source_of_bytes(std::string_view bytes, std::string name) {
  return ByteSource(std::move(name), reader_of(bytes), bytes.size());
}

}  // namespace nadi
