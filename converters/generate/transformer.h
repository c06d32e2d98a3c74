// A transformer in numbers: operations, bytes and parameters of its parts.
#pragma once

#include <cstdint>

#include "nadi/converters/generate/cost_model.h"

namespace nadi {

/// Defaults: a model of 7 billion parameters.
struct TransformerShape {
  std::int64_t layers = 32;
  std::int64_t hidden = 4096;
  std::int64_t ffn = 0;  ///< inner width of the MLP; 0 = 4 x hidden
  std::int64_t sequence = 2048;
  std::int64_t micro_batch = 1;  ///< sequences of a micro-batch
  std::int64_t vocabulary = 50304;
  std::int64_t element_bytes = 2;  ///< of weights, activations and gradients
  std::int64_t experts = 0;        ///< MLPs of each layer of which a token uses top_k; 0 = one MLP
  std::int64_t top_k = 2;
};

/// The parts of which a rank computes a share of 1 / `tensor` (its experts: of `experts_here`).
/// Multiplying m x k by k x n takes 2 m k n operations; each matrix is moved once.
class Transformer {
 public:
  Transformer(const TransformerShape& shape, std::int64_t tensor, std::int64_t experts_here);

  Work embedding() const;
  Work attention() const;
  Work mlp() const;
  Work router() const;
  Work expert_mlps() const;
  Work head() const;  ///< logits and loss
  /// The work of Adam with 32-bit state: 24 bytes and two elements moved per parameter.
  Work optimizer(double parameters) const;

  double attention_parameters() const;
  double mlp_parameters() const;  ///< of the one MLP, or of the router
  double expert_parameters() const;
  double layer_parameters() const;       ///< all of these
  double vocabulary_parameters() const;  ///< of the embedding; the head has as many

  /// Activations between layers, of one micro-batch.
  double activation_bytes() const;
  /// Tokens sent to their experts.
  double dispatch_bytes() const;
  double bytes_of(double elements) const { return elements * element_; }

 private:
  /// `count` matrix products (m x k by k x n).
  Work product(double count, double m, double k, double n) const;

  double hidden_, ffn_, sequence_, batch_, tokens_, vocabulary_, element_;
  double tensor_, experts_, experts_here_, top_k_;
};

/// The gradients of inputs and of weights: each as much as the forward pass.
Work backward_of(const Work& forward);

}  // namespace nadi
