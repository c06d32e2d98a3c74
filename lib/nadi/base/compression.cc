#include "nadi/base/compression.h"

#include <algorithm>
#include <string>

namespace nadi {

Compression compression_of(std::string_view file_name) {
  std::string ending(file_name.substr(std::min(file_name.rfind('.'), file_name.size())));
  for (char& letter : ending)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (ending == ".gz") return Compression::kGzip;
  return ending == ".zst" ? Compression::kZstd : Compression::kNone;
}

std::string_view without_compression(std::string_view file_name) {
  if (compression_of(file_name) == Compression::kNone) return file_name;
  return file_name.substr(0, file_name.rfind('.'));
}

}  // namespace nadi
