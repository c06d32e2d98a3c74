#include "nadi/model/row_processes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace nadi {
namespace {

constexpr ProcessNumber kOpen = 0xffffffffU;

/// The parts of a file that hold the rows of one process each; of files sorted by time there are
/// none.
class FileParts {
 public:
  explicit FileParts(const std::vector<HostRowRange>& ranges) {
    for (ProcessNumber process = 0; process < ranges.size(); ++process)
      parts_.push_back({ranges[process].first, ranges[process].last, process});
    std::sort(parts_.begin(), parts_.end());
    const auto overlap = [](const Part& a, const Part& b) {
      return std::get<0>(b) <= std::get<1>(a);
    };
    if (std::adjacent_find(parts_.begin(), parts_.end(), overlap) != parts_.end()) parts_.clear();
  }

  /// kOpen = the file does not tell.
  ProcessNumber process_at(std::uint32_t order) const {
    if (parts_.empty()) return kOpen;
    const auto after = std::upper_bound(
        parts_.begin(), parts_.end(), order,
        [](std::uint32_t place, const Part& part) { return place < std::get<0>(part); });
    return std::get<2>(after == parts_.begin() ? *after : *std::prev(after));
  }

 private:
  using Part =
      std::tuple<std::uint32_t, std::uint32_t, ProcessNumber>;  // first, last row on a host

  std::vector<Part> parts_;
};

class RowProcessSearch {
 public:
  RowProcessSearch(std::vector<ProcessCall> calls, const std::vector<ProcesslessRow>& rows,
                   const std::vector<HostRowRange>& ranges)
      : calls_(std::move(calls)), rows_(rows), processes_(ranges.size()) {
    keep_first_calls();
    found_.of_row.assign(rows.size(), kOpen);
    take_ids();
    take_file_parts(FileParts(ranges));
    for (std::size_t depth = 3; depth > 0; --depth) take_neighbours(depth);
  }

  RowProcesses found() && {
    for (const ProcessNumber process : found_.of_row) found_.guessed += process == kOpen ? 1 : 0;
    if (found_.guessed > 0) {
      guess_by_device();
      guess_by_time();
    }
    return std::move(found_);
  }

 private:
  /// Of each correlation the first call of each process.
  void keep_first_calls() {
    const auto key = [](const ProcessCall& call) {
      return std::tie(call.correlation, call.process, call.begin_ns);
    };
    std::sort(calls_.begin(), calls_.end(),
              [&](const ProcessCall& a, const ProcessCall& b) { return key(a) < key(b); });
    const auto end =
        std::unique(calls_.begin(), calls_.end(), [](const ProcessCall& a, const ProcessCall& b) {
          return a.correlation == b.correlation && a.process == b.process;
        });
    calls_.erase(end, calls_.end());
  }

  /// Calls with the row's correlation, one of each process; of very many processes none.
  std::span<const ProcessCall> calls_of(const ProcesslessRow& row) const {
    constexpr std::ptrdiff_t kMostCalls = 256;
    if (row.correlation < 0) return {};
    const auto [first, last] = std::equal_range(
        calls_.begin(), calls_.end(), ProcessCall{row.correlation, 0, 0},
        [](const auto& a, const auto& b) { return a.correlation < b.correlation; });
    if (last - first > kMostCalls) return {};
    return {first, last};
  }

  /// True if the process can have made the row: it has a call with the row's correlation, or
  /// nobody has.
  bool may_be_of(const ProcesslessRow& row, ProcessNumber process) const {
    const auto calls = calls_of(row);
    return calls.empty() || std::any_of(calls.begin(), calls.end(), [&](const ProcessCall& call) {
             return call.process == process;
           });
  }

  void take_ids() {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (const auto calls = calls_of(rows_[row]); calls.size() == 1)
        found_.of_row[row] = calls.front().process;
  }

  void take_file_parts(const FileParts& parts) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] != kOpen) continue;
      const ProcessNumber process = parts.process_at(rows_[row].order);
      if (process != kOpen && may_be_of(rows_[row], process)) found_.of_row[row] = process;
    }
  }

  /// The first `depth` of device, context and stream.
  static std::array<std::int64_t, 3> place_of(const ProcesslessRow& row, std::size_t depth) {
    std::array<std::int64_t, 3> place = row.lane;
    std::fill(place.begin() + static_cast<std::ptrdiff_t>(depth), place.end(), -1);
    return place;
  }

  /// Rows of one place whose other rows are all of one process.
  void take_neighbours(std::size_t depth) {
    std::map<std::array<std::int64_t, 3>, std::set<ProcessNumber>> known;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (found_.of_row[row] != kOpen)
        known[place_of(rows_[row], depth)].insert(found_.of_row[row]);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] != kOpen) continue;
      const auto place = known.find(place_of(rows_[row], depth));
      if (place == known.end() || place->second.size() != 1) continue;
      const ProcessNumber process = *place->second.begin();
      if (may_be_of(rows_[row], process)) found_.of_row[row] = process;
    }
  }

  /// How many rows of a device each process may have launched, by ids and times.
  using PossibleRows = std::map<ProcessNumber, std::uint64_t>;

  /// By device.
  std::map<std::int64_t, PossibleRows> count_possible() const {
    std::map<std::int64_t, PossibleRows> possible;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] != kOpen) continue;
      PossibleRows& of_device = possible[rows_[row].lane.front()];
      for (const ProcessCall& call : calls_of(rows_[row]))
        if (rows_[row].start_ns == kNoTime || call.begin_ns <= rows_[row].start_ns)
          ++of_device[call.process];
    }
    return possible;
  }

  /// The process that may have launched most of the rows; of several the first that has no device.
  static ProcessNumber likeliest(const PossibleRows& possible,
                                 const std::set<ProcessNumber>& without_device) {
    std::uint64_t most = 0;
    for (const auto& [process, count] : possible) most = std::max(most, count);
    std::optional<ProcessNumber> first;
    for (const auto& [process, count] : possible) {
      if (count < most) continue;
      if (without_device.contains(process)) return process;
      if (!first) first = process;
    }
    return first.value_or(without_device.empty() ? 0 : *without_device.begin());
  }

  /// Of devices of which no row is known yet.
  void guess_by_device() {
    std::set<std::int64_t> known_devices;
    std::set<ProcessNumber> without_device;
    for (ProcessNumber process = 0; process < processes_; ++process) without_device.insert(process);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] == kOpen) continue;
      known_devices.insert(rows_[row].lane.front());
      without_device.erase(found_.of_row[row]);
    }
    std::map<std::int64_t, ProcessNumber> of_device;
    for (const auto& [device, possible] : count_possible()) {
      if (known_devices.contains(device)) continue;
      of_device[device] = likeliest(possible, without_device);
      without_device.erase(of_device[device]);
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto device = of_device.find(rows_[row].lane.front());
      if (found_.of_row[row] == kOpen && device != of_device.end() &&
          may_be_of(rows_[row], device->second))
        found_.of_row[row] = device->second;
    }
  }

  void guess_by_time() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] != kOpen) continue;
      const auto calls = calls_of(rows_[row]);
      const Ns start = rows_[row].start_ns;
      const ProcessCall* last = nullptr;
      for (const ProcessCall& call : calls)
        if ((start == kNoTime || call.begin_ns <= start) &&
            (last == nullptr || last->begin_ns < call.begin_ns))
          last = &call;
      if (last == nullptr && !calls.empty()) last = &calls.front();
      found_.of_row[row] = last == nullptr ? 0 : last->process;
    }
  }

  std::vector<ProcessCall> calls_;
  const std::vector<ProcesslessRow>& rows_;
  std::size_t processes_;
  RowProcesses found_;
};

}  // namespace

RowProcesses find_row_processes(std::vector<ProcessCall> calls,
                                const std::vector<ProcesslessRow>& rows,
                                const std::vector<HostRowRange>& ranges) {
  return RowProcessSearch(std::move(calls), rows, ranges).found();
}

}  // namespace nadi
