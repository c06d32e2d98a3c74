// Operations and bytes of an op from the shapes of its tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nadi/sim_bridge/astra_sim/tensor_text.h"

namespace nadi::astra_sim {

/// What the operations of an op rest on.
enum class CostBasis : std::uint8_t {
  kProducts,  ///< a matrix product, convolution or attention: a formula
  kElements,  ///< element-wise, a reduction or a copy: so many per element
  kUnknown,   ///< nobody knows the op: one per element of its largest tensor stands for them
};

/// The cost of an op; both numbers are at least 1.
struct OperationCost {
  std::int64_t operations = 0;  ///< a multiply-add counts two
  std::int64_t bytes = 0;       ///< each tensor read or written once
  CostBasis basis = CostBasis::kUnknown;
  std::int64_t products = 1;       ///< of equal cost that make it up, each by kernels of its own
  std::int64_t element_bytes = 0;  ///< of its first input that is no scalar; 0 = there is none
};

/// Returns the cost of the op of that name ("aten::addmm"); nothing where it has no tensors or they
/// do not fit its formula. `outputs` may be empty (profiler-only ops): then a convolution's follow
/// from its inputs' shapes and values, as parse_numbers() takes them, and an element-wise op's
/// result is as large as its largest input. Formulas: the tables of operation_cost.cc.
std::optional<OperationCost> cost_of_operation(std::string_view op,
                                               const std::vector<Argument>& inputs,
                                               const std::vector<Argument>& outputs,
                                               std::string_view input_values = {});

}  // namespace nadi::astra_sim
