#include "nadi/converters/generate/transformer.h"

namespace nadi {
namespace {

constexpr double kStateBytes = 24;  // read and written: weight, mean and variance in 32 bits
constexpr double kOptimizerOps = 12;

Work operator+(const Work& a, const Work& b) { return {a.ops + b.ops, a.bytes + b.bytes}; }

}  // namespace

Transformer::Transformer(const TransformerShape& shape, std::int64_t tensor,
                         std::int64_t experts_here)
    : hidden_(static_cast<double>(shape.hidden)),
      ffn_(static_cast<double>(shape.ffn > 0 ? shape.ffn : 4 * shape.hidden)),
      sequence_(static_cast<double>(shape.sequence)),
      batch_(static_cast<double>(shape.micro_batch)),
      tokens_(sequence_ * batch_),
      vocabulary_(static_cast<double>(shape.vocabulary)),
      element_(static_cast<double>(shape.element_bytes)),
      tensor_(static_cast<double>(tensor)),
      experts_(static_cast<double>(shape.experts)),
      experts_here_(static_cast<double>(experts_here)),
      top_k_(static_cast<double>(shape.top_k)) {}

Work Transformer::product(double count, double m, double k, double n) const {
  return {2 * count * m * k * n, bytes_of(count * (m * k + k * n + m * n))};
}

Work Transformer::embedding() const {
  return {tokens_ * hidden_, bytes_of(2 * tokens_ * hidden_)};  // rows read and written
}

Work Transformer::attention() const {
  const Work inputs = product(1, tokens_, hidden_, 3 * hidden_ / tensor_);
  // Scores and values of all heads together; scores stay on the chip (flash attention).
  const Work heads = {4 * batch_ * sequence_ * sequence_ * hidden_ / tensor_,
                      bytes_of(4 * tokens_ * hidden_ / tensor_)};
  const Work output = product(1, tokens_, hidden_ / tensor_, hidden_);
  return inputs + heads + output;
}

Work Transformer::mlp() const {
  return product(1, tokens_, hidden_, ffn_ / tensor_) +
         product(1, tokens_, ffn_ / tensor_, hidden_);
}

Work Transformer::router() const { return product(1, tokens_, hidden_, experts_); }

Work Transformer::expert_mlps() const {
  const double each = tokens_ * top_k_ / experts_here_;  // tokens, evenly spread
  return product(experts_here_, each, hidden_, ffn_ / tensor_) +
         product(experts_here_, each, ffn_ / tensor_, hidden_);
}

Work Transformer::head() const { return product(1, tokens_, hidden_, vocabulary_ / tensor_); }

Work Transformer::optimizer(double parameters) const {
  return {kOptimizerOps * parameters, (kStateBytes + 2 * element_) * parameters};
}

double Transformer::attention_parameters() const { return 4 * hidden_ * hidden_ / tensor_; }

double Transformer::mlp_parameters() const {
  return experts_ > 0 ? hidden_ * experts_ : 2 * hidden_ * ffn_ / tensor_;
}

double Transformer::expert_parameters() const {
  return experts_ > 0 ? 2 * experts_here_ * hidden_ * ffn_ / tensor_ : 0;
}

double Transformer::layer_parameters() const {
  return attention_parameters() + mlp_parameters() + expert_parameters();
}

double Transformer::vocabulary_parameters() const { return hidden_ * vocabulary_ / tensor_; }

double Transformer::activation_bytes() const { return bytes_of(tokens_ * hidden_); }

double Transformer::dispatch_bytes() const { return top_k_ * activation_bytes(); }

Work backward_of(const Work& forward) { return {2 * forward.ops, 2 * forward.bytes}; }

}  // namespace nadi
