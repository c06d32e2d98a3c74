#include "nadi/chakra/chakra_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "chakra_bytes.h"
#include "nadi/base/error.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {
namespace {

std::string small_file() {
  ChakraFile file;
  file.metadata.set_version("0.0.4");
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE),
                make_node(300, ChakraProtoMsg::COMP_NODE, {1}),
                make_node(301, ChakraProtoMsg::COMP_NODE, {1, 300}, {1})};
  return frame(file);
}

std::string error_of(const std::string& bytes) {
  try {
    read_bytes(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "no error";
}

TEST(ChakraReader, GivesMetadataThenNodesInFileOrderAndSaysWhereTheyBegin) {
  const std::string bytes = small_file();
  ChakraReader reader(messages_of_bytes(bytes, "x.et"));
  EXPECT_EQ(reader.metadata().version(), "0.0.4");
  ChakraProtoMsg::Node node;
  ASSERT_TRUE(reader.next(node));
  EXPECT_EQ(node.id(), 1U);
  ASSERT_TRUE(reader.next(node));
  EXPECT_EQ(node.id(), 300U);
  ASSERT_TRUE(reader.next(node));
  EXPECT_FALSE(reader.next(node));
  EXPECT_EQ(reader.node_count(), 3U);
}

TEST(ChakraReader, AFileCutAnywhereIsAnErrorUnlessItIsCutBetweenMessages) {
  const std::string bytes = small_file();
  std::size_t readable = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string error = error_of(bytes.substr(0, size));
    if (error == "no error")
      ++readable;
    else
      EXPECT_NE(error.find("test.et"), std::string::npos) << error;
  }
  EXPECT_EQ(readable, 3U);  // after the metadata, the first and the second node
}

TEST(ChakraReader, TheErrorOfACutFileNamesByteAndMessage) {
  const std::string bytes = small_file();
  const std::string error = error_of(bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(error.find("(message 4)"), std::string::npos) << error;
  EXPECT_NE(error.find("byte 40"), std::string::npos) << error;
  EXPECT_NE(error.find("ends within a message"), std::string::npos) << error;
}

TEST(ChakraReader, AFileWithoutMetadataIsRefusedOrAcceptedAsAsked) {
  std::string bytes;
  const auto node = make_node(7, ChakraProtoMsg::COMP_NODE);
  append_framed(node, bytes);
  EXPECT_NE(error_of(bytes).find("no GlobalMetadata"), std::string::npos);
  ChakraReader reader(messages_of_bytes(bytes, "x.et"), ChakraReader::MissingMetadata::kAccept);
  EXPECT_FALSE(reader.has_metadata());
  ChakraProtoMsg::Node first;
  ASSERT_TRUE(reader.next(first));
  EXPECT_EQ(first.id(), 7U);
  EXPECT_FALSE(reader.next(first));
}

TEST(ChakraReader, EmptyMetadataIsMetadata) {
  EXPECT_TRUE(read_bytes(std::string(1, '\0')).nodes.empty());
}

TEST(ChakraReader, AnIncredibleLengthIsAnErrorAndTakesNoMemory) {
  std::string bytes = small_file();
  append_varint(MessageStream::kMaxMessageBytes + 1, bytes);
  EXPECT_NE(error_of(bytes).find("claims"), std::string::npos);
  bytes = small_file();
  append_varint(MessageStream::kMaxMessageBytes, bytes);
  EXPECT_NE(error_of(bytes + "few").find("3 of 536870912 bytes"), std::string::npos);
  EXPECT_NE(error_of(std::string(20, '\xff')).find("no length"), std::string::npos);
}

TEST(ChakraReader, ForeignBytesAreAnError) {
  EXPECT_NE(error_of("{\"nodes\": []}, and so on and on").find("test.et"), std::string::npos);
  std::string bytes = small_file();
  bytes += "\x05nonsense";
  EXPECT_NE(error_of(bytes).find("no Chakra node"), std::string::npos);
}

TEST(ChakraReader, ANameThatIsNoUtf8IsAnErrorAndNothingIsPrinted) {
  ChakraFile file;
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE)};
  std::string bytes = frame(file);
  bytes[bytes.find("node 1")] = '\xff';
  testing::internal::CaptureStderr();
  const std::string error = error_of(bytes);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(error.find("no Chakra node"), std::string::npos) << error;
}

TEST(ChakraReader, AMessageLongerThanTheBufferIsReadWhole) {
  ChakraFile file;
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE), make_node(2, ChakraProtoMsg::COMP_NODE)};
  file.nodes[0].set_name(std::string(5'000'000, 'n'));
  const ChakraFile back = read_bytes(frame(file));
  ASSERT_EQ(back.nodes.size(), 2U);
  EXPECT_EQ(back.nodes[0].name().size(), 5'000'000U);
  EXPECT_EQ(back.nodes[1].id(), 2U);
}

TEST(ChakraReader, AGzippedFileReadsLikeAPlainOneAndACutOneIsAnError) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto plain = folder / "nadi_reader_test.et", packed = folder / "nadi_reader_test.et.gz";
  std::ofstream(plain, std::ios::binary) << small_file();
  ASSERT_EQ(std::system(("gzip -kf " + plain.string()).c_str()), 0);
  const auto count = [](const std::filesystem::path& path) {
    ChakraReader reader{MessageStream(path.string())};
    ChakraProtoMsg::Node node;
    while (reader.next(node)) continue;
    return reader.node_count();
  };
  EXPECT_EQ(count(plain), 3U);
  EXPECT_EQ(count(packed), 3U);
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 9);
  EXPECT_THROW(count(packed), Error);
  EXPECT_THROW(count(folder / "nadi_no_such_file.et"), Error);
}

}  // namespace
}  // namespace nadi
