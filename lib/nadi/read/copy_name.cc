#include "nadi/read/copy_name.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

// CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind, as Kineto names them.
constexpr std::array<std::string_view, 11> kCopyKinds{
    "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 8> kMemoryKinds{"Unknown",       "Pageable",      "Pinned",
                                                       "Device",        "Array",         "Managed",
                                                       "Device Static", "Managed Static"};

template <std::size_t count>
std::string named(const std::array<std::string_view, count>& names, std::string_view kind) {
  const auto number = unsigned_of(kind);
  return std::string(!number ? kind : *number < count ? names[*number] : names.front());
}

/// "Device Static" for "device static" and "device_static".
std::string memory_name(std::string_view kind) {
  std::string name = named(kMemoryKinds, kind.empty() ? "0" : kind);
  bool is_first = true;
  for (char& letter : name) {
    if (letter == '_') letter = ' ';
    if (is_first) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    is_first = letter == ' ';
  }
  return name;
}

}  // namespace

std::string copy_name(std::string_view copy_kind, std::string_view source,
                      std::string_view target) {
  return fmt::format("Memcpy {} ({} -> {})", named(kCopyKinds, copy_kind), memory_name(source),
                     memory_name(target));
}

std::string set_name(std::string_view memory_kind) {
  return fmt::format("Memset ({})", memory_name(memory_kind));
}

}  // namespace nadi
