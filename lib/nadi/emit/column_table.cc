#include "nadi/emit/column_table.h"

#include <algorithm>

namespace nadi {

ColumnTexts texts_of(const StringTable& strings) {
  std::vector<std::string_view> texts;
  texts.reserve(strings.size());
  for (std::size_t id = 0; id < strings.size(); ++id)
    texts.push_back(strings[static_cast<StringId>(id)]);
  return std::make_shared<const std::vector<std::string_view>>(std::move(texts));
}

std::span<const bool> ColumnTable::keep(const std::vector<bool>& flags) {
  const std::shared_ptr<bool[]> kept(new bool[flags.size()]);
  std::copy(flags.begin(), flags.end(), kept.get());
  owners.push_back(kept);
  return {kept.get(), flags.size()};
}

void ColumnTable::take(std::string name, const std::vector<bool>& flags) {
  columns.push_back({std::move(name), keep(flags)});
}

void ColumnTable::take(std::string name, const std::vector<std::string>& texts) {
  const auto strings = std::make_shared<StringTable>();
  std::vector<StringId> codes;
  codes.reserve(texts.size());
  for (const std::string& text : texts) codes.push_back(strings->intern(text));
  owners.push_back(strings);
  take_codes(std::move(name), std::move(codes), texts_of(*strings));
}

}  // namespace nadi
