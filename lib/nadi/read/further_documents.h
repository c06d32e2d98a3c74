// Decides which further JSON documents of a file are of the trace that the first one holds.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"
#include "nadi/read/held_events.h"
#include "nadi/read/json_event.h"
#include "nadi/read/trace_walk.h"

namespace nadi {

/// Hands on the first document, and those that are of its process: no header says another rank or
/// another base time, host rows are of a process that has some in the first, and the first row is
/// not that of an earlier document again. A document is judged by its header and its first 256
/// events, which are held until then. The others are left out ("document-unread").
class FurtherDocuments : public TraceVisitor {
 public:
  FurtherDocuments(TraceVisitor& next, Diagnostics& diagnostics)
      : next_(next), diagnostics_(diagnostics) {}

  bool wants(std::string_view key) const override;
  bool member(std::string_view key, std::string_view value) override;
  bool event(std::string_view object, std::uint64_t number) override;
  bool begin_document(std::uint64_t number) override;
  /// To be called behind the last document.
  void finish();

 private:
  enum class Fate : std::uint8_t { kTaken, kHeld, kLeftOut };

  /// What a document says of the process it is of.
  struct Identity {
    std::string distributed_info, base_time;  ///< of the header, as text
    std::int64_t rank = -1;                   ///< read from it when it is asked for
    std::set<std::string, std::less<>> pids;  ///< of host rows
    std::string first_row;                    ///< as text; empty = none yet
    std::size_t events = 0;                   ///< looked at
  };

  void note_header(std::string_view key, std::string_view value);
  bool note_event(std::string_view object);
  std::string difference();
  void judge();
  void report_late_header();

  TraceVisitor& next_;
  Diagnostics& diagnostics_;
  JsonParser parser_;
  const ArgumentKeys keys_of_use_;
  TraceEvent event_;
  Identity first_, current_;
  std::unordered_set<std::string> first_rows_;  ///< of all documents taken
  std::vector<std::string> keys_;               ///< header members that were handed on
  std::vector<std::pair<std::string, std::string>> held_members_;
  HeldEvents held_;
  std::uint64_t document_ = 1, joined_ = 0;
  Fate fate_ = Fate::kTaken;
};

}  // namespace nadi
