#include "nadi/sim_bridge/astra_sim/tensor_text.h"

#include <algorithm>
#include <limits>

#include "nadi/base/dtype.h"
#include "nadi/base/number_text.h"

namespace nadi::astra_sim {
namespace {

constexpr std::int64_t kUnknownBytes = 4;
constexpr std::size_t kMostDimensions = 32;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Elements of "[a, [b, c], 'd']" at its first level; none of other text.
std::vector<std::string_view> elements_of(std::string_view list) {
  list = trim(list);
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return {};
  list = list.substr(1, list.size() - 2);
  std::vector<std::string_view> elements;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    const char c = list[at];
    if (quote != 0) {
      if (c == '\\')
        ++at;
      else if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.push_back(trim(list.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  const std::string_view last = trim(list.substr(std::min(begin, list.size())));
  if (!last.empty()) elements.push_back(last);
  return elements;
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// False where an element is no whole number of at least 0.
bool read_sizes(std::string_view text, std::vector<std::int64_t>& sizes) {
  for (const std::string_view element : elements_of(text)) {
    const auto size = number_of_text<std::int64_t>(element);
    if (!size || *size < 0) return false;
    sizes.push_back(*size);
  }
  return sizes.size() <= kMostDimensions;
}

constexpr std::string_view kTensor = "Tensor(";

bool is_tensor_type(std::string_view type) {
  return type.starts_with(kTensor) && type.ends_with(')');
}

/// "float" of "'Tensor(float)'".
std::string_view inner_type(std::string_view type) {
  type = unquoted(trim(type));
  if (is_tensor_type(type)) type = type.substr(kTensor.size(), type.size() - kTensor.size() - 1);
  return type;
}

bool is_list_type(std::string_view type) { return type.find("List") != std::string_view::npos; }

/// Sets how long elements are; false = it is no type of a tensor.
bool set_type(std::string_view type, TensorShape& tensor) {
  tensor.element_bytes = element_bytes(type);
  if (tensor.element_bytes != 0 && dtype_bytes(inner_type(type)) == 0)
    tensor.unknown_type = inner_type(type);
  return tensor.element_bytes != 0;
}

/// "GenericList[Tensor(float),Int]" names the type of each element, "TensorList" of none.
Argument read_list(std::string_view shape, std::string_view type) {
  const std::size_t bracket = type.find('[');
  const auto types =
      bracket == std::string_view::npos ? elements_of("[]") : elements_of(type.substr(bracket));
  const auto shapes = elements_of(shape);
  Argument tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    TensorShape tensor;
    tensor.element_bytes = kUnknownBytes;
    tensor.unknown_type = type.substr(0, bracket);
    if (i < types.size() && !set_type(types[i], tensor)) continue;
    if (!shapes[i].starts_with('[') || !read_sizes(shapes[i], tensor.sizes)) continue;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Argument read_argument(std::string_view shape, std::string_view type) {
  if (is_list_type(type)) return read_list(shape, type);
  TensorShape tensor;
  if (!set_type(type, tensor) || !shape.starts_with('[') || !read_sizes(shape, tensor.sizes))
    return {};
  return {std::move(tensor)};
}

/// Nothing where it is none.
std::optional<std::int64_t> number_of_value(std::string_view text) {
  if (text == "True" || text == "False") return text == "True" ? 1 : 0;
  return number_of_text<std::int64_t>(text);
}

Numbers read_numbers(std::string_view value) {
  Numbers numbers;
  if (const auto number = number_of_value(value)) return {*number};
  for (const std::string_view element : elements_of(value)) {
    const auto number = number_of_value(element);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::int64_t TensorShape::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count = saturating_product(count, size);
  return count;
}

std::int64_t TensorShape::bytes() const { return saturating_product(elements(), element_bytes); }

std::int64_t element_bytes(std::string_view type) {
  const std::string_view name = unquoted(trim(type));
  const std::int64_t known = dtype_bytes(inner_type(type));
  if (is_tensor_type(name)) return known == 0 ? kUnknownBytes : known;
  // "Int" is the type of an argument that is no tensor, "int" that of a tensor's elements.
  const bool is_of_tensor = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return is_of_tensor ? known : 0;
}

std::vector<Argument> parse_arguments(std::string_view shapes, std::string_view types) {
  const auto shape_list = elements_of(shapes), type_list = elements_of(types);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < std::min(shape_list.size(), type_list.size()); ++i)
    arguments.push_back(read_argument(shape_list[i], unquoted(type_list[i])));
  return arguments;
}

std::vector<Numbers> parse_numbers(std::string_view values) {
  std::vector<Numbers> arguments;
  for (const std::string_view value : elements_of(values))
    arguments.push_back(read_numbers(trim(unquoted(value))));
  return arguments;
}

}  // namespace nadi::astra_sim
