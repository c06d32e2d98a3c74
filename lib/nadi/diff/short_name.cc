#include "nadi/diff/short_name.h"

#include "nadi/model/memory_row_names.h"

namespace nadi {
std::string short_name_of(std::string_view name) {
  if (name.find_first_of("<(") == std::string_view::npos || is_memory_row_name(name))
    return std::string(name);
  std::string kept;
  kept.reserve(name.size());
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '-' && name.substr(at).starts_with("->")) {
      ++at;
    } else if (c == '>' || c == ')') {
      const std::size_t opening = kept.rfind(c == '>' ? '<' : '(');
      kept.resize(opening == std::string::npos ? 0 : opening);
    } else {
      kept.push_back(c);
    }
  }
  return kept.substr(kept.rfind(' ') + 1);  // npos + 1 = 0
}

}  // namespace nadi
