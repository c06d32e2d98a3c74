#include "nadi/read/event_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/read/json_repair.h"
#include "nadi/read/json_text.h"
#include "nadi/read/object_scanner.h"

namespace nadi {
namespace {

// An event beyond this size is looked at twice: an unescaped quote may have joined it to the next.
constexpr std::size_t kSuspiciousBytes = 1 << 12;
constexpr std::size_t kFirstLimit = 1 << 16;
constexpr std::size_t kMostEventBytes = 1 << 27;
constexpr std::size_t kLookedAhead = 1 << 12;
constexpr std::size_t kKeptWhileSkipping = 256;

}  // namespace

char next_byte(Window& window, char also) {
  for (;;) {
    const std::string_view text = window.text();
    std::size_t at = 0;
    while (at < text.size() && (is_space(text[at]) || text[at] == also)) ++at;
    window.advance(at);
    if (at < text.size()) return text[at];
    if (!window.fill()) return '\0';
  }
}

std::string EventList::place() const {
  return fmt::format("{} {} at byte {}", shape_.event_word, events_, window_.position());
}

bool EventList::read() {
  for (;;) {
    const char c = next_byte(window_, ',');
    if (c == '\0') return false;
    if (c == ']') {
      window_.advance(1);
      return true;
    }
    if (c == '{') {
      read_event();
    } else {
      skip_to_event_start(Finding::kBrokenJsonSkipped);
    }
  }
}

void EventList::read_event() {
  ObjectScanner<Brackets::kBraces> scanner;
  for (std::size_t limit = kFirstLimit;;) {
    const std::string_view text = window_.text();
    const auto size = scanner.find_end(text);
    if (size && accept(text.substr(0, *size))) {
      window_.advance(*size);
      ++events_;
      return;
    }
    if (size) return mend_event(*size);
    if (text.size() >= limit) {
      const auto next = find_next_event(text, 1, shape_.is_event_start);
      if (next && accept_repaired(next->end_before)) return;
      limit *= 2;
    }
    if (limit > kMostEventBytes) return skip_to_event_start(Finding::kOversizedEvent);
    if (!window_.fill()) return mend_event(0);
  }
}

bool EventList::accept(std::string_view object) {
  if (object.size() > kSuspiciousBytes && find_next_event(object, 1, shape_.is_event_start))
    return false;
  return visitor_.event(object, events_);
}

/// Repairs the first `size` bytes of the window as one event; true = done with them.
bool EventList::accept_repaired(std::size_t size) {
  const bool is_repaired =
      take_repaired(window_.text().substr(0, size),
                    [&](std::string_view event) { return visitor_.event(event, events_); });
  if (!is_repaired) return false;
  diagnostics_.report(Finding::kBrokenJsonRepaired, place());
  window_.advance(size);
  ++events_;
  return true;
}

/// The event at the front of the window cannot be parsed. `size_if_whole`: where its braces are
/// balanced, which means little if its quotes are not; 0 = nowhere before the data ended.
void EventList::mend_event(std::size_t size_if_whole) {
  if (size_if_whole > 0 && mend_whole_event(size_if_whole)) return;
  window_.fill_to(size_if_whole + kLookedAhead);
  const std::string_view text = window_.text();
  const auto next = find_next_event(text, 1, shape_.is_event_start);
  const auto list_end = next ? std::nullopt : find_list_end(text, shape_.is_event_end);
  const bool is_cut = !next && !list_end && size_if_whole == 0;
  const std::size_t size = next ? next->end_before : list_end.value_or(size_if_whole);
  if (size > 0 && accept_repaired(size)) return;
  if (is_cut)
    report_cut(place(), diagnostics_);
  else
    diagnostics_.report(Finding::kBrokenJsonSkipped, place());
  ++events_;
  window_.advance(is_cut ? text.size() : std::max<std::size_t>(size, 1));
}

/// Mends an event whose braces are balanced.
bool EventList::mend_whole_event(std::size_t size) {
  const std::string_view object = window_.text().substr(0, size);
  const auto next = find_next_event(object, 1, shape_.is_event_start);
  if (!next) return accept_repaired(size);
  if (accept_repaired(next->end_before)) return true;
  // Valid JSON all the same: an event in the arguments of an event?
  if (!visitor_.event(object, events_)) return false;
  window_.advance(size);
  ++events_;
  return true;
}

/// Gives up the bytes up to the next place where an event begins.
void EventList::skip_to_event_start(Finding kind) {
  diagnostics_.report(kind, place());
  if (kind == Finding::kOversizedEvent) ++events_;
  window_.advance(1);
  for (;;) {
    const std::string_view text = window_.text();
    if (const auto next = find_any_event(text, shape_.is_event_start)) {
      window_.advance(*next);
      return;
    }
    if (const auto end = find_list_end(text, shape_.is_event_end)) {
      window_.advance(*end);
      return;
    }
    if (text.size() > kKeptWhileSkipping) window_.advance(text.size() - kKeptWhileSkipping);
    if (!window_.fill()) {
      window_.advance(window_.text().size());
      return;
    }
  }
}

}  // namespace nadi
