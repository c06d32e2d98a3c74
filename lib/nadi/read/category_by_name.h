// Gives complete events without a category that of the names of their process and thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "nadi/base/diagnostics.h"
#include "nadi/read/device_header.h"
#include "nadi/read/held_events.h"
#include "nadi/read/json_event.h"
#include "nadi/read/lane_categories.h"
#include "nadi/read/trace_walk.h"

namespace nadi {

/// Parses events, and hands them on as Kineto would have written them: with category, device,
/// stream and correlation. Names may stand behind the events: these are held until then, 64 MiB at
/// most. Events to which no name gives a category are left out and counted
/// ("rows-without-category").
class CategoryByName : public TraceVisitor {
 public:
  CategoryByName(const EventSubscriber& subscriber, Diagnostics& diagnostics)
      : subscriber_(subscriber), diagnostics_(diagnostics) {}

  bool wants(std::string_view key) const override { return is_device_header(key); }
  bool member(std::string_view key, std::string_view value) override {
    return read_device_header(parser_, key, value, subscriber_.header);
  }
  bool event(std::string_view object, std::uint64_t number) override;
  /// To be called behind the last event.
  void finish();

  /// True if an event was of a category that nadi knows. Calls whose category follows from a name
  /// do not count: a host's calls look alike whatever device it drives.
  bool has_rows() const { return has_rows_; }
  /// Complete events of categories that nadi does not know.
  bool has_other_categories() const { return has_other_categories_; }
  /// Complete events to which no name gives a category.
  std::uint64_t left_out() const { return left_out_; }

 private:
  bool parse(std::string_view object) {
    return parse_event(parser_, object, subscriber_.keys, event_);
  }
  void settle(std::string_view object, std::uint64_t number);
  void settle_row(std::string_view object, std::uint64_t number);
  void hold(std::string_view object, std::uint64_t number);
  void release();
  void note_name();
  void hand_on(const TraceEvent& event, std::uint64_t number) {
    subscriber_.take(event, event_index(number));
  }
  /// The event as Kineto would have written it.
  const TraceEvent& with_category(const LaneCategory& category, std::string_view process,
                                  std::string_view thread);
  void leave_out(std::string_view process, std::uint64_t number);
  std::string thread_key() const;

  const EventSubscriber& subscriber_;
  Diagnostics& diagnostics_;
  JsonParser parser_;
  TraceEvent event_, with_category_;
  std::unordered_map<std::string, std::string> processes_, threads_;  // names by pid; by pid, tid
  HeldEvents held_;
  bool may_hold_ = true, is_holding_ = false;
  bool has_rows_ = false, has_other_categories_ = false;
  std::uint64_t left_out_ = 0;
  struct LeftOut {
    std::uint64_t count = 0;
    std::string first;
  };
  std::map<std::string, LeftOut, std::less<>> left_out_by_process_;
  std::string scratch_;
};

}  // namespace nadi
