// Field numbers of et_def.proto's Node and IOInfo.
#pragma once

namespace nadi {

enum class ChakraField : unsigned {
  kId = 1,
  kName,
  kType,
  kCtrlDeps,
  kDataDeps,
  kStartTimeMicros,
  kDurationMicros,
  kInputs,
  kOutputs,
  kAttr
};
enum class IoField : unsigned { kValues = 1, kShapes, kTypes };
constexpr unsigned number(ChakraField field) { return static_cast<unsigned>(field); }
constexpr unsigned number(IoField field) { return static_cast<unsigned>(field); }

}  // namespace nadi
