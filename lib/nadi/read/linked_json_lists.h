// The lists and objects inside a linked JSON that only nadi writes, and lists of node ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/evidence.h"
#include "nadi/base/string_table.h"
#include "nadi/model/clock_correction.h"
#include "nadi/model/comm_record.h"
#include "nadi/read/field_walk.h"
#include "nadi/read/time_text.h"

namespace nadi {

/// A runtime call with its time, by torch's logical thread id.
struct LinkedJsonCall {
  StringId name{};
  RowTime time;
  std::uint64_t tid = 0;
};

/// The nodes waited for that are guesses, and what each rests on.
struct Guesses {
  std::vector<std::pair<std::uint64_t, Inference>> by_id;
  Inference of(std::uint64_t id) const;
};

struct BlockingCall {
  LinkedJsonCall call;
  std::uint64_t op = 0;  ///< node id of the op around it; 0 = none
  std::int64_t correlation = -1;
  std::vector<std::uint64_t> rows;  ///< node ids, ascending
  Guesses guesses;
};

struct ThreadName {
  std::uint64_t tid = 0;
  StringId name{};
};

/// Returns the node ids of a list, ascending; what is no id is left out.
std::vector<std::uint64_t> ids_of(std::string_view list);
/// Reads two lists of equal length: ["pattern", …] beside the ids. Of a file without names, which
/// nadi wrote when guesses had no kinds, each rests on timing.
Guesses guesses_of(std::string_view ids, std::string_view by);
/// Returns the threads in the order of nadi's lanes: [{"tid": 1, "name": "pt_main_thread"}, …].
std::vector<ThreadName> threads_of(std::string_view list, JsonParser& parser, StringTable& strings);
/// Returns the corrections that had moved device times: [{"device": 0, "offset_ns": 8500, …}, …].
std::vector<ClockCorrection> clock_corrections_of(std::string_view list, JsonParser& parser);
/// Appends the calls of [{"name": …, "tid": …, "ts": …, "dur": …, "op": id, "correlation": …,
/// "rows": [ids], "inferred": [ids], "inferred_by": [names]}, …]; false = broken JSON. A call
/// without a time is reported and left out.
bool add_blocking_calls_of(std::string_view list, JsonParser& parser, StringTable& strings,
                           std::vector<BlockingCall>& calls, Diagnostics& diagnostics);
/// Returns what a node records of its communication; nothing for broken JSON.
std::optional<CommRecord> comm_record_of(std::string_view object, JsonParser& parser,
                                         StringTable& strings);

}  // namespace nadi
