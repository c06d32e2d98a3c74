#include <utility>

#include "nadi/converters/events/cell_text.h"
#include "nadi/converters/events/write_events.h"

namespace nadi {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

class CsvWriter : public EventWriter {
 public:
  CsvWriter(ByteSink sink, bool with_rank) : sink_(std::move(sink)), with_rank_(with_rank) {}

  void add(const EventTable& table) override {
    if (!has_header_) write_header(table);
    is_plain_.assign(table.strings.size(), kUnknown);
    for (std::size_t row = 0; row < table.rows; ++row) {
      append_row(table, row);
      if (buffer_.size() >= kBufferBytes) flush();
    }
  }
  void finish() override { flush(); }

 private:
  enum IsPlain : std::uint8_t { kUnknown, kPlain, kQuoted };

  void write_header(const EventTable& table) {
    has_header_ = true;
    buffer_ = with_rank_ ? "rank,index,name,cat,pid,tid,ts,dur" : "index,name,cat,pid,tid,ts,dur";
    for (const AttributeColumn& column : table.attributes) {
      buffer_.push_back(',');
      append_csv_text(column.attribute.column, buffer_);
    }
    buffer_ += ",index_correlation,iteration,end\n";
  }

  void append_row(const EventTable& table, std::size_t row) {
    const auto number = [this](auto value) { append_number(value, ',', buffer_); };
    const auto text = [&](StringId id) {
      append_text(id, table.strings[id]);
      buffer_.push_back(',');
    };
    const auto time = [this](Ns ns, char behind) {
      append_micros(ns, buffer_);
      buffer_.push_back(behind);
    };
    if (with_rank_) number(table.rank);
    number(table.index[row]);
    for (const auto* column : {&table.name, &table.cat, &table.pid, &table.tid})
      text((*column)[row]);
    time(table.ts_ns[row], ',');
    time(table.dur_ns[row], ',');
    for (const AttributeColumn& column : table.attributes) {
      if (const auto* ints = std::get_if<IntColumn>(&column.values))
        number((*ints)[row]);
      else if (const auto* floats = std::get_if<FloatColumn>(&column.values))
        number((*floats)[row]);
      else
        text(std::get<TextColumn>(column.values)[row]);
    }
    number(table.index_correlation[row]);
    number(table.iteration[row]);
    time(table.end_ns(row), '\n');
  }

  void append_text(StringId id, std::string_view text) {
    std::uint8_t& known = is_plain_[static_cast<std::size_t>(id)];
    if (known == kUnknown) known = needs_csv_quotes(text) ? kQuoted : kPlain;
    if (known == kPlain)
      buffer_ += text;
    else
      append_csv_text(text, buffer_);
  }

  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

  ByteSink sink_;
  bool with_rank_, has_header_ = false;
  std::string buffer_;
  std::vector<std::uint8_t> is_plain_;  // IsPlain by string id
};

}  // namespace

std::unique_ptr<EventWriter> csv_writer(ByteSink sink, bool with_rank) {
  return std::make_unique<CsvWriter>(std::move(sink), with_rank);
}

}  // namespace nadi
