#include "nadi/base/dtype.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace nadi {
namespace {

struct Dtype {
  std::string_view name;  // lower case, letters and digits only
  std::int64_t bytes;
};
constexpr Dtype kDtypes[] = {
    {"bool", 1},         {"char", 1},           {"byte", 1},           {"signedchar", 1},
    {"unsignedchar", 1}, {"int8", 1},           {"uint8", 1},          {"short", 2},
    {"shortint", 2},     {"unsignedshort", 2},  {"int16", 2},          {"uint16", 2},
    {"int", 4},          {"unsignedint", 4},    {"int32", 4},          {"uint32", 4},
    {"long", 8},         {"longint", 8},        {"int64", 8},          {"uint64", 8},
    {"half", 2},         {"float16", 2},        {"bfloat16", 2},       {"float", 4},
    {"float32", 4},      {"double", 8},         {"float64", 8},        {"complexhalf", 4},
    {"complexfloat", 8}, {"complexdouble", 16}, {"float8e4m3", 1},     {"float8e5m2", 1},
    {"float8e4m3fn", 1}, {"float8e4m3fnuz", 1}, {"float8e5m2fnuz", 1}, {"float8e8m0fnu", 1},
};

}  // namespace

std::int64_t dtype_bytes(std::string_view dtype) {
  for (const std::string_view prefix : {"c10::", "nccl"})
    if (dtype.starts_with(prefix)) dtype.remove_prefix(prefix.size());
  std::string name;
  for (const char c : dtype)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                   [&](const Dtype& known) { return known.name == name; });
  return found == std::end(kDtypes) ? 0 : found->bytes;
}

}  // namespace nadi
