#include "nadi/sim_bridge/astra_sim/operation_cost.h"

#include <algorithm>
#include <iterator>

namespace nadi::astra_sim {
namespace {

using Arguments = std::vector<Argument>;
using Count = std::optional<std::int64_t>;

/// The one tensor of an argument; nullptr = it has none or several.
const TensorShape* tensor(const Arguments& arguments, std::size_t place) {
  return place < arguments.size() && arguments[place].size() == 1 ? &arguments[place].front()
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
    for (const TensorShape& t : argument) sum = saturating_sum(sum, measure(t));
  return sum;
}

std::int64_t bytes_of(const Arguments& arguments) {
  return sum_over(arguments, [](const TensorShape& t) { return t.bytes(); });
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
      extent.elements = saturating_sum(extent.elements, t.elements());
      extent.bytes = saturating_sum(extent.bytes, t.bytes());
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
// (grad_output, input, weight): one convolution each for the gradients of input and weight.
Count convolution_backward(const Arguments& in, const Arguments& out) {
  const Count one = convolution_of(tensor(in, 0), tensor(in, 2));
  if (!one) return {};
  const bool both = out.size() < 2 || (tensor(out, 0) != nullptr && tensor(out, 1) != nullptr);
  return saturating_product(*one, both ? 2 : 1);
}

// Q K^T and P V: 2 B H S T (D + Dv); masks are not considered. Source: FlashAttention
// (arXiv:2205.14135), whose backward pass has 5 products for the forward pass's 2.
Count attention(const Arguments& in, std::size_t first, std::size_t sequence, std::size_t head) {
  const TensorShape *q = tensor(in, first), *k = tensor(in, first + 1), *v = tensor(in, first + 2);
  for (const TensorShape* t : {q, k, v})
    if (t == nullptr || t->dimensions() != 4) return {};
  return product({2, q->sizes[0], q->sizes[head], q->sizes[sequence], k->sizes[sequence],
                  saturating_sum(q->sizes[3], v->sizes[3])});
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
// Rows picked from a table: the result, not the table, is moved.
Count picked(const Arguments& in, const Arguments& out) {
  return out.empty()
             ? each<1>({in.begin() + std::min<std::ptrdiff_t>(1, std::ssize(in)), in.end()}, {})
             : each<1>({}, out);
}

enum class Bytes : std::uint8_t { kAll, kPicked };

struct Formula {
  std::string_view op;
  Count (*count)(const Arguments& in, const Arguments& out);
  Bytes bytes = Bytes::kAll;
};

// Ops that are not in the table are element-wise, reductions or copies: one operation per element.
// Softmax: maximum, difference, exponential, sum, quotient; its gradient: product, sum, difference,
// product. Norms: mean, variance (2), difference, quotient, scale, shift; gradients: the sums of
// both gradients (4), and the input's (6). Source: definitions.
constexpr Formula kFormulas[] = {
    {"aten::mm", mm},
    {"aten::bmm", mm},
    {"aten::matmul", mm},
    {"aten::mv", mm},
    {"aten::dot", mm},
    {"aten::_scaled_mm", mm},
    {"aten::addmm", addmm},
    {"aten::_addmm_activation", addmm},
    {"aten::baddbmm", addmm},
    {"aten::addbmm", addmm},
    {"aten::linear", linear},
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
    {"aten::convolution_backward", convolution_backward},
    {"aten::scaled_dot_product_attention", attention_bhsd},
    {"aten::_scaled_dot_product_flash_attention", attention_bhsd},
    {"aten::_scaled_dot_product_efficient_attention", attention_bhsd},
    {"aten::_scaled_dot_product_cudnn_attention", attention_bhsd},
    {"aten::_flash_attention_forward", attention_bshd},
    {"aten::_efficient_attention_forward", attention_bshd},
    {"aten::_scaled_dot_product_flash_attention_backward", attention_backward_bhsd},
    {"aten::_scaled_dot_product_efficient_attention_backward", attention_backward_bhsd},
    {"aten::_scaled_dot_product_cudnn_attention_backward", attention_backward_bhsd},
    {"aten::_flash_attention_backward", attention_backward_bshd},
    {"aten::_efficient_attention_backward", attention_backward_bshd},
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
    {"aten::embedding", picked, Bytes::kPicked},
    {"aten::index_select", picked, Bytes::kPicked},
    {"aten::index", picked, Bytes::kPicked},
    {"aten::gather", picked, Bytes::kPicked},
};

std::int64_t moved_bytes(Bytes bytes, const Arguments& in, const Arguments& out) {
  const std::int64_t read = bytes_of(in);
  if (out.empty()) return saturating_sum(read, largest(in).bytes);
  const std::int64_t written = bytes_of(out);
  if (bytes == Bytes::kAll) return saturating_sum(read, written);
  const std::int64_t indices = read - std::min(read, largest(in).bytes);
  return saturating_sum(indices, saturating_product(written, 2));
}

}  // namespace

std::optional<OperationCost> cost_of_operation(std::string_view op, const Arguments& inputs,
                                               const Arguments& outputs) {
  const auto* row = std::find_if(std::begin(kFormulas), std::end(kFormulas),
                                 [&](const Formula& formula) { return formula.op == op; });
  const bool is_known = row != std::end(kFormulas);
  const Count count = is_known ? row->count(inputs, outputs) : each<1>(inputs, outputs);
  const std::int64_t bytes = moved_bytes(is_known ? row->bytes : Bytes::kAll, inputs, outputs);
  if (!count || bytes == 0) return {};
  return OperationCost{std::max<std::int64_t>(*count, 1), bytes};
}

}  // namespace nadi::astra_sim
