#include "nadi/converters/events/write_sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <set>

#include "nadi/base/error.h"
#include "nadi/converters/events/cell_text.h"
#include "nadi/read/category_table.h"

namespace nadi {
namespace {

/// An SQL identifier or, with '\'', a string.
std::string in_quotes(std::string_view text, char quote = '"') {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out.push_back(quote);
    out.push_back(c);
  }
  return out + quote;
}

/// The categories whose rows ran on a device, as an SQL list.
std::string device_categories() {
  std::string list;
  for (const Category& category : kCategories) {
    const bool is_device = category.kind >= EventCategory::kKernel &&
                           category.kind <= EventCategory::kGraphEventRecord;
    if (is_device) list += (list.empty() ? "" : ", ") + in_quotes(category.name, '\'');
  }
  return "(" + list + ")";
}

const char* sql_type(AttributeType type) {
  constexpr std::array<const char*, 4> kTypes{"INTEGER", "REAL", "TEXT", "TEXT"};
  return kTypes[static_cast<std::size_t>(type)];
}

class SqliteWriter : public EventWriter {
 public:
  SqliteWriter(const std::string& path, SqliteTables tables) : path_(path), tables_(tables) {
    if (sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        nullptr) != SQLITE_OK)
      fail_after_open();
    // Nobody sees the file before it is whole.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1024;"
        "PRAGMA temp_store = FILE; BEGIN");
  }
  ~SqliteWriter() override { close(); }

  void add(const EventTable& table) override {
    const std::string suffix = tables_ == SqliteTables::kOne ? "" : fmt::format("_{}", table.rank);
    if (suffixes_.insert(suffix).second) create_table(table, suffix);
    insert(table, "events" + suffix);
  }

  void finish() override {
    for (const std::string& suffix : suffixes_) create_indexes_and_views(suffix);
    run("COMMIT");
    close();
  }

 private:
  void close() {
    sqlite3_close(database_);
    database_ = nullptr;
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::kInput, path_,
                fmt::format("SQLite cannot write it ({})", sqlite3_errmsg(database_)),
                "Is the disk full?");
  }
  [[noreturn]] void fail_after_open() {
    const std::string what = sqlite3_errmsg(database_);
    close();
    throw Error(ErrorCode::kInput, path_, "SQLite cannot create it (" + what + ")",
                "Write to another folder");
  }
  void require(int result) const {
    if (result != SQLITE_OK) fail();
  }
  void run(const std::string& sql) const {
    require(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr));
  }

  static void require_sql_columns(const EventTable& table) {
    std::set<std::string> seen;
    for (const AttributeColumn& column : table.attributes) {
      std::string name = column.attribute.column;
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (!seen.insert(name).second)
        throw Error(ErrorCode::kUsage, "column '" + column.attribute.column + "'",
                    "is another's name but for case, which SQL does not tell apart",
                    "Choose another column name");
    }
  }

  void create_table(const EventTable& table, const std::string& suffix) {
    require_sql_columns(table);
    std::string columns =
        "rank INTEGER, \"index\" INTEGER, name TEXT, cat TEXT, pid, tid, ts_ns INTEGER, "
        "dur_ns INTEGER";
    for (const AttributeColumn& column : table.attributes)
      columns += ", " + in_quotes(column.attribute.column) + " " + sql_type(column.attribute.type);
    run("CREATE TABLE " + in_quotes("events" + suffix) + " (" + columns +
        ", index_correlation INTEGER, iteration INTEGER, end_ns INTEGER)");
    has_correlation_ = has_correlation_ || table.find("correlation") != nullptr;
  }

  void create_indexes_and_views(const std::string& suffix) const {
    const std::string events = in_quotes("events" + suffix);
    const auto index = [&](const char* name, const char* columns) {
      run(fmt::format("CREATE INDEX {} ON {} ({})", in_quotes(name + suffix), events, columns));
    };
    index("events_by_index", "rank, \"index\"");
    index("events_by_ts", "ts_ns");
    if (has_correlation_) index("events_by_correlation", "correlation");
    run(fmt::format(
        "CREATE VIEW {} AS SELECT d.rank AS rank, h.\"index\" AS launch_index, h.name AS launch, "
        "d.\"index\" AS device_index, d.name AS name, d.cat AS cat, h.ts_ns AS launch_ts_ns, "
        "h.dur_ns AS launch_dur_ns, d.ts_ns AS ts_ns, d.dur_ns AS dur_ns, "
        "d.ts_ns - h.ts_ns AS latency_ns, d.iteration AS iteration FROM {} d JOIN {} h "
        "ON h.rank = d.rank AND h.\"index\" = d.index_correlation "
        "WHERE d.cat IN {} AND h.cat NOT IN {}",
        in_quotes("launches" + suffix), events, events, device_categories(), device_categories()));
    run(
        fmt::format("CREATE VIEW {} AS SELECT rank, iteration, count(*) AS rows, "
                    "count(*) FILTER (WHERE cat IN {}) AS device_rows, min(ts_ns) AS ts_ns, "
                    "max(end_ns) AS end_ns, max(end_ns) - min(ts_ns) AS span_ns, "
                    "max(dur_ns) FILTER (WHERE name GLOB 'ProfilerStep#*' AND cat NOT GLOB 'gpu*') "
                    "AS dur_ns, "
                    "sum(dur_ns) FILTER (WHERE cat IN {}) AS device_ns "
                    "FROM {} WHERE iteration >= 0 GROUP BY rank, iteration",
                    in_quotes("steps" + suffix), device_categories(), device_categories(), events));
  }

  void insert(const EventTable& table, const std::string& name) const {
    constexpr std::size_t kBaseColumns = 11;
    std::string places = "?";
    for (std::size_t i = 1; i < kBaseColumns + table.attributes.size(); ++i) places += ", ?";
    sqlite3_stmt* prepared = nullptr;
    const std::string sql = "INSERT INTO " + in_quotes(name) + " VALUES (" + places + ")";
    require(sqlite3_prepare_v2(database_, sql.c_str(), -1, &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared,
                                                                          &sqlite3_finalize);
    for (const EventRowIndex row : rows_of(table)) {
      bind_row(prepared, table, row);
      if (sqlite3_step(prepared) != SQLITE_DONE) fail();
      require(sqlite3_reset(prepared));
    }
  }

  void bind_row(sqlite3_stmt* statement, const EventTable& table, EventRowIndex row) const {
    int place = 0;
    const auto number = [&](std::int64_t value) {
      require(sqlite3_bind_int64(statement, ++place, value));
    };
    const auto text = [&](StringId id) {
      const std::string_view bytes = table.strings[id];
      require(sqlite3_bind_text64(statement, ++place, bytes.data(), bytes.size(), SQLITE_STATIC,
                                  SQLITE_UTF8));
    };
    const auto identity = [&](StringId id) {
      std::int64_t value = 0;
      const std::string_view digits = table.strings[id];
      if (!is_plain_integer(digits)) return text(id);
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
      number(value);
    };
    number(table.rank);
    number(table.index[row]);
    text(table.name[row]);
    text(table.cat[row]);
    identity(table.pid[row]);
    identity(table.tid[row]);
    number(table.ts_ns[row]);
    number(table.dur_ns[row]);
    for (const AttributeColumn& column : table.attributes) {
      if (const auto* ints = std::get_if<IntColumn>(&column.values))
        number((*ints)[row]);
      else if (const auto* floats = std::get_if<FloatColumn>(&column.values))
        require(sqlite3_bind_double(statement, ++place, (*floats)[row]));
      else
        text(std::get<TextColumn>(column.values)[row]);
    }
    if (table.index_correlation[row] == kPartnerAbsent)
      require(sqlite3_bind_null(statement, ++place));  // 0 would join to the event of that index
    else
      number(table.index_correlation[row]);
    number(table.iteration[row]);
    number(table.end_ns(row));
  }

  std::string path_;
  SqliteTables tables_;
  sqlite3* database_ = nullptr;
  std::set<std::string> suffixes_;
  bool has_correlation_ = false;
};

}  // namespace

std::unique_ptr<EventWriter> sqlite_writer(const std::string& path, SqliteTables tables) {
  return std::make_unique<SqliteWriter>(path, tables);
}

}  // namespace nadi
