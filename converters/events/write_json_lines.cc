#include "nadi/converters/events/write_json_lines.h"

#include <cmath>
#include <utility>

#include "nadi/base/json_document.h"
#include "nadi/converters/events/cell_text.h"
#include "nadi/emit/json_writer.h"

namespace nadi {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

class JsonLinesWriter : public EventWriter {
 public:
  JsonLinesWriter(ByteSink sink, bool with_rank) : sink_(std::move(sink)), with_rank_(with_rank) {}

  void add(const EventTable& table) override {
    is_json_.assign(table.strings.size(), kUnknown);
    keys_.clear();
    for (const AttributeColumn& column : table.attributes)
      keys_.push_back(escaped(column.attribute.column));
    for (const EventRowIndex row : rows_of(table)) {
      write_row(table, row);
      if (json_.text().size() >= kBufferBytes) finish();
    }
  }
  void finish() override {
    sink_(json_.text());
    json_.text().clear();
  }

 private:
  enum IsJson : std::uint8_t { kUnknown, kIsJson, kIsNone };

  void write_row(const EventTable& table, EventRowIndex row) {
    json_.begin_object();
    if (with_rank_) json_.member("rank", table.rank);
    json_.member("index", table.index[row]);
    json_.member("name", table.strings[table.name[row]]);
    json_.member("cat", table.strings[table.cat[row]]);
    write_identity("pid", table.strings[table.pid[row]]);
    write_identity("tid", table.strings[table.tid[row]]);
    write_time("ts", table.ts_ns[row]);
    write_time("dur", table.dur_ns[row]);
    for (std::size_t i = 0; i < table.attributes.size(); ++i) {
      json_.key(keys_[i]);
      write_value(table, table.attributes[i], row);
    }
    json_.member("index_correlation", hta_index_correlation(table, row));
    json_.member("iteration", table.iteration[row]);
    write_time("end", table.end_ns(row));
    json_.end_object();
    json_.finish();
  }

  static std::string escaped(std::string_view name) {
    std::string quoted;
    append_json_string(name, quoted);
    return quoted.substr(1, quoted.size() - 2);
  }

  void write_time(const char* key, Ns ns) { append_micros(ns, json_.key(key).raw()); }

  void write_identity(const char* key, std::string_view text) {
    if (is_plain_integer(text))
      json_.key(key).raw() += text;
    else
      json_.member(key, text);
  }

  void write_value(const EventTable& table, const AttributeColumn& column, EventRowIndex row) {
    if (const auto* ints = std::get_if<IntColumn>(&column.values)) return json_.value((*ints)[row]);
    if (const auto* floats = std::get_if<FloatColumn>(&column.values)) {
      if (!std::isfinite((*floats)[row])) return void(json_.raw() += "null");
      return append_number((*floats)[row], json_.raw());
    }
    const StringId id = std::get<TextColumn>(column.values)[row];
    const std::string_view text = table.strings[id];
    if (column.attribute.type == AttributeType::kObject && is_json(id, text))
      json_.raw() += text;
    else
      json_.value(text);
  }

  bool is_json(StringId id, std::string_view text) {
    std::uint8_t& known = is_json_[static_cast<std::size_t>(id)];
    if (known == kUnknown)
      known = text.find('\n') == text.npos && nadi::is_json(text) ? kIsJson : kIsNone;
    return known == kIsJson;
  }

  ByteSink sink_;
  bool with_rank_;
  JsonWriter json_{JsonWriter::Blanks::kSome};
  std::vector<std::string> keys_;      // of the attributes
  std::vector<std::uint8_t> is_json_;  // IsJson by string id
};

}  // namespace

std::unique_ptr<EventWriter> json_lines_writer(ByteSink sink, bool with_rank) {
  return std::make_unique<JsonLinesWriter>(std::move(sink), with_rank);
}

}  // namespace nadi
