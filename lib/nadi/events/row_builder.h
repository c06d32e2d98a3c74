// Puts the events of a device trace into the rows of an event table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/events/event_table_reader.h"
#include "nadi/events/event_tokens.h"
#include "nadi/events/partners.h"

namespace nadi {

class RowBuilder {
 public:
  RowBuilder(EventTable& table, const EventTableOptions& options, Diagnostics& diagnostics);

  const KeyNumbers& keys() const { return keys_; }
  /// Adds event `number` of the list, if it makes a row.
  void add(const EventTokens& event, std::uint32_t number);

  std::vector<StepSpan> steps;  ///< of all steps seen, also those that make no row

 private:
  enum class Side : std::uint8_t { kHost, kDevice, kByStream };
  struct Category {
    std::string token;
    StringId text{};
    bool makes_rows = true, may_be_step = false;
    Side side = Side::kByStream;
  };

  Category look_at(std::string_view token);
  const Category& category_of(std::string_view token);
  RowTime time_of(const EventTokens& event, std::uint32_t number);
  void note_step(std::string_view name, const RowTime& time);
  void set_attributes(const EventTokens& event, std::size_t row, std::uint32_t number);
  void set_value(AttributeColumn& column, std::size_t row, std::string_view token,
                 std::uint32_t number);
  void add_key(const Attribute& attribute, std::size_t column);
  std::uint16_t make_column(std::string_view raw_key, std::string_view token);
  StringId intern(std::string_view token);

  EventTable& table_;
  const EventTableOptions& options_;
  Diagnostics& diagnostics_;
  KeyNumbers keys_;
  std::vector<std::vector<std::uint16_t>> columns_of_key_;
  std::vector<Category> categories_;
  Category other_;
  std::string scratch_;
};

}  // namespace nadi
