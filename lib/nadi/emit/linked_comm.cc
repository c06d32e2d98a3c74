#include "nadi/emit/linked_comm.h"

#include "nadi/emit/clean_json.h"
#include "nadi/model/comm_fields.h"

namespace nadi {

void append_comm(const CommRecord& record, const StringTable& strings, std::string& out) {
  const std::size_t begin = out.size();
  const auto append_key = [&](std::string_view key) {
    out += out.size() == begin ? "{\"" : ", \"";
    out += key;
    out += "\": ";
  };
  for (const CommText& field : kCommTexts) {
    if (record.*field.member == StringId::kEmpty) continue;
    append_key(field.name);
    append_json_string(strings[record.*field.member], out);
  }
  for (const CommNumber& field : kCommNumbers) {
    if (record.*field.member < 0) continue;
    append_key(field.name);
    out += std::to_string(record.*field.member);
  }
  if (record.is_p2p) {
    append_key("is_p2p");
    out += "true";
  }
  out += out.size() == begin ? "{}" : "}";
}

}  // namespace nadi
