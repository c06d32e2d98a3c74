#include "nadi/read/unpack_packets.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "nadi/input/byte_source.h"

namespace nadi {

bool unpack_zlib(std::string_view packed, std::size_t most_bytes, std::string& out) {
  google::protobuf::io::ArrayInputStream bytes(packed.data(), static_cast<int>(packed.size()));
  google::protobuf::io::GzipInputStream unpacked(&bytes,
                                                 google::protobuf::io::GzipInputStream::ZLIB);
  const void* piece = nullptr;
  for (int size = 0; unpacked.Next(&piece, &size);) {
    if (out.size() + static_cast<std::size_t>(size) > most_bytes) return false;
    out.append(static_cast<const char*>(piece), static_cast<std::size_t>(size));
  }
  return unpacked.ZlibErrorCode() >= 0;
}

bool unpack_zstd(std::string_view packed, std::size_t most_bytes, std::string& out) {
  UnpackLimits limits;
  limits.most_bytes = most_bytes;
  limits.bytes_of_any_ratio = 1 << 16;  // a file may hold many such packets
  ByteSource source = ByteSource::unpack("packets", reader_of(packed), packed.size(), limits);
  out += source.read_up_to(most_bytes);
  return source.damage().empty();
}

}  // namespace nadi
