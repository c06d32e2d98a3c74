#include "nadi/record/value_json.h"

#include "nadi/record/append_json.h"

namespace nadi::record {
namespace {

using Kind = Value::Kind;

// first, a comma, second, …: entry(i) appends the i-th.
template <class Entry>
void append_list(std::string& text, std::size_t count, const Entry& entry) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    entry(i);
  }
  text += ']';
}

std::int64_t product(const LoggedTensor& tensor) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < tensor.facts.dimensions; ++i)
    if (__builtin_mul_overflow(elements, dimension(tensor.shape, i), &elements)) return 0;
  return elements;
}

void append_tensor(std::string& text, const LoggedTensor& tensor) {
  const TensorFacts& facts = tensor.facts;
  text += '[';
  append_number(text, facts.id);
  text += ',';
  append_number(text, facts.storage);
  for (std::int64_t number :
       {facts.offset, facts.elements < 0 ? product(tensor) : facts.elements, facts.element_bytes}) {
    text += ',';
    append_number(text, number);
  }
  text += ',';
  append_string(text, tensor.device);
  text += ']';
}

void append_shape(std::string& text, const LoggedTensor& tensor) {
  append_list(text, tensor.facts.dimensions,
              [&](std::size_t i) { append_number(text, dimension(tensor.shape, i)); });
}

void append_strides(std::string& text, const LoggedTensor& tensor) {
  if (tensor.facts.strides > 0)
    return append_list(text, tensor.facts.strides,
                       [&](std::size_t i) { append_number(text, dimension(tensor.strides, i)); });
  append_list(text, tensor.facts.dimensions, [&](std::size_t i) {
    std::int64_t stride = 1;
    for (std::size_t later = i + 1; later < tensor.facts.dimensions; ++later)
      if (__builtin_mul_overflow(stride, dimension(tensor.shape, later), &stride)) stride = 0;
    append_number(text, stride);
  });
}

// One tensor of a value or of a list of tensors.
void append_tensor_part(std::string& text, const LoggedTensor& tensor, ValueColumn column) {
  switch (column) {
    case ValueColumn::kValues:
      return append_tensor(text, tensor);
    case ValueColumn::kShapes:
      return append_shape(text, tensor);
    case ValueColumn::kStrides:
      return append_strides(text, tensor);
    default:
      return;
  }
}

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
    case Kind::kIntegers:
      return "Int";
    case Kind::kReal:
    case Kind::kReals:
      return "Double";
    case Kind::kBool:
      return "Bool";
    case Kind::kText:
      return "String";
    default:
      return "None";
  }
}

void append_scalar(std::string& text, const LoggedValue& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return append_number(text, value.integer);
    case Kind::kReal:
      return append_real(text, value.real);
    case Kind::kBool:
      text += value.integer != 0 ? "true" : "false";
      return;
    case Kind::kText:
      return append_string(text, value.text);
    default:
      text += "\"<None>\"";
  }
}

void append_list_entry(std::string& text, const LoggedValue& value, std::size_t i) {
  if (value.kind == Kind::kIntegers) return append_number(text, dimension(value.entries, i));
  double real = 0;
  std::memcpy(&real, value.entries + i * 8, 8);
  append_real(text, real);
}

bool is_list(const LoggedValue& value) {
  return value.kind == Kind::kTensors || value.kind == Kind::kIntegers ||
         value.kind == Kind::kReals;
}

// A list's values, shapes or strides. A cut one ends with the entry "<...>" (H5).
void append_list_part(std::string& text, const LoggedValue& value, ValueColumn column) {
  EventReader reader(value.entries);
  append_list(text, value.count + (value.is_cut ? 1 : 0), [&](std::size_t i) {
    if (i == value.count)
      text += column == ValueColumn::kValues ? "\"<...>\"" : "[]";
    else if (value.kind == Kind::kTensors)
      append_tensor_part(text, take_tensor(reader), column);
    else if (column == ValueColumn::kValues)
      append_list_entry(text, value, i);
    else
      text += "[]";
  });
}

void append_type(std::string& text, const LoggedValue& value) {
  std::string type;
  const auto tensor_type = [&](const LoggedTensor& tensor) {
    type.append("Tensor(").append(tensor.type).append(")");
  };
  if (value.kind == Kind::kTensor) {
    tensor_type(value.tensor);
  } else if (is_list(value)) {
    EventReader reader(value.entries);
    type = "GenericList[";
    for (std::size_t i = 0; i < value.count; ++i) {
      if (i > 0) type += ',';
      if (value.kind == Kind::kTensors)
        tensor_type(take_tensor(reader));
      else
        type += type_name(value.kind);
    }
    type += ']';
  } else {
    type = type_name(value.kind);
  }
  append_string(text, type);
}

// Kineto writes scalars as texts, and nothing of tensors and lists.
void append_concrete(std::string& text, const LoggedValue& value) {
  std::string content;
  if (value.kind == Kind::kText)
    content = value.text;
  else if (value.kind == Kind::kIntegers || value.kind == Kind::kReals)
    append_list_part(content, value, ValueColumn::kValues);
  else if (value.kind != Kind::kTensor && value.kind != Kind::kTensors && value.kind != Kind::kNone)
    append_scalar(content, value);
  append_string(text, content);
}

void append_dtype(std::string& text, const LoggedValue& value) {
  if (value.kind == Kind::kTensor) return append_string(text, value.tensor.type);
  if (value.kind == Kind::kTensors) return append_string(text, "TensorList");
  if (is_list(value)) return append_string(text, "ScalarList");
  const bool is_scalar = value.kind != Kind::kNone && value.kind != Kind::kText;
  append_string(text, is_scalar ? "Scalar" : "");
}

void append_part(std::string& text, const LoggedValue& value, ValueColumn column) {
  if (column == ValueColumn::kTypes) return append_type(text, value);
  if (column == ValueColumn::kConcrete) return append_concrete(text, value);
  if (column == ValueColumn::kDtypes) return append_dtype(text, value);
  if (value.kind == Kind::kTensor) return append_tensor_part(text, value.tensor, column);
  // Kineto's lists, which share these columns, have no more depth for scalars.
  if (is_list(value)) return append_list_part(text, value, column);
  if (column == ValueColumn::kValues) return append_scalar(text, value);
  text += "[]";
}

}  // namespace

void append_column(std::string& text, const LoggedValues& values, ValueColumn column) {
  EventReader reader(reinterpret_cast<const std::byte*>(values.bytes.data()));
  for (std::size_t i = 0; i < values.count; ++i) {
    if (i > 0) text += ',';
    append_part(text, take_value(reader), column);
  }
}

std::string_view attribute_type(const LoggedValue& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return "int64";
    case Kind::kReal:
      return "double";
    case Kind::kBool:
      return "bool";
    default:
      return "string";
  }
}

void append_attribute_value(std::string& text, const LoggedValue& value) {
  if (!is_list(value) && value.kind != Kind::kTensor) return append_scalar(text, value);
  std::string content;
  append_part(content, value, ValueColumn::kValues);
  append_string(text, content);
}

}  // namespace nadi::record
