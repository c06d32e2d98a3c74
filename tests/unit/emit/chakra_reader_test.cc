#include "nadi/chakra/chakra_reader.h"

#include <gtest/gtest.h>

#include "chakra_bytes.h"
#include "nadi/chakra/wire_writer.h"
#include "tests/error_of.h"

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

std::string refusal(const std::string& bytes) {
  const Error error = error_of([&] { read_bytes(bytes); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_FALSE(error.remedy().empty());
  return error.what();
}

TEST(ChakraReader, TheErrorOfACutFileNamesByteAndMessage) {
  const std::string bytes = small_file();
  const std::string error = refusal(bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(error.find("(message 4)"), std::string::npos) << error;
  EXPECT_NE(error.find("byte 40"), std::string::npos) << error;
  EXPECT_NE(error.find("ends within a message"), std::string::npos) << error;
}

TEST(ChakraReader, EmptyMetadataIsMetadata) {
  EXPECT_TRUE(read_bytes(std::string(1, '\0')).nodes.empty());
}

TEST(ChakraReader, AnIncredibleLengthIsAnErrorAndTakesNoMemory) {
  std::string bytes = small_file();
  append_varint(MessageStream::kMaxMessageBytes + 1, bytes);
  EXPECT_NE(refusal(bytes).find("claims"), std::string::npos);
  bytes = small_file();
  append_varint(MessageStream::kMaxMessageBytes, bytes);
  EXPECT_NE(refusal(bytes + "few").find("3 of 536870912 bytes"), std::string::npos);
  EXPECT_NE(refusal(std::string(20, '\xff')).find("no length"), std::string::npos);
}

TEST(ChakraReader, ForeignBytesAreAnError) {
  EXPECT_NE(refusal("{\"nodes\": []}, and so on and on").find("test.et"), std::string::npos);
  std::string bytes = small_file();
  bytes += "\x05nonsense";
  EXPECT_NE(refusal(bytes).find("no Chakra node"), std::string::npos);
}

TEST(ChakraReader, ANameThatIsNoUtf8IsAnErrorAndNothingIsPrinted) {
  ChakraFile file;
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE)};
  std::string bytes = frame(file);
  bytes[bytes.find("node 1")] = '\xff';
  testing::internal::CaptureStderr();
  const std::string error = refusal(bytes);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(error.find("no Chakra node"), std::string::npos) << error;
}

}  // namespace
}  // namespace nadi
