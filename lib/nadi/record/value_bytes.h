// Values of ops as bytes in a log, and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "nadi/record/event_bytes.h"
#include "nadi/record/value.h"

namespace nadi::record {

/// PyTorch's observer cuts lists here, too (H5).
inline constexpr std::size_t kMostListEntries = 4096;
inline constexpr std::size_t kMostDimensions = 64;  // as many as a tensor of PyTorch has
inline constexpr std::size_t kMostTensorTextBytes = 4096;

/// The fixed part of a tensor, without gaps; its shape, strides, device and type follow.
struct TensorFacts {
  std::uint64_t id, storage;
  std::int64_t offset, elements, element_bytes;
  std::uint16_t dimensions, strides, device_bytes, type_bytes;
};
static_assert(sizeof(TensorFacts) == 5 * 8 + 4 * 2, "put_tensor writes the fields alone");

/// Bytes that put_value will need at most.
std::size_t list_value_bound(const Value& value);
inline std::size_t tensor_bound(const Tensor& tensor) {
  return sizeof(TensorFacts) + (tensor.shape.size() + tensor.strides.size()) * 8 +
         tensor.device.size() + tensor.type.size();
}
inline std::size_t value_bound(const Value& value) {
  if (value.kind() == Value::Kind::kTensor) [[likely]]
    return 1 + tensor_bound(value.tensor());
  return list_value_bound(value);
}
inline std::size_t values_bound(std::span<const Value> values) {
  std::size_t bound = 0;
  for (const Value& value : values) bound += value_bound(value);
  return bound;
}

/// Field by field, as TensorFacts has them: a struct put together first would be read back in other
/// pieces than it was written, for which the processor waits. Through a writer of its own, which no
/// byte that is written can be.
inline void put_tensor(EventWriter& to, const Tensor& tensor) {
  EventWriter writer(to);
  const std::size_t dimensions = std::min(tensor.shape.size(), kMostDimensions);
  const std::size_t strides = std::min(tensor.strides.size(), kMostDimensions);
  const std::size_t device_bytes = std::min(tensor.device.size(), kMostTensorTextBytes);
  const std::size_t type_bytes = std::min(tensor.type.size(), kMostTensorTextBytes);
  writer.put(tensor.id);
  writer.put(tensor.storage);
  writer.put(tensor.offset);
  writer.put(tensor.elements);
  writer.put(tensor.element_bytes);
  writer.put(static_cast<std::uint16_t>(dimensions));
  writer.put(static_cast<std::uint16_t>(strides));
  writer.put(static_cast<std::uint16_t>(device_bytes));
  writer.put(static_cast<std::uint16_t>(type_bytes));
  writer.put_bytes(tensor.shape.data(), dimensions * 8);
  writer.put_bytes(tensor.strides.data(), strides * 8);
  writer.put_bytes(tensor.device.data(), device_bytes);
  writer.put_bytes(tensor.type.data(), type_bytes);
  to = writer;
}

void put_list_value(EventWriter& writer, const Value& value);
inline void put_value(EventWriter& writer, const Value& value) {
  if (value.kind() == Value::Kind::kTensor) [[likely]] {
    writer.put(value.kind());
    put_tensor(writer, value.tensor());
  } else {
    put_list_value(writer, value);
  }
}

/// A tensor in a log. Lists may lie at any address: read them with dimension().
struct LoggedTensor {
  TensorFacts facts;
  const std::byte* shape;
  const std::byte* strides;
  std::string_view device, type;
};
inline std::int64_t dimension(const std::byte* list, std::size_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, list + at * 8, 8);
  return value;
}
LoggedTensor take_tensor(EventReader& reader);

/// A value in a log; a list's entries begin at `entries`.
struct LoggedValue {
  Value::Kind kind = Value::Kind::kNone;
  LoggedTensor tensor{};
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;
  std::size_t count = 0;  ///< entries of a list
  bool is_cut = false;    ///< the list had more entries
  const std::byte* entries = nullptr;
};
LoggedValue take_value(EventReader& reader);

}  // namespace nadi::record
