#include "nadi/converters/html/diff_page_calls.h"

#include <algorithm>
#include <cmath>

namespace nadi::html {
namespace {

constexpr std::size_t kCallBytes = 2'000'000, kCallNameBytes = 400;

std::size_t bytes_of(const CallDiff& call) {
  constexpr std::size_t kNumbers = 90;
  return std::min(call.row.key.size(), kCallNameBytes) + kNumbers;
}

/// The calls that changed most, with those around them, as far as kCallBytes go.
std::vector<bool> choose_calls(const std::vector<CallDiff>& calls) {
  std::vector<std::size_t> order(calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(calls[a].own.diff_mean_ns()) > std::abs(calls[b].own.diff_mean_ns());
  });
  std::vector<bool> chosen(calls.size());
  std::size_t bytes = 0;
  if (!chosen.empty()) chosen[0] = true;
  for (std::size_t place : order) {
    for (; !chosen[place]; place = calls[place].parent) {
      chosen[place] = true;
      bytes += bytes_of(calls[place]);
    }
    if (bytes > kCallBytes) break;
  }
  return chosen;
}

Json call_json(const CallDiff& call, std::uint32_t parent) {
  const auto whole = [](double ns) { return static_cast<std::int64_t>(std::llround(ns)); };
  const auto rounded = [](double count) { return std::round(count * 100) / 100; };
  return {parent,
          cut_end(call.row.key, kCallNameBytes),
          call.is_device ? 1 : 0,
          rounded(call.row.control.mean_count),
          rounded(call.row.test.mean_count),
          whole(call.row.control.mean_ns),
          whole(call.row.test.mean_ns),
          whole(call.own.diff_mean_ns()),
          whole(call.test_device.mean_ns - call.control_device.mean_ns)};
}

}  // namespace

void add_calls(const DiffReport& report, Json& data) {
  const std::vector<bool> chosen = choose_calls(report.calls);
  std::vector<std::uint32_t> place(report.calls.size());  // in the page
  Json list = Json::array();
  for (std::size_t i = 0; i < report.calls.size(); ++i) {
    if (!chosen[i]) continue;
    place[i] = static_cast<std::uint32_t>(list.size());
    list.push_back(call_json(report.calls[i], place[report.calls[i].parent]));
  }
  data["calls_left_out"] = report.calls.size() - list.size();
  data["calls"] = std::move(list);
}

}  // namespace nadi::html
