// Several files in one input of a fuzzer: the first byte chooses options, the files follow, a byte
// 0 between any two. No JSON holds that byte.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/error.h"

namespace nadi {

struct InputFiles {
  unsigned choice = 0;
  std::vector<std::string_view> files;  ///< of the bytes given

  /// Bits of the choice, from the lowest on: which of `count` (a power of two) things to take.
  unsigned choose(unsigned count) {
    const unsigned chosen = choice % count;
    choice /= count;
    return chosen;
  }
};

inline InputFiles split_input(const std::uint8_t* data, std::size_t size) {
  InputFiles input;
  if (size == 0) return input;
  input.choice = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (std::size_t end; (end = rest.find('\0')) != std::string_view::npos;) {
    input.files.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  input.files.push_back(rest);
  return input;
}

/// A file may be refused; a bug of nadi ends the fuzzer.
inline void require_no_bug(const Error& error) {
  if (error.code() == ErrorCode::kInternal) throw error;
}

}  // namespace nadi
