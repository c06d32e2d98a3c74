#include "nadi/read/further_documents.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/read/category_table.h"
#include "nadi/read/device_header.h"

namespace nadi {
namespace {

constexpr std::size_t kEventsLookedAt = 256, kMostJudgedBytes = 1 << 22, kMostRowBytes = 1 << 12;

/// Calls read(text with the padding that parsers want).
template <class Read>
auto with_padding(const std::string& text, const Read& read) {
  std::string padded = text;
  padded.append(Window::kPadding, '\0');
  return read(std::string_view(padded).substr(0, text.size()));
}

/// -1 = not recorded.
std::int64_t rank_in(const std::string& distributed_info, JsonParser& parser) {
  DeviceTrace header;
  with_padding(distributed_info, [&](std::string_view text) {
    return !text.empty() && read_device_header(parser, "distributedInfo", text, header);
  });
  return header.rank;
}

bool is_host_category(EventCategory kind) {
  return kind == EventCategory::kOp || kind == EventCategory::kAnnotation ||
         kind == EventCategory::kCall;
}

}  // namespace

bool FurtherDocuments::wants(std::string_view key) const {
  return key == "distributedInfo" || key == "baseTimeNanoseconds" || next_.wants(key);
}

bool FurtherDocuments::member(std::string_view key, std::string_view value) {
  note_header(key, value);
  if (document_ > 1 && fate_ == Fate::kTaken) report_late_header();
  if (fate_ == Fate::kLeftOut || !next_.wants(key)) return true;
  if (fate_ == Fate::kHeld) {
    held_members_.emplace_back(key, value);
    return true;
  }
  if (document_ > 1 && std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return true;
  keys_.emplace_back(key);
  return next_.member(key, value);
}

void FurtherDocuments::note_header(std::string_view key, std::string_view value) {
  if (key == "distributedInfo") current_.distributed_info = value;
  if (key == "baseTimeNanoseconds") current_.base_time = trim(value);
}

bool FurtherDocuments::event(std::string_view object, std::uint64_t number) {
  const bool is_whole = current_.events >= kEventsLookedAt || note_event(object);
  if (fate_ == Fate::kTaken) return next_.event(object, number);
  if (!is_whole) return false;  // the walk mends it
  if (fate_ == Fate::kLeftOut) return true;
  held_.add(object, number);
  if (current_.events >= kEventsLookedAt || held_.bytes() > kMostJudgedBytes) judge();
  return true;
}

/// False = the event is broken.
bool FurtherDocuments::note_event(std::string_view object) {
  if (!parse_event(parser_, object, keys_of_use_, event_)) return false;
  ++current_.events;
  if (event_.value(Field::kPhase).view() != "X") return true;
  if (current_.first_row.empty()) current_.first_row = object.substr(0, kMostRowBytes);
  if (is_host_category(event_category_of(event_.value(Field::kCategory).view())))
    current_.pids.emplace(event_.value(Field::kPid).view());
  return true;
}

bool FurtherDocuments::begin_document(std::uint64_t number) {
  judge();
  if (document_ == 1) {
    first_ = current_;
    first_.rank = rank_in(first_.distributed_info, parser_);
  }
  if (fate_ == Fate::kTaken) first_rows_.insert(current_.first_row);
  document_ = number;
  current_ = {};
  fate_ = Fate::kHeld;
  return true;
}

/// Why the current document is of another trace than the first; empty = nothing shows that.
std::string FurtherDocuments::difference() {
  if (!current_.distributed_info.empty())
    current_.rank = rank_in(current_.distributed_info, parser_);
  if (current_.rank >= 0 && first_.rank >= 0 && current_.rank != first_.rank)
    return fmt::format("is of rank {}, the first of rank {}", current_.rank, first_.rank);
  const bool have_bases = !current_.base_time.empty() && !first_.base_time.empty();
  if (have_bases && current_.base_time != first_.base_time)
    return "has another baseTimeNanoseconds than the first";
  const auto is_of_first = [&](const std::string& pid) { return first_.pids.contains(pid); };
  if (!current_.pids.empty() && !first_.pids.empty() &&
      std::none_of(current_.pids.begin(), current_.pids.end(), is_of_first))
    return fmt::format("is of process {}, the first of process {}", *current_.pids.begin(),
                       *first_.pids.begin());
  const bool is_repeated = !current_.first_row.empty() && first_rows_.contains(current_.first_row);
  return is_repeated ? "begins with the row of an earlier one" : "";
}

void FurtherDocuments::judge() {
  if (fate_ != Fate::kHeld) return;
  const std::string why = difference();
  fate_ = why.empty() ? Fate::kTaken : Fate::kLeftOut;
  if (!why.empty()) {
    diagnostics_.report(Finding::kDocumentUnread, fmt::format("document {} {}", document_, why));
    held_ = {};
    held_members_.clear();
    return;
  }
  if (current_.events > 0) ++joined_;
  for (const auto& [key, value] : std::exchange(held_members_, {})) {
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
    keys_.push_back(key);
    with_padding(value,
                 [&, &name = key](std::string_view text) { return next_.member(name, text); });
  }
  held_.release(
      [this](std::string_view object, std::uint64_t number) { return next_.event(object, number); },
      diagnostics_);
}

/// A header behind events that were taken already.
void FurtherDocuments::report_late_header() {
  const std::string why = difference();
  if (!why.empty() && current_.events > 0)
    diagnostics_.report(
        Finding::kDocumentUnread,
        fmt::format("document {} {}, as its end tells: it was read all the same", document_, why));
}

void FurtherDocuments::finish() {
  judge();
  if (joined_ > 0)
    diagnostics_.report(Finding::kDocumentsJoined, fmt::format("{} behind the first", joined_),
                        joined_);
}

}  // namespace nadi
