// Tensors of an op's arguments from the text a graph has for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nadi::astra_sim {

struct TensorShape {
  std::vector<std::int64_t> sizes;  ///< empty = one element
  std::int64_t element_bytes = 0;
  std::string_view unknown_type;  ///< of elements, where nobody knows their size; empty = known

  std::int64_t elements() const;
  std::int64_t bytes() const;
  std::size_t dimensions() const { return sizes.size(); }
};

/// The tensors of one argument: one, several of a list, none of another type.
using Argument = std::vector<TensorShape>;

/// From `shapes` ("[[64, 3], [], [[2], [4]]]") and `types` ("['Tensor(float)', 'Int',
/// 'GenericList[Tensor(float),Tensor(float)]']"), Python literals as schema/chakra.md has them. An
/// element of a type nobody knows counts 4 bytes. Text of another form has no tensors. The types
/// unknown are views into `types`.
std::vector<Argument> parse_arguments(std::string_view shapes, std::string_view types);

/// The whole numbers of one argument: itself, or those of a list; none of others.
using Numbers = std::vector<std::int64_t>;

/// From the values of arguments ("['', '[2, 2]', 'True', '1']", or without the quotes inside);
/// True counts 1 and False 0.
std::vector<Numbers> parse_numbers(std::string_view values);

/// Bytes of an element of "float", "c10::BFloat16", "Tensor(long int)"; 0 = it is no tensor type.
std::int64_t element_bytes(std::string_view type);

/// a x b; the largest number where it is larger, as in saturated_sum. For values of at least 0.
std::int64_t saturating_product(std::int64_t a, std::int64_t b);

}  // namespace nadi::astra_sim
