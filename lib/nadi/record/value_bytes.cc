#include "nadi/record/value_bytes.h"

namespace nadi::record {
namespace {

using Kind = Value::Kind;

// A list: kind, entries kept, entries there were.
template <class T>
std::span<const T> put_list_head(EventWriter& writer, std::span<const T> list) {
  const std::size_t kept = std::min(list.size(), kMostListEntries);
  writer.put(static_cast<std::uint32_t>(kept));
  writer.put(static_cast<std::uint8_t>(kept < list.size()));
  return list.first(kept);
}

void skip_entries(EventReader& reader, LoggedValue& value) {
  value.entries = reader.at();
  if (value.kind != Kind::kTensors) {
    reader.take_bytes(value.count * 8);
    return;
  }
  for (std::size_t i = 0; i < value.count; ++i) take_tensor(reader);
}

}  // namespace

std::size_t list_value_bound(const Value& value) {
  constexpr std::size_t kHead = 1 + 8;
  switch (value.kind()) {
    case Kind::kTensors: {
      std::size_t bound = kHead;
      const auto list = value.tensors();
      for (const Tensor& tensor : list.first(std::min(list.size(), kMostListEntries)))
        bound += tensor_bound(tensor);
      return bound;
    }
    case Kind::kIntegers:
      return kHead + std::min(value.integers().size(), kMostListEntries) * 8;
    case Kind::kReals:
      return kHead + std::min(value.reals().size(), kMostListEntries) * 8;
    case Kind::kText:
      return kHead + cut_text(value.text()).size();
    default:
      return kHead;
  }
}

void put_list_value(EventWriter& writer, const Value& value) {
  writer.put(value.kind());
  switch (value.kind()) {
    case Kind::kTensors:
      for (const Tensor& tensor : put_list_head(writer, value.tensors()))
        put_tensor(writer, tensor);
      break;
    case Kind::kIntegers:
      for (std::int64_t entry : put_list_head(writer, value.integers())) writer.put(entry);
      break;
    case Kind::kReals:
      for (double entry : put_list_head(writer, value.reals())) writer.put(entry);
      break;
    case Kind::kInteger:
    case Kind::kBool:
      writer.put(value.integer());
      break;
    case Kind::kReal:
      writer.put(value.real());
      break;
    case Kind::kText:
      writer.put_text(cut_text(value.text()));
      break;
    default:
      break;
  }
}

LoggedTensor take_tensor(EventReader& reader) {
  LoggedTensor tensor;
  tensor.facts = reader.take<TensorFacts>();
  tensor.shape = reader.take_bytes(tensor.facts.dimensions * std::size_t{8});
  tensor.strides = reader.take_bytes(tensor.facts.strides * std::size_t{8});
  const auto text = [&](std::size_t size) {
    return std::string_view(reinterpret_cast<const char*>(reader.take_bytes(size)), size);
  };
  tensor.device = text(tensor.facts.device_bytes);
  tensor.type = text(tensor.facts.type_bytes);
  return tensor;
}

LoggedValue take_value(EventReader& reader) {
  LoggedValue value;
  value.kind = reader.take<Kind>();
  switch (value.kind) {
    case Kind::kTensor:
      value.tensor = take_tensor(reader);
      break;
    case Kind::kTensors:
    case Kind::kIntegers:
    case Kind::kReals:
      value.count = reader.take<std::uint32_t>();
      value.is_cut = reader.take<std::uint8_t>() != 0;
      skip_entries(reader, value);
      break;
    case Kind::kInteger:
    case Kind::kBool:
      value.integer = reader.take<std::int64_t>();
      break;
    case Kind::kReal:
      value.real = reader.take<double>();
      break;
    case Kind::kText:
      value.text = reader.take_text();
      break;
    case Kind::kNone:
      break;
  }
  return value;
}

}  // namespace nadi::record
