#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "nadi/converters/events/cell_text.h"
#include "nadi/converters/events/write_events.h"
#include "nadi/emit/clean_json.h"

namespace nadi {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

class JsonLinesWriter : public EventWriter {
 public:
  JsonLinesWriter(ByteSink sink, bool with_rank) : sink_(std::move(sink)), with_rank_(with_rank) {}

  void add(const EventTable& table) override {
    is_json_.assign(table.strings.size(), kUnknown);
    keys_.clear();
    for (const AttributeColumn& column : table.attributes) {
      keys_.emplace_back(", ");
      append_json_string(column.attribute.column, keys_.back());
      keys_.back() += ": ";
    }
    for (std::size_t row = 0; row < table.rows; ++row) {
      append_row(table, row);
      if (buffer_.size() >= kBufferBytes) finish();
    }
  }
  void finish() override {
    sink_(buffer_);
    buffer_.clear();
  }

 private:
  enum IsJson : std::uint8_t { kUnknown, kIsJson, kIsNone };

  void append_row(const EventTable& table, std::size_t row) {
    const auto number = [this](const char* key, auto value) {
      buffer_ += key;
      append_number(value, buffer_);
    };
    const auto time = [this](const char* key, Ns ns) {
      buffer_ += key;
      append_micros(ns, buffer_);
    };
    buffer_.push_back('{');
    if (with_rank_) number("\"rank\": ", table.rank);
    number(with_rank_ ? ", \"index\": " : "\"index\": ", table.index[row]);
    buffer_ += ", \"name\": ";
    append_json_string(table.strings[table.name[row]], buffer_);
    buffer_ += ", \"cat\": ";
    append_json_string(table.strings[table.cat[row]], buffer_);
    append_identity(", \"pid\": ", table.strings[table.pid[row]]);
    append_identity(", \"tid\": ", table.strings[table.tid[row]]);
    time(", \"ts\": ", table.ts_ns[row]);
    time(", \"dur\": ", table.dur_ns[row]);
    for (std::size_t i = 0; i < table.attributes.size(); ++i) {
      buffer_ += keys_[i];
      append_value(table, table.attributes[i], row);
    }
    number(", \"index_correlation\": ", table.index_correlation[row]);
    number(", \"iteration\": ", table.iteration[row]);
    time(", \"end\": ", table.end_ns(row));
    buffer_ += "}\n";
  }

  void append_identity(const char* key, std::string_view text) {
    buffer_ += key;
    if (is_plain_integer(text))
      buffer_ += text;
    else
      append_json_string(text, buffer_);
  }

  void append_value(const EventTable& table, const AttributeColumn& column, std::size_t row) {
    if (const auto* ints = std::get_if<IntColumn>(&column.values))
      return append_number((*ints)[row], buffer_);
    if (const auto* floats = std::get_if<FloatColumn>(&column.values)) {
      if (!std::isfinite((*floats)[row])) return void(buffer_ += "null");
      return append_number((*floats)[row], buffer_);
    }
    const StringId id = std::get<TextColumn>(column.values)[row];
    const std::string_view text = table.strings[id];
    if (column.attribute.type == AttributeType::kObject && is_json(id, text))
      buffer_ += text;
    else
      append_json_string(text, buffer_);
  }

  bool is_json(StringId id, std::string_view text) {
    std::uint8_t& known = is_json_[static_cast<std::size_t>(id)];
    if (known == kUnknown)
      known = text.find('\n') == text.npos && nlohmann::json::accept(text) ? kIsJson : kIsNone;
    return known == kIsJson;
  }

  ByteSink sink_;
  bool with_rank_;
  std::string buffer_;
  std::vector<std::string> keys_;      // ", \"column\": "
  std::vector<std::uint8_t> is_json_;  // IsJson by string id
};

}  // namespace

std::unique_ptr<EventWriter> json_lines_writer(ByteSink sink, bool with_rank) {
  return std::make_unique<JsonLinesWriter>(std::move(sink), with_rank);
}

}  // namespace nadi
