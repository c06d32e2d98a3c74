#include "nadi/base/utf8.h"

#include <algorithm>
#include <cstring>

namespace nadi {
namespace {

// Length of the sequence a lead byte announces; 0 = no lead byte.
int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

}  // namespace

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const int length = sequence_length(lead);
  ++at;
  if (length == 1) return lead;
  if (length == 0 || text.size() - at < static_cast<std::size_t>(length - 1))
    return kReplacementCharacter;
  std::uint32_t code_point = lead & (0x7fU >> length);
  for (int i = 0; i < length - 1; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
    if ((byte & 0xc0U) != 0x80) return kReplacementCharacter;
    code_point = code_point << 6 | (byte & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < kSmallest[length] || code_point > 0x10ffff || is_surrogate)
    return kReplacementCharacter;
  at += static_cast<std::size_t>(length - 1);
  return code_point;
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80U | (code_point >> shift & 0x3fU)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xc0U | code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0U | code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = ascii_prefix(text); at < text.size();) {
    const std::size_t before = at;
    if (next_character(text, at) == kReplacementCharacter && at == before + 1) return false;
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) append_utf8(next_character(text, at), repaired);
  return repaired;
}

std::string_view as_utf8(std::string_view text, std::string& repaired) {
  return is_utf8(text) ? text : std::string_view(repaired = repair_utf8(text));
}

namespace {

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
}

}  // namespace

std::string_view whole_prefix(std::string_view text, std::size_t most) {
  std::size_t end = std::min(most, text.size());
  while (end > 0 && is_inside_character(text, end)) --end;
  return text.substr(0, end);
}

std::string cut_text(std::string_view text, std::size_t most_bytes) {
  constexpr std::string_view kLeftOut = "…";
  if (text.size() <= most_bytes) return std::string(text);
  const std::size_t room = most_bytes - std::min(most_bytes, kLeftOut.size());
  std::size_t tail = text.size() - room / 3;
  while (is_inside_character(text, tail)) ++tail;
  return std::string(whole_prefix(text, room - room / 3))
      .append(kLeftOut)
      .append(text.substr(tail));
}

}  // namespace nadi
