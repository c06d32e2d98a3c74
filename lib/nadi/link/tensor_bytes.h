// The size of tensors that a trace describes.
#pragma once

#include <cstdint>
#include <string_view>

namespace nadi {

/// Bytes of the tensors that `dims` ("[[8, 4], []]") and `types` ("[\"float\", \"\"]") describe,
/// both JSON text as Kineto writes it; -1 = they describe none.
std::int64_t tensor_bytes(std::string_view dims, std::string_view types);

}  // namespace nadi
