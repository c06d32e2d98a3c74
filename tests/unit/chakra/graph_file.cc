#include "tests/unit/chakra/graph_file.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>

#include "nadi/chakra/wire_writer.h"

namespace nadi::test {

std::string framed(const google::protobuf::Message& message) {
  std::string bytes;
  append_framed(message, bytes);
  return bytes;
}

ChakraProtoMsg::Node node(std::uint64_t id, std::vector<std::uint64_t> data_deps,
                          std::vector<std::pair<std::string, std::int64_t>> attributes) {
  ChakraProtoMsg::Node made;
  made.set_id(id);
  made.set_name("node " + std::to_string(id));
  made.set_type(ChakraProtoMsg::COMP_NODE);
  for (const std::uint64_t dep : data_deps) made.add_data_deps(dep);
  for (const auto& [name, value] : attributes) {
    auto* attribute = made.add_attr();
    attribute->set_name(name);
    attribute->set_int64_val(value);
  }
  return made;
}

std::string graph_bytes(const std::vector<ChakraProtoMsg::Node>& nodes) {
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version("0.0.4");
  std::string bytes = framed(metadata);
  for (const auto& each : nodes) bytes += framed(each);
  return bytes;
}

std::string gzipped(const std::string& bytes) {
  std::string packed;
  google::protobuf::io::StringOutputStream stream(&packed);
  google::protobuf::io::GzipOutputStream gzip(&stream);
  void* data = nullptr;
  int size = 0;
  std::size_t done = 0;
  while (done < bytes.size() && gzip.Next(&data, &size)) {
    const std::size_t piece =
        std::min<std::size_t>(static_cast<std::size_t>(size), bytes.size() - done);
    std::memcpy(data, bytes.data() + done, piece);
    done += piece;
    gzip.BackUp(size - static_cast<int>(piece));
  }
  gzip.Close();
  return packed;
}

}  // namespace nadi::test
