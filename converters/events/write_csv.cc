#include "nadi/converters/events/write_csv.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "nadi/converters/events/cell_text.h"

namespace nadi {
namespace {

// Bytes of CSV that wait to be written, with room made before cells are put.

/// Cells are put with what stands behind them. Numbers and times fit kMostNumber bytes.
class CellBuffer {
 public:
  /// Makes room for so many bytes more.
  void make_room(std::size_t bytes) {
    if (bytes <= capacity_ - size_) return;
    capacity_ = (size_ + bytes) * 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
  }

  // These need room.
  void put(char c) { bytes_[size_++] = c; }
  void put(std::string_view text, char behind) {
    if (!text.empty()) std::memcpy(end(), text.data(), text.size());
    size_ += text.size();
    put(behind);
  }
  template <class Number>
  void put_number(Number number) {
    end_at(std::to_chars(end(), end() + kMostNumber - 1, number).ptr);
  }
  /// Most attributes of most rows are -1: nothing is known.
  void put_number(std::int64_t number, char behind) {
    if (number == -1) return put("-1", behind);
    put_number(number);
    put(behind);
  }
  /// Nanoseconds as microseconds: "12", "12.345".
  void put_micros(Ns ns, char behind) {
    end_at(write_micros(ns, end()));
    put(behind);
  }

  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  char* end() { return bytes_.get() + size_; }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

constexpr std::size_t kCsvBufferBytes = 1 << 16, kFixedColumns = 12;

class CsvWriter : public EventWriter {
 public:
  CsvWriter(ByteSink sink, bool with_rank) : sink_(std::move(sink)), with_rank_(with_rank) {}

  void add(const EventTable& table) override {
    if (!has_header_) write_header(table);
    is_plain_.assign(table.strings.size(), kUnknown);
    row_room_ = (kFixedColumns + table.attributes.size()) * kMostNumber;
    for (const EventRowIndex row : rows_of(table)) {
      append_row(table, row);
      if (cells_.size() >= kCsvBufferBytes) flush();
    }
  }
  void finish() override { flush(); }

 private:
  enum IsPlain : std::uint8_t { kUnknown, kPlain, kQuoted };

  void write_header(const EventTable& table) {
    has_header_ = true;
    std::string header =
        with_rank_ ? "rank,index,name,cat,pid,tid,ts,dur" : "index,name,cat,pid,tid,ts,dur";
    for (const AttributeColumn& column : table.attributes) {
      header.push_back(',');
      append_csv_text(column.attribute.column, header);
    }
    header += ",index_correlation,iteration,end";
    cells_.make_room(header.size() + 1);
    cells_.put(header, '\n');
  }

  void append_row(const EventTable& table, EventRowIndex row) {
    cells_.make_room(row_room_);
    if (with_rank_) cells_.put_number(table.rank, ',');
    cells_.put_number(table.index[row], ',');
    for (const auto* column : {&table.name, &table.cat, &table.pid, &table.tid})
      append_text(table, (*column)[row]);
    cells_.put_micros(table.ts_ns[row], ',');
    cells_.put_micros(table.dur_ns[row], ',');
    for (const AttributeColumn& column : table.attributes) {
      if (const auto* ints = std::get_if<IntColumn>(&column.values)) {
        cells_.put_number((*ints)[row], ',');
      } else if (const auto* floats = std::get_if<FloatColumn>(&column.values)) {
        cells_.put_number((*floats)[row]);
        cells_.put(',');
      } else {
        append_text(table, std::get<TextColumn>(column.values)[row]);
      }
    }
    cells_.put_number(hta_index_correlation(table, row), ',');
    cells_.put_number(table.iteration[row], ',');
    cells_.put_micros(table.end_ns(row), '\n');
  }

  void append_text(const EventTable& table, StringId id) {
    const std::string_view text = table.strings[id];
    std::uint8_t& known = is_plain_[static_cast<std::size_t>(id)];
    if (known == kUnknown) known = needs_csv_quotes(text) ? kQuoted : kPlain;
    if (known == kQuoted) {
      quoted_.clear();
      append_csv_text(text, quoted_);
    }
    const std::string_view cell = known == kPlain ? text : std::string_view(quoted_);
    cells_.make_room(cell.size() + row_room_);
    cells_.put(cell, ',');
  }

  void flush() {
    sink_(cells_.view());
    cells_.clear();
  }

  ByteSink sink_;
  bool with_rank_, has_header_ = false;
  CellBuffer cells_;
  std::size_t row_room_ = 0;  // for all numbers of a row; texts make their own
  std::string quoted_;
  std::vector<std::uint8_t> is_plain_;  // IsPlain by string id
};

}  // namespace

std::unique_ptr<EventWriter> csv_writer(ByteSink sink, bool with_rank) {
  return std::make_unique<CsvWriter>(std::move(sink), with_rank);
}

}  // namespace nadi
