// Pairs the rows of an event table (launch <-> device row), and finds the iteration of each.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/events/event_table.h"

namespace nadi {

/// While a table is read its index_correlation holds what a row's partner is known by.
std::int64_t partner_mark(std::int64_t correlation, bool is_device);

/// The span of a ProfilerStep#N on a host thread.
struct StepSpan {
  StringId pid{};  ///< of the process whose step it is
  std::int32_t number = -1;
  Ns start_ns = 0, end_ns = 0;
};

/// Turns the marks into indices of partners, and gives rows their iterations: a host row that of
/// the span its start is in (of several the one that began last), a device row its launch's. Of
/// several rows of one correlation (K11) the last is the partner, as in HTA's tables. Where calls
/// are of several processes, correlations and steps are looked up within each. Needs a few MB
/// besides the table, of a table of a million calls and more a sixteenth of their index; of several
/// processes 80 bytes for each row with a correlation. Returns how many processes made calls.
std::size_t resolve_partners(EventTable& table, std::vector<StepSpan> steps);

}  // namespace nadi
