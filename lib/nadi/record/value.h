// The inputs and outputs of ops: tensors, numbers, texts and lists of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nadi::record {

/// A tensor as the program knows it. Texts and lists are looked at during the call only.
struct Tensor {
  std::uint64_t id = 0;             ///< of the tensor: any number, for example its address
  std::uint64_t storage = 0;        ///< of the memory it lies in
  std::int64_t offset = 0;          ///< of its first element in the storage, elements
  std::int64_t elements = -1;       ///< -1 = the product of the shape
  std::int64_t element_bytes = 4;   ///< size of one element, bytes
  std::string_view device = "cpu";  ///< "cuda:0", …
  std::string_view type = "float";  ///< of an element: "float", "c10::BFloat16", "long int", …
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;  ///< elements; empty = contiguous
};

/// A type of the program that can be recorded: a function describe(const T&) that gives a Tensor
/// (found by argument-dependent lookup) makes T one. Texts and lists of the Tensor must belong to
/// T.
template <class T>
concept Describable = requires(const T& value) {
  { describe(value) } -> std::convertible_to<Tensor>;
};

/// One input or output of an op. Only looks at lists and texts: they must outlive the call.
class Value {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kTensor,
    kTensors,
    kInteger,
    kIntegers,
    kReal,
    kReals,
    kBool,
    kText
  };

  Value() : kind_(Kind::kNone), integer_(0) {}
  Value(const Tensor& tensor) : kind_(Kind::kTensor), tensor_(tensor) {}
  Value(std::span<const Tensor> list) : kind_(Kind::kTensors), tensors_(list) {}
  template <class T>
  requires std::same_as<T, bool> Value(T value) : kind_(Kind::kBool), integer_(value ? 1 : 0) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value)
      : kind_(Kind::kInteger), integer_(static_cast<std::int64_t>(value)) {}
  Value(std::span<const std::int64_t> list) : kind_(Kind::kIntegers), integers_(list) {}
  template <std::floating_point T>
  Value(T value) : kind_(Kind::kReal), real_(static_cast<double>(value)) {}
  Value(std::span<const double> list) : kind_(Kind::kReals), reals_(list) {}
  Value(std::string_view text) : kind_(Kind::kText), text_(text) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  template <Describable T>
  Value(const T& value) : Value(Tensor(describe(value))) {}
  template <class List>
  requires std::convertible_to<const List&, std::span<const Tensor>> Value(const List& list)
      : Value(std::span<const Tensor>(list)) {}
  template <class List>
  requires std::convertible_to<const List&, std::span<const std::int64_t>> Value(const List& list)
      : Value(std::span<const std::int64_t>(list)) {}
  template <class List>
  requires std::convertible_to<const List&, std::span<const double>> Value(const List& list)
      : Value(std::span<const double>(list)) {}
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> Value(const Text& text)
      : Value(std::string_view(text)) {}

  Kind kind() const { return kind_; }
  const Tensor& tensor() const { return tensor_; }
  std::span<const Tensor> tensors() const { return tensors_; }
  std::int64_t integer() const { return integer_; }  ///< also of kBool: 0 or 1
  std::span<const std::int64_t> integers() const { return integers_; }
  double real() const { return real_; }
  std::span<const double> reals() const { return reals_; }
  std::string_view text() const { return text_; }

 private:
  Kind kind_;
  union {
    Tensor tensor_;
    std::span<const Tensor> tensors_;
    std::int64_t integer_;
    std::span<const std::int64_t> integers_;
    double real_;
    std::span<const double> reals_;
    std::string_view text_;
  };
};

}  // namespace nadi::record
