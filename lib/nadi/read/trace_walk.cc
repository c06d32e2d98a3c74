#include "nadi/read/trace_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "nadi/read/event_list.h"
#include "nadi/read/json_repair.h"
#include "nadi/read/json_text.h"
#include "nadi/read/object_scanner.h"

namespace nadi {
namespace {

constexpr std::size_t kMostKeyBytes = 1 << 12;
constexpr std::size_t kMostMemberBytes = 1 << 26;
constexpr std::size_t kMostHeaderBytes = 1 << 22;

class TraceWalk {
 public:
  TraceWalk(Window& window, const TraceShape& shape, TraceVisitor& visitor,
            Diagnostics& diagnostics)
      : window_(window), shape_(shape), visitor_(visitor), diagnostics_(diagnostics) {}

  WalkResult run() {
    const bool is_list = next_byte(window_) == '[' && shape_.may_be_bare_list;
    if (is_list && is_list_of_documents()) window_.advance(1);
    read_documents();
    return result_;
  }

 private:
  /// Reads documents up to the end of the data, or to what begins none.
  void read_documents() {
    for (std::uint64_t number = 1;; ++number) {
      const char first = number == 1 ? next_byte(window_, ',') : next_start();
      const bool is_list = first == '[' && (shape_.may_be_bare_list || number > 1);
      const bool is_document = is_list || (first == '{' && (number == 1 || !is_lone_event()));
      if (!is_document && number > 1) report_rest();
      if (!is_document) return;
      if (number > 1 && !visitor_.begin_document(number)) {
        diagnostics_.report(Finding::kDocumentUnread, fmt::format("document {} begins at byte {}",
                                                                  number, window_.position()));
        return;
      }
      if (!read_document(first)) return;
    }
  }

  /// The byte behind a document where the next may begin: whatever may close or separate them is
  /// passed over.
  char next_start() {
    for (;;) {
      const char c = next_byte(window_, ',');
      if (c != ']' && c != '}') return c;
      window_.advance(1);
    }
  }

  /// True where an event begins that is in no list: the rest of a longer file.
  bool is_lone_event() {
    window_.fill_to(kMostKeyBytes);
    return shape_.is_event_start(window_.text());
  }

  /// What follows begins no document: a loss where it holds events.
  void report_rest() {
    const std::uint64_t begin = window_.position();
    while (window_.position() - begin < kMostMemberBytes) {
      const std::string_view text = window_.text();
      if (text.find(shape_.event_mark) != std::string_view::npos) {
        diagnostics_.report(Finding::kDocumentUnread,
                            fmt::format("{}s of no document from byte {} (the rest of a longer "
                                        "file that was written over?)",
                                        shape_.event_word, begin));
        return;
      }
      const std::size_t kept = std::min(text.size(), shape_.event_mark.size());
      window_.advance(text.size() - kept);
      if (!window_.fill()) return;
    }
  }

  /// False = the data ended in it.
  bool read_document(char first) {
    is_closed_ = false;
    if (first == '[') {
      read_list();
      return result_.list_closed;
    }
    window_.advance(1);
    while (read_member()) {
    }
    return is_closed_;
  }

  /// True where "traceEvents" stands before the first event: the elements of the list hold lists.
  bool is_list_of_documents() {
    for (;;) {
      const std::string_view text = window_.text();
      const std::size_t event = text.find(shape_.event_mark);
      const std::string_view before = text.substr(0, event);
      if (before.find(fmt::format("\"{}\"", shape_.list_key)) != std::string_view::npos)
        return true;
      if (event != std::string_view::npos) return false;
      if (text.size() >= kMostHeaderBytes || !window_.fill()) return false;
    }
  }

  void read_list() {
    window_.advance(1);
    result_.found_list = true;
    EventList list(window_, shape_, visitor_, diagnostics_, result_.events);
    result_.list_closed = list.read();
    result_.events = list.events();
  }

  /// One "key": value of the top level; false = there is no further.
  bool read_member() {
    const char c = next_byte(window_, ',');
    is_closed_ = c == '}';
    if (is_closed_) window_.advance(1);
    if (c == '\0' || c == '}') return false;
    const auto key = c == '"' ? take_key() : std::nullopt;
    if (!key) return find_list();
    const char value = next_byte(window_);
    if (*key == shape_.list_key && value == '[') {
      read_list();
      return result_.list_closed;
    }
    return visitor_.wants(*key) ? read_value(*key) : skip_value();
  }

  std::optional<std::string> take_key() {
    const auto end = end_of_string();
    if (!end || *end > kMostKeyBytes) return std::nullopt;
    const std::string key(window_.text().substr(1, *end - 2));
    window_.advance(*end);
    if (next_byte(window_) != ':') return std::nullopt;
    window_.advance(1);
    return key;
  }

  /// Size of the string at the front of the window, quotes included.
  std::optional<std::size_t> end_of_string() {
    for (std::size_t at = 1;;) {
      const std::string_view text = window_.text();
      for (; at < text.size(); ++at) {
        if (text[at] == '\\') {
          ++at;
        } else if (text[at] == '"') {
          return at + 1;
        }
      }
      if (text.size() > kMostMemberBytes || !window_.fill()) return std::nullopt;
    }
  }

  /// Size of the value at the front of the window, which then is in the window whole.
  std::optional<std::size_t> end_of_value(char first) {
    if (first == '"') return end_of_string();
    if (first != '{' && first != '[') return end_of_word();
    ObjectScanner<Brackets::kAll> scanner;
    for (;;) {
      if (const auto end = scanner.find_end(window_.text())) return end;
      if (window_.text().size() > kMostMemberBytes || !window_.fill()) return std::nullopt;
    }
  }

  std::optional<std::size_t> end_of_word() {
    for (;;) {
      const std::size_t end = window_.text().find_first_of(",}\n");
      if (end != std::string_view::npos) return end;
      if (window_.text().size() > kMostMemberBytes || !window_.fill()) return std::nullopt;
    }
  }

  /// True if a key or the end of the object follows the value of `size` bytes.
  bool is_plausible_end(std::size_t size) {
    window_.fill_to(size + kMostKeyBytes);
    const std::string_view rest = window_.text().substr(size);
    std::size_t at = 0;
    while (at < rest.size() && is_space(rest[at])) ++at;
    return at == rest.size() || rest[at] == ',' || rest[at] == '}';
  }

  bool read_value(const std::string& key) {
    const auto size = end_of_value(next_byte(window_));
    if (!size || !is_plausible_end(*size)) return find_list();
    const std::string_view value = window_.text().substr(0, *size);
    if (!visitor_.member(key, value) && !read_repaired(key, value))
      diagnostics_.report(Finding::kBrokenJsonSkipped, place(key));
    window_.advance(*size);
    return true;
  }

  bool read_repaired(const std::string& key, std::string_view value) {
    const bool is_repaired = take_repaired(
        value, [&](std::string_view repaired) { return visitor_.member(key, repaired); });
    if (!is_repaired) return false;
    diagnostics_.report(Finding::kBrokenJsonRepaired, place(key));
    return true;
  }

  std::string place(const std::string& key) const {
    return fmt::format("\"{}\" at byte {}", key, window_.position());
  }

  /// Passes over a value without holding it.
  bool skip_value() {
    const char first = next_byte(window_);
    if (first != '{' && first != '[') {
      const auto size = end_of_value(first);
      if (!size || !is_plausible_end(*size)) return find_list();
      window_.advance(*size);
      return true;
    }
    ObjectScanner<Brackets::kAll> scanner;
    for (;;) {
      if (const auto end = scanner.find_end(window_.text())) {
        window_.advance(*end);
        return true;
      }
      window_.advance(scanner.release());
      if (!window_.fill()) return truncated();
    }
  }

  /// The top level is broken here: goes on at the list of events, wherever it is.
  bool find_list() {
    const std::string wanted = fmt::format("\"{}\"", shape_.list_key);
    const std::uint64_t begin = window_.position();
    for (;;) {
      const std::size_t at = window_.text().find(wanted);
      if (at != std::string_view::npos && !result_.found_list) {
        diagnostics_.report(Finding::kBrokenJsonSkipped,
                            fmt::format("top level from byte {}", begin));
        window_.advance(at);
        return true;
      }
      const std::size_t size = window_.text().size();
      window_.advance(size > wanted.size() ? size - wanted.size() : 0);
      if (!window_.fill()) return truncated();
    }
  }

  bool truncated() {
    report_cut(fmt::format("byte {}", window_.position() + window_.text().size()), diagnostics_);
    return false;
  }

  Window& window_;
  const TraceShape& shape_;
  TraceVisitor& visitor_;
  Diagnostics& diagnostics_;
  WalkResult result_;
  bool is_closed_ = false;  // the document last read was closed
};

}  // namespace

WalkResult walk_trace(Window& window, const TraceShape& shape, TraceVisitor& visitor,
                      Diagnostics& diagnostics) {
  return TraceWalk(window, shape, visitor, diagnostics).run();
}

void report_cut(std::string_view place, Diagnostics& diagnostics) {
  const std::string& trace = diagnostics.trace();
  diagnostics.report(Finding::kTruncatedInput,
                     fmt::format("{}{}{}", trace, trace.empty() ? "" : ", ", place));
}

void report_cut_once(std::string_view place, Diagnostics& diagnostics) {
  if (diagnostics.count(Finding::kTruncatedInput) == 0) report_cut(place, diagnostics);
}

}  // namespace nadi
