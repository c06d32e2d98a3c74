// UTF-8 as it must be in protobuf and JSON strings, whatever bytes a trace holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nadi {

inline constexpr std::uint32_t kReplacementCharacter = 0xfffd;

/// The character at text[at], which is advanced past it. A byte that starts no well-formed sequence
/// (RFC 3629: no surrogates, no overlong forms) is one kReplacementCharacter.
std::uint32_t next_character(std::string_view text, std::size_t& at);

/// Appends code_point (0 to 0x10ffff, surrogates included) in UTF-8's bit pattern.
void append_utf8(std::uint32_t code_point, std::string& out);

/// Number of leading bytes that are ASCII.
std::size_t ascii_prefix(std::string_view text);

/// True if text is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// text with every byte that is not UTF-8 replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// text where it is UTF-8, else repair_utf8(text), which `repaired` then holds.
std::string_view as_utf8(std::string_view text, std::string& repaired);

/// The first bytes of text, no more than `most`, that do not end within a character.
std::string_view whole_prefix(std::string_view text, std::size_t most);

/// text, where it is longer than that many bytes with its middle left out ("gemm<flo…, 4>"): names
/// of kernels often differ at their ends only. Never cuts within a character.
std::string cut_text(std::string_view text, std::size_t most_bytes);

}  // namespace nadi
