// Logged values as the JSON lists of both traces.
#pragma once

#include <cstddef>
#include <string>

#include "nadi/record/value_bytes.h"

namespace nadi::record {

/// The part of the values that a list holds, in the host trace (H3, H5) or as Kineto's `Concrete
/// Inputs`, `Input Dims`, `Input type`, `Input Strides`.
enum class ValueColumn {
  kValues,    ///< [[1, 2, 0, 64, 4, "cuda:0"], 0.5]
  kShapes,    ///< [[8, 8], []]; also Kineto's
  kTypes,     ///< ["Tensor(float)", "Double"]
  kStrides,   ///< [[8, 1], []]; also Kineto's
  kConcrete,  ///< ["", "0.5"]
  kDtypes,    ///< ["float", "Scalar"]
};

/// Values one behind the other, as they lie in a log.
struct LoggedValues {
  std::string bytes;
  std::size_t count = 0;
};

/// Appends the entries, without the brackets around them.
void append_column(std::string& text, const LoggedValues& values, ValueColumn column);

/// One value as an attribute of the host trace: type name and JSON.
std::string_view attribute_type(const LoggedValue& value);
void append_attribute_value(std::string& text, const LoggedValue& value);

}  // namespace nadi::record
