#include "nadi/sim_bridge/astra_sim/operation_cost.h"

#include <algorithm>
#include <iterator>

#include "nadi/base/time.h"

namespace nadi::astra_sim {
namespace {

using Arguments = std::vector<Argument>;
using Count = std::optional<std::int64_t>;

/// The one tensor of an argument; nullptr = it has none or several.
const TensorShape* tensor(const Arguments& arguments, std::size_t position) {
  return position < arguments.size() && arguments[position].size() == 1
             ? &arguments[position].front()
             : nullptr;
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) result = saturating_product(result, factor);
  return result;
}

template <class Measure>
std::int64_t sum_over(const Arguments& arguments, Measure measure) {
  std::int64_t sum = 0;
  for (const Argument& argument : arguments)
    for (const TensorShape& t : argument) sum = saturated_sum(sum, measure(t));
  return sum;
}

std::int64_t bytes_of(const Arguments& arguments) {
  return sum_over(arguments, [](const TensorShape& t) { return t.bytes(); });
}

/// The arguments but the first.
Arguments behind_first(const Arguments& in) {
  return {in.begin() + std::min<std::ptrdiff_t>(1, std::ssize(in)), in.end()};
}

/// Elements and bytes of the largest tensor, or of the longest list of them.
struct Extent {
  std::int64_t elements = 0, bytes = 0;
};
Extent largest(const Arguments& arguments) {
  Extent most;
  for (const Argument& argument : arguments) {
    Extent extent;
    for (const TensorShape& t : argument) {
      extent.elements = saturated_sum(extent.elements, t.elements());
      extent.bytes = saturated_sum(extent.bytes, t.bytes());
    }
    if (extent.elements > most.elements) most = extent;
  }
  return most;
}

// [..., m, k] x [..., k, n]: 2 m k n for each of the matrices. Source: definition of the product.
Count matrix_product(const Arguments& in, std::size_t first) {
  const TensorShape *a = tensor(in, first), *b = tensor(in, first + 1);
  if (a == nullptr || b == nullptr || a->dimensions() == 0 || b->dimensions() == 0) return {};
  const std::size_t da = a->dimensions(), db = b->dimensions();
  const std::int64_t k = a->sizes.back();
  if (b->sizes[db == 1 ? 0 : db - 2] != k) return {};
  const std::int64_t n = db == 1 ? 1 : b->sizes.back();
  std::int64_t batch = 1;  // of b alone where it has more dimensions than a
  for (std::size_t i = 0; i + da < db; ++i) batch = saturating_product(batch, b->sizes[i]);
  return product({2, a->elements(), n, batch});
}
Count mm(const Arguments& in, const Arguments&) { return matrix_product(in, 0); }
// beta C + alpha A B: the product alone; C is added as the result is written. Source: torch's
// FlopCounterMode counts addmm and baddbmm alike.
Count addmm(const Arguments& in, const Arguments&) { return matrix_product(in, 1); }
// input [..., k], weight [n, k]. Source: torch.nn.functional.linear.
Count linear(const Arguments& in, const Arguments&) {
  const TensorShape *x = tensor(in, 0), *w = tensor(in, 1);
  if (x == nullptr || w == nullptr || x->dimensions() == 0 || w->dimensions() != 2) return {};
  return product({2, x->elements(), w->sizes[0]});
}

// 2 x elements of the output x (input channels / groups) x kernel. Source: definition of the
// convolution; weight is [out, in / groups, kernel...], for transposed ones [in, out / groups,
// ...].
Count convolution_of(const TensorShape* output, const TensorShape* weight) {
  if (output == nullptr || weight == nullptr || weight->dimensions() < 3 || weight->sizes[0] == 0)
    return {};
  return product({2, output->elements(), weight->elements() / weight->sizes[0]});
}
Count convolution(const Arguments& in, const Arguments& out) {
  return convolution_of(tensor(out, 0), tensor(in, 1));
}
// (grad_output, input, weight): one convolution each for the gradients of input and weight; of one
// that was not wanted a tensor without sizes is recorded.
std::int64_t gradients(const Arguments& out) {
  const auto is_wanted = [&](std::size_t position) {
    const TensorShape* gradient = tensor(out, position);
    return gradient != nullptr && gradient->dimensions() > 0;
  };
  return out.size() < 2 || (is_wanted(0) && is_wanted(1)) ? 2 : 1;
}
Count convolution_backward(const Arguments& in, const Arguments& out) {
  const Count one = convolution_of(tensor(in, 0), tensor(in, 2));
  if (!one) return {};
  return saturating_product(*one, gradients(out));
}

// Q K^T and P V: 2 B H S T (D + Dv); masks are not considered. Source: FlashAttention
// (arXiv:2205.14135), whose backward pass has 5 products for the forward pass's 2.
Count attention(const Arguments& in, std::size_t first, std::size_t sequence, std::size_t head) {
  const TensorShape *q = tensor(in, first), *k = tensor(in, first + 1), *v = tensor(in, first + 2);
  for (const TensorShape* t : {q, k, v})
    if (t == nullptr || t->dimensions() != 4) return {};
  return product({2, q->sizes[0], q->sizes[head], q->sizes[sequence], k->sizes[sequence],
                  saturated_sum(q->sizes[3], v->sizes[3])});
}
Count attention_bhsd(const Arguments& in, const Arguments&) { return attention(in, 0, 2, 1); }
Count attention_bshd(const Arguments& in, const Arguments&) { return attention(in, 0, 1, 2); }
Count backward_of(const Count& forward) {
  if (!forward) return {};
  return saturating_product(*forward / 2, 5);
}
Count attention_backward_bhsd(const Arguments& in, const Arguments&) {
  return backward_of(attention(in, 1, 2, 1));
}
Count attention_backward_bshd(const Arguments& in, const Arguments&) {
  return backward_of(attention(in, 1, 1, 2));
}

// So many operations per element of the largest tensor.
template <std::int64_t per_element>
Count each(const Arguments& in, const Arguments& out) {
  const std::int64_t elements = std::max(largest(in).elements, largest(out).elements);
  if (elements == 0) return {};
  return saturating_product(elements, per_element);
}
// Rows of the table in argument 0, picked by the indices behind it: the result, not the table, is
// moved.
template <std::size_t indices>
Count picked_rows(const Arguments& in, const Arguments& out) {
  if (!out.empty()) return each<1>({}, out);
  const TensorShape *table = tensor(in, 0), *picks = tensor(in, indices);
  if (table == nullptr || picks == nullptr) return {};
  const std::int64_t rows = table->dimensions() == 0 ? 1 : table->sizes.front();
  if (rows == 0 || picks->elements() == 0) return {};
  return saturating_product(picks->elements(), table->elements() / rows);
}
// As many elements as indices.
Count gathered(const Arguments& in, const Arguments& out) {
  return each<1>({}, out.empty() && in.size() > 2 ? Arguments{in[2]} : out);
}
// Only the result shows what was picked by a list of indices.
Count indexed(const Arguments&, const Arguments& out) { return each<1>({}, out); }
// Values written to places of the tensor in argument 0: so many, not its elements, are moved.
Count scattered(const Arguments& in, const Arguments&) { return each<1>(behind_first(in), {}); }

/// Which bytes an op moves. Where its outputs are not recorded, what it writes follows from its
/// inputs.
enum class Bytes : std::uint8_t {
  kAll,           ///< reads the inputs; without outputs it writes as much as its largest input has
  kProduct,       ///< the same; of arguments 0 and 1: operations / 2 k elements are written
  kAddedProduct,  ///< the same of arguments 1 and 2
  kReduced,       ///< the same; without outputs nothing that counts is written
  kOverwritten,   ///< argument 0 is written without being read
  kPicked,        ///< of argument 0 only as much as is written is read
  kScattered,     ///< of argument 0 only as much as the others hold is written
};

struct Formula {
  std::string_view op;
  Count (*count)(const Arguments& in, const Arguments& out);
  Bytes bytes = Bytes::kAll;
  std::int64_t (*products)(const Arguments& out) = nullptr;  ///< OperationCost's; nullptr = 1
};

// Source of the orders of arguments: PyTorch's native_functions.yaml.
constexpr Formula kProducts[] = {
    {"aten::mm", mm, Bytes::kProduct},
    {"aten::bmm", mm, Bytes::kProduct},
    {"aten::matmul", mm, Bytes::kProduct},
    {"aten::mv", mm, Bytes::kProduct},
    {"aten::dot", mm, Bytes::kProduct},
    {"aten::vdot", mm, Bytes::kProduct},
    {"aten::_scaled_mm", mm, Bytes::kProduct},
    {"aten::_int_mm", mm, Bytes::kProduct},
    {"aten::addmm", addmm, Bytes::kAddedProduct},
    {"aten::_addmm_activation", addmm, Bytes::kAddedProduct},
    {"aten::baddbmm", addmm, Bytes::kAddedProduct},
    {"aten::addbmm", addmm},
    {"aten::addmv", addmm, Bytes::kAddedProduct},
    {"aten::linear", linear, Bytes::kProduct},
    {"aten::conv1d", convolution},
    {"aten::conv2d", convolution},
    {"aten::conv3d", convolution},
    {"aten::convolution", convolution},
    {"aten::_convolution", convolution},
    {"aten::cudnn_convolution", convolution},
    {"aten::cudnn_convolution_add_relu", convolution},
    {"aten::cudnn_convolution_relu", convolution},
    {"aten::miopen_convolution", convolution},
    {"aten::_conv_depthwise2d", convolution},
    {"aten::convolution_backward", convolution_backward, Bytes::kAll, gradients},
    {"aten::scaled_dot_product_attention", attention_bhsd},
    {"aten::_scaled_dot_product_flash_attention", attention_bhsd},
    {"aten::_scaled_dot_product_efficient_attention", attention_bhsd},
    {"aten::_scaled_dot_product_cudnn_attention", attention_bhsd},
    {"aten::_cudnn_attention_forward", attention_bhsd},
    {"aten::_flash_attention_forward", attention_bshd},
    {"aten::_efficient_attention_forward", attention_bshd},
    {"aten::_scaled_dot_product_flash_attention_backward", attention_backward_bhsd},
    {"aten::_scaled_dot_product_efficient_attention_backward", attention_backward_bhsd},
    {"aten::_scaled_dot_product_cudnn_attention_backward", attention_backward_bhsd},
    {"aten::_cudnn_attention_backward", attention_backward_bhsd},
    {"aten::_flash_attention_backward", attention_backward_bshd},
    {"aten::_efficient_attention_backward", attention_backward_bshd},
};

// Other ops of aten are element-wise, reductions or copies: one operation per element.
// Softmax: maximum, difference, exponential, sum, quotient; its gradient: product, sum, difference,
// product. Norms: mean, variance (2), difference, quotient, scale, shift; gradients: the sums of
// both gradients (4), and the input's (6). Source: definitions.
constexpr Formula kElements[] = {
    {"aten::softmax", each<5>},
    {"aten::_softmax", each<5>},
    {"aten::log_softmax", each<5>},
    {"aten::_log_softmax", each<5>},
    {"aten::_softmax_backward_data", each<4>},
    {"aten::_log_softmax_backward_data", each<4>},
    {"aten::layer_norm", each<7>},
    {"aten::native_layer_norm", each<7>},
    {"aten::native_layer_norm_backward", each<10>},
    {"aten::batch_norm", each<7>},
    {"aten::native_batch_norm", each<7>},
    {"aten::cudnn_batch_norm", each<7>},
    {"aten::miopen_batch_norm", each<7>},
    {"aten::native_batch_norm_backward", each<10>},
    {"aten::cudnn_batch_norm_backward", each<10>},
    {"aten::miopen_batch_norm_backward", each<10>},
    {"aten::native_group_norm", each<7>},
    {"aten::native_group_norm_backward", each<10>},
    {"aten::embedding", picked_rows<1>, Bytes::kPicked},
    {"aten::index_select", picked_rows<2>, Bytes::kPicked},
    {"aten::index", indexed, Bytes::kPicked},
    {"aten::gather", gathered, Bytes::kPicked},
    {"aten::index_put_", scattered, Bytes::kScattered},
    {"aten::_index_put_impl_", scattered, Bytes::kScattered},
    {"aten::index_add_", scattered, Bytes::kScattered},
    {"aten::index_copy_", scattered, Bytes::kScattered},
    {"aten::scatter_", scattered, Bytes::kScattered},
    {"aten::scatter_add_", scattered, Bytes::kScattered},
    {"aten::copy_", each<1>, Bytes::kOverwritten},
    {"aten::fill_", each<1>, Bytes::kOverwritten},
    {"aten::zero_", each<1>, Bytes::kOverwritten},
    {"aten::normal_", each<1>, Bytes::kOverwritten},
    {"aten::uniform_", each<1>, Bytes::kOverwritten},
    {"aten::random_", each<1>, Bytes::kOverwritten},
    {"aten::bernoulli_", each<1>, Bytes::kOverwritten},
    {"aten::exponential_", each<1>, Bytes::kOverwritten},
    {"aten::geometric_", each<1>, Bytes::kOverwritten},
    {"aten::cauchy_", each<1>, Bytes::kOverwritten},
    {"aten::log_normal_", each<1>, Bytes::kOverwritten},
    {"aten::sum", each<1>, Bytes::kReduced},
    {"aten::nansum", each<1>, Bytes::kReduced},
    {"aten::mean", each<1>, Bytes::kReduced},
    {"aten::prod", each<1>, Bytes::kReduced},
    {"aten::var", each<1>, Bytes::kReduced},
    {"aten::std", each<1>, Bytes::kReduced},
    {"aten::norm", each<1>, Bytes::kReduced},
    {"aten::linalg_vector_norm", each<1>, Bytes::kReduced},
    {"aten::amax", each<1>, Bytes::kReduced},
    {"aten::amin", each<1>, Bytes::kReduced},
    {"aten::argmax", each<1>, Bytes::kReduced},
    {"aten::argmin", each<1>, Bytes::kReduced},
    {"aten::all", each<1>, Bytes::kReduced},
    {"aten::any", each<1>, Bytes::kReduced},
    {"aten::logsumexp", each<1>, Bytes::kReduced},
    {"aten::count_nonzero", each<1>, Bytes::kReduced},
};

// Ops of aten that are neither: their arguments do not show what they compute.
constexpr std::string_view kUncounted[] = {
    "aten::_cudnn_rnn",
    "aten::_cudnn_rnn_backward",
    "aten::miopen_rnn",
    "aten::miopen_rnn_backward",
    "aten::_embedding_bag",
    "aten::_embedding_bag_dense_backward",
    "aten::cudnn_convolution_transpose",
    "aten::miopen_convolution_transpose",
    "aten::_grouped_mm",
    "aten::_scaled_grouped_mm",
    "aten::_weight_int4pack_mm",
    "aten::_fft_c2c",
    "aten::_fft_r2c",
    "aten::_fft_c2r",
    "aten::_cdist_forward",
};

/// Which arguments of a convolution set what its output's size follows from.
struct ConvolutionSettings {
  std::string_view op;
  std::size_t stride, padding, dilation;
  std::size_t transposed = 0;  ///< 0 = it never is
};
constexpr ConvolutionSettings kConvolutions[] = {
    {"aten::conv1d", 3, 4, 5},
    {"aten::conv2d", 3, 4, 5},
    {"aten::conv3d", 3, 4, 5},
    {"aten::convolution", 3, 4, 5, 6},
    {"aten::_convolution", 3, 4, 5, 6},
    {"aten::cudnn_convolution", 3, 2, 4},
    {"aten::cudnn_convolution_add_relu", 5, 6, 7},
    {"aten::cudnn_convolution_relu", 3, 4, 5},
    {"aten::miopen_convolution", 4, 3, 5},
    {"aten::_conv_depthwise2d", 4, 5, 6},
};

/// One for each dimension; a list of one counts for all.
std::optional<std::int64_t> setting(const std::vector<Numbers>& values, std::size_t position,
                                    std::size_t dimension) {
  if (position >= values.size() || values[position].empty()) return {};
  const Numbers& numbers = values[position];
  if (numbers.size() == 1) return numbers.front();
  return dimension < numbers.size() ? std::optional(numbers[dimension]) : std::nullopt;
}

/// From x [n, in, size...] and w [out, in / groups, kernel...]: [n, out, size...], of each size
/// (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1. Source: torch.nn.Conv2d.
Arguments convolution_outputs(const ConvolutionSettings& places, const Arguments& in,
                              const std::vector<Numbers>& values) {
  constexpr std::int64_t kMostSetting = std::int64_t{1} << 31;
  const TensorShape *x = tensor(in, 0), *w = tensor(in, 1);
  if (x == nullptr || w == nullptr || x->dimensions() < 3 || w->dimensions() != x->dimensions())
    return {};
  if (places.transposed != 0 && setting(values, places.transposed, 0) != 0) return {};
  TensorShape out{{x->sizes[0], w->sizes[0]}, x->element_bytes, {}};
  for (std::size_t at = 2; at < x->dimensions(); ++at) {
    const auto stride = setting(values, places.stride, at - 2),
               padding = setting(values, places.padding, at - 2),
               dilation = setting(values, places.dilation, at - 2);
    for (const auto& value :
         {stride, padding, dilation, std::optional(w->sizes[at]), std::optional(x->sizes[at])})
      if (!value || *value < 0 || *value > kMostSetting) return {};
    const std::int64_t room = x->sizes[at] + 2 * *padding - *dilation * (w->sizes[at] - 1) - 1;
    if (*stride == 0 || room < 0) return {};
    out.sizes.push_back(room / *stride + 1);
  }
  return {{std::move(out)}};
}

/// As large as input and weight; of one that the mask does not want no sizes.
Arguments convolution_gradients(const Arguments& in, const std::vector<Numbers>& values) {
  constexpr std::size_t kOutputMask = 10;
  Arguments out;
  for (const std::size_t of : {0U, 1U}) {
    const TensorShape* like = tensor(in, of + 1);
    if (like == nullptr || kOutputMask >= values.size() || values[kOutputMask].size() != 3)
      return {};
    out.push_back({*like});
    if (values[kOutputMask][of] == 0) out.back().front().sizes.clear();
  }
  return out;
}

/// None where the op is no convolution, or its values do not say them.
Arguments outputs_from_values(std::string_view op, const Arguments& in, std::string_view text) {
  if (op == "aten::convolution_backward") return convolution_gradients(in, parse_numbers(text));
  for (const ConvolutionSettings& places : kConvolutions)
    if (places.op == op) return convolution_outputs(places, in, parse_numbers(text));
  return {};
}

std::int64_t product_bytes(const Arguments& in, std::size_t first, std::int64_t operations) {
  const TensorShape* a = tensor(in, first);
  if (a == nullptr || a->dimensions() == 0 || a->sizes.back() == 0) return largest(in).bytes;
  return saturating_product(operations / 2 / a->sizes.back(), a->element_bytes);
}

/// What an op writes whose outputs are not recorded.
std::int64_t unrecorded_bytes(Bytes bytes, const Arguments& in, std::int64_t operations) {
  switch (bytes) {
    case Bytes::kProduct:
      return product_bytes(in, 0, operations);
    case Bytes::kAddedProduct:
      return product_bytes(in, 1, operations);
    case Bytes::kReduced:
      return 0;
    case Bytes::kPicked:
      return saturating_product(operations,
                                in.empty() || in[0].empty() ? 0 : in[0].front().element_bytes);
    default:
      return largest(in).bytes;
  }
}

std::int64_t moved_bytes(Bytes bytes, const Arguments& in, const Arguments& out,
                         std::int64_t operations) {
  const std::int64_t read = bytes_of(in);
  const std::int64_t written =
      out.empty() ? unrecorded_bytes(bytes, in, operations) : bytes_of(out);
  switch (bytes) {
    case Bytes::kOverwritten:
      return read;
    case Bytes::kPicked:
      return saturated_sum(bytes_of(behind_first(in)), saturating_product(written, 2));
    case Bytes::kScattered:
      return saturated_sum(bytes_of(behind_first(in)), largest(behind_first(in)).bytes);
    default:
      return saturated_sum(read, written);
  }
}

std::int64_t first_element_bytes(const Arguments& in) {
  for (const Argument& argument : in)
    for (const TensorShape& t : argument)
      if (t.dimensions() > 0) return t.element_bytes;
  return 0;
}

template <std::size_t n>
const Formula* find(const Formula (&table)[n], std::string_view op) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const Formula& formula) { return formula.op == op; });
  return row == std::end(table) ? nullptr : row;
}

CostBasis basis_of_others(std::string_view op) {
  const bool is_uncounted =
      std::find(std::begin(kUncounted), std::end(kUncounted), op) != std::end(kUncounted);
  return op.starts_with("aten::") && !is_uncounted ? CostBasis::kElements : CostBasis::kUnknown;
}

}  // namespace

std::optional<OperationCost> cost_of_operation(std::string_view op, const Arguments& inputs,
                                               const Arguments& recorded_outputs,
                                               std::string_view input_values) {
  const Arguments outputs =
      recorded_outputs.empty() ? outputs_from_values(op, inputs, input_values) : recorded_outputs;
  constexpr Formula kOther{"", each<1>};
  const Formula* product = find(kProducts, op);
  const Formula* elements = find(kElements, op);
  const Formula& row = product != nullptr ? *product : elements != nullptr ? *elements : kOther;
  const Count count = row.count(inputs, outputs);
  if (!count) return {};
  const std::int64_t bytes = moved_bytes(row.bytes, inputs, outputs, *count);
  if (bytes == 0) return {};
  const CostBasis basis = product != nullptr    ? CostBasis::kProducts
                          : elements != nullptr ? CostBasis::kElements
                                                : basis_of_others(op);
  return OperationCost{std::max<std::int64_t>(*count, 1), bytes, basis,
                       row.products == nullptr ? 1 : row.products(outputs),
                       first_element_bytes(inputs)};
}

}  // namespace nadi::astra_sim
