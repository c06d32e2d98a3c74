// The lengths of the elements of tensors, by the name of their type.
#pragma once

#include <cstdint>
#include <string_view>

namespace nadi {

/// Bytes of one element of "Float", "long int", "c10::BFloat16", "Float8_e4m3fn", "int64": the
/// names of PyTorch's types, of ATen's, c10's and C++'s, whatever their case and punctuation; 0 =
/// unknown.
std::int64_t dtype_bytes(std::string_view dtype);

}  // namespace nadi
