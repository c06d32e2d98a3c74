#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nadi/link/comms.h"

namespace nadi {
namespace {

/// Bytes of one element by type name: C++ names (Kineto), c10 names, and ATen's ScalarType names.
std::int64_t element_bytes(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, int>, 30> kBytes = {{
      {"float", 4},
      {"double", 8},
      {"c10::Half", 2},
      {"c10::BFloat16", 2},
      {"long", 8},
      {"long int", 8},
      {"int", 4},
      {"short", 2},
      {"short int", 2},
      {"signed char", 1},
      {"unsigned char", 1},
      {"bool", 1},
      {"Float", 4},
      {"Double", 8},
      {"Half", 2},
      {"BFloat16", 2},
      {"Long", 8},
      {"Int", 4},
      {"Short", 2},
      {"Char", 1},
      {"Byte", 1},
      {"Bool", 1},
      {"c10::complex<float>", 8},
      {"c10::complex<double>", 16},
      {"ComplexFloat", 8},
      {"ComplexDouble", 16},
      {"c10::Float8_e4m3fn", 1},
      {"c10::Float8_e5m2", 1},
      {"unsigned short", 2},
      {"unsigned int", 4},
  }};
  const auto found = std::find_if(kBytes.begin(), kBytes.end(),
                                  [&](const auto& row) { return row.first == type; });
  return found == kBytes.end() ? 0 : found->second;
}

/// The quoted strings of a flat JSON list.
std::vector<std::string_view> quoted(std::string_view list) {
  std::vector<std::string_view> result;
  for (std::size_t at = list.find('"'); at != std::string_view::npos; at = list.find('"', at + 1)) {
    const std::size_t end = list.find('"', at + 1);
    if (end == std::string_view::npos) break;
    result.push_back(list.substr(at + 1, end - at - 1));
    at = end;
  }
  return result;
}

/// Elements or bytes beyond this are none that a machine holds: sums and products stop here.
constexpr std::int64_t kMost = 1LL << 55;

/// Both at least 0.
std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

/// Element counts of the entries of a list of shapes; lists of shapes count as their sum, an empty
/// shape as -1 (a scalar or no tensor).
std::vector<std::int64_t> counts(std::string_view dims) {
  std::vector<std::int64_t> result;
  int depth = 0;
  std::int64_t product = -1, number = -1, sum = -1;
  for (char c : dims) {
    if (c >= '0' && c <= '9') {
      number = std::min<std::int64_t>((number < 0 ? 0 : number) * 10 + (c - '0'), 1LL << 40);
      continue;
    }
    if (number >= 0) {
      product = bounded_product(product < 0 ? 1 : product, number);
      number = -1;
    }
    if (c == '[') {
      ++depth;
      product = -1;
      if (depth == 2) sum = -1;
    } else if (c == ']') {
      if (product >= 0) sum = std::min((sum < 0 ? 0 : sum) + product, kMost);
      product = -1;
      if (--depth == 1) result.push_back(sum);
    }
  }
  return result;
}

}  // namespace

std::int64_t tensor_bytes(std::string_view dims, std::string_view types) {
  const std::vector<std::int64_t> elements = counts(dims);
  const std::vector<std::string_view> names = quoted(types);
  std::int64_t bytes = -1;
  for (std::size_t i = 0; i < std::min(elements.size(), names.size()); ++i) {
    if (elements[i] < 0 || element_bytes(names[i]) == 0) continue;
    bytes = std::min(
        (bytes < 0 ? 0 : bytes) + bounded_product(elements[i], element_bytes(names[i])), kMost);
  }
  return bytes;
}

}  // namespace nadi
