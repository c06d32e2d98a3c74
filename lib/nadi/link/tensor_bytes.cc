#include "nadi/link/tensor_bytes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "nadi/base/dtype.h"

namespace nadi {
namespace {

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
    const std::int64_t element = dtype_bytes(names[i]);
    if (elements[i] < 0 || element == 0) continue;
    bytes = std::min((bytes < 0 ? 0 : bytes) + bounded_product(elements[i], element), kMost);
  }
  return bytes;
}

}  // namespace nadi
