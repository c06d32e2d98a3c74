// Scoped ops: what the program does between construction and destruction is recorded as one op.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "nadi/base/time.h"
#include "nadi/record/session.h"
#include "nadi/record/value.h"

namespace nadi::record {

/// The link from a backward op to its forward op. Plain data: keep it beside what is saved for
/// backward.
struct ForwardLink {
  std::uint64_t op = 0;        ///< id of the forward op; 0 = it was not recorded
  std::int64_t sequence = -1;  ///< autograd's sequence number
  std::uint64_t tid = 0;       ///< logical thread of the forward op
};

enum class OpKind : std::uint8_t { kOp, kAnnotation };

/// The functions behind Op, for programs that cannot use scopes. Ops of a thread end in the reverse
/// order of their beginning, on the same thread; an op that ends early ends those inside it.
/// begin_op gives the op's id (host trace and rf id), 0 = nothing is recorded; the others ignore 0.
std::uint64_t begin_op(OpKind kind, std::string_view name, std::span<const Value> inputs);
void end_op(std::uint64_t op);
/// begin_op for training step N, from 0: the annotation `ProfilerStep#N`.
std::uint64_t begin_step(std::int64_t number);
void add_outputs(std::uint64_t op, std::span<const Value> outputs);
/// A fact of the host trace: `op_schema`, `kernel_backend`, `kernel_file`, or a name of the
/// program's own. Names the trace needs itself (`rf_id`, `tid`, …) are left out and counted.
void add_attribute(std::uint64_t op, std::string_view name, const Value& value);
/// Gives a forward op a sequence number (the next one where -1) and returns what its backward op
/// needs.
ForwardLink set_forward(std::uint64_t op, std::int64_t sequence = -1);
void set_backward(std::uint64_t op, const ForwardLink& forward);

/// An op of the program, nested by scope and thread. Costs one load and a branch while nothing is
/// recorded: inputs are converted only where they are needed.
class Op {
 public:
  /// name: "aten::mm", …, any bytes; inputs: anything that makes a Value.
  template <class... Inputs>
  explicit Op(std::string_view name, const Inputs&... inputs) {
    if (is_recording()) [[unlikely]]
      begin(OpKind::kOp, name, inputs...);
  }
  ~Op() {
    if (id_ != 0) [[unlikely]]
      end_op(id_);
  }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  /// Adds outputs behind those there are.
  template <class... Outputs>
  void outputs(const Outputs&... outputs) {
    if (id_ == 0) return;
    const std::array<Value, sizeof...(outputs)> values{Value(outputs)...};
    add_outputs(id_, values);
  }
  template <class T>
  void attribute(std::string_view name, const T& value) {
    if (id_ != 0) add_attribute(id_, name, Value(value));
  }
  /// "aten::mm(Tensor self, Tensor mat2) -> Tensor"
  void schema(std::string_view text) { attribute("op_schema", text); }
  ForwardLink forward(std::int64_t sequence = -1) {
    return id_ == 0 ? ForwardLink{} : set_forward(id_, sequence);
  }
  void backward_of(const ForwardLink& forward) {
    if (id_ != 0) set_backward(id_, forward);
  }
  /// Id in both traces; 0 = nothing is recorded.
  std::uint64_t id() const { return id_; }

 protected:
  struct Annotate {};
  Op(Annotate, std::string_view name) {
    if (is_recording()) [[unlikely]]
      begin(OpKind::kAnnotation, name);
  }
  struct Nothing {};
  explicit Op(Nothing) {}

  template <class... Inputs>
  void begin(OpKind kind, std::string_view name, const Inputs&... inputs) {
    const std::array<Value, sizeof...(inputs)> values{Value(inputs)...};
    id_ = begin_op(kind, name, values);
  }
  std::uint64_t id_ = 0;
};

/// A named stretch of the program (torch.profiler.record_function): no work of its own.
class Annotation : public Op {
 public:
  explicit Annotation(std::string_view name) : Op(Annotate{}, name) {}
};

/// Training step N, from 0: the annotation `ProfilerStep#N`, by which steps are chosen and
/// compared.
class Step : public Op {
 public:
  explicit Step(std::int64_t number) : Op(Nothing{}) {
    if (is_recording()) [[unlikely]]
      id_ = record::begin_step(number);
  }
};

}  // namespace nadi::record
