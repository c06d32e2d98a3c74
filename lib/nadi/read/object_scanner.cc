#include "nadi/read/object_scanner.h"

#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nadi {
namespace {

constexpr std::size_t kBlock = 64;

/// One bit per byte of a block.
struct Marks {
  std::uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#if defined(__SSE2__)

template <Brackets brackets>
Marks marks_of(const char* text) {
  Marks marks;
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(0x20);
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + i);
    // '[' | 0x20 == '{' and ']' | 0x20 == '}'.
    const __m128i folded = brackets == Brackets::kAll ? _mm_or_si128(bytes, bit) : bytes;
    const auto mask = [i](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal)))
             << (16 * i);
    };
    marks.quote |= mask(_mm_cmpeq_epi8(bytes, quote));
    marks.backslash |= mask(_mm_cmpeq_epi8(bytes, backslash));
    marks.open |= mask(_mm_cmpeq_epi8(folded, open));
    marks.close |= mask(_mm_cmpeq_epi8(folded, close));
  }
  return marks;
}

#else

template <Brackets brackets>
Marks marks_of(const char* text) {
  Marks marks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const char byte = text[i];
    const char folded = brackets == Brackets::kAll ? static_cast<char>(byte | 0x20) : byte;
    marks.quote |= std::uint64_t{byte == '"'} << i;
    marks.backslash |= std::uint64_t{byte == '\\'} << i;
    marks.open |= std::uint64_t{folded == '{'} << i;
    marks.close |= std::uint64_t{folded == '}'} << i;
  }
  return marks;
}

#endif

/// Bits of the bytes that a backslash escapes; `carry` goes from block to block.
std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) {
  std::uint64_t escaped = carry;
  carry = 0;
  for (std::uint64_t rest = backslash & ~escaped; rest != 0;) {
    const int at = std::countr_zero(rest);
    if (at == 63) {
      carry = 1;
      break;
    }
    escaped |= std::uint64_t{2} << at;
    rest &= ~(std::uint64_t{3} << at);
  }
  return escaped;
}

/// Bit i of the result is the parity of bits 0..i: 1 from an opening quote up to its closing one.
std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

template <Brackets brackets>
std::optional<std::size_t> ObjectScanner<brackets>::find_end(std::string_view text) {
  while (done_ < text.size()) {
    Marks marks = marks_of<brackets>(text.data() + done_);
    const std::size_t left = text.size() - done_;
    if (left < kBlock) {
      const std::uint64_t valid = (std::uint64_t{1} << left) - 1;
      marks = {marks.quote & valid, marks.backslash & valid, marks.open & valid,
               marks.close & valid};
    }
    std::uint64_t carry = escaped_;
    if ((marks.backslash | carry) != 0) marks.quote &= ~escaped_bytes(marks.backslash, carry);
    const std::uint64_t string = prefix_xor(marks.quote) ^ in_string_;
    std::int64_t depth = depth_;
    for (std::uint64_t rest = (marks.open | marks.close) & ~string; rest != 0; rest &= rest - 1) {
      depth += (marks.open & rest & -rest) != 0 ? 1 : -1;
      if (depth <= 0) return done_ + static_cast<std::size_t>(std::countr_zero(rest)) + 1;
    }
    if (left < kBlock) return std::nullopt;  // looked at again when there is more
    depth_ = depth;
    in_string_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(string) >> 63);
    escaped_ = carry;
    done_ += kBlock;
  }
  return std::nullopt;
}

template class ObjectScanner<Brackets::kBraces>;
template class ObjectScanner<Brackets::kAll>;

}  // namespace nadi
