#include "nadi/model/row_processes.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace nadi {
namespace {

/// Of the rows of a resource that some process may have launched, so many are of its owner: a few
/// ids are those of other calls by chance.
constexpr std::uint64_t kPercentOfOwner = 90;

/// The parts of a file that hold the host rows of one process each; of files sorted by time there
/// are none.
class FileParts {
 public:
  FileParts(const std::vector<HostRowRange>& ranges, const std::vector<ProcesslessRow>& rows) {
    for (ProcessNumber process = 0; process < ranges.size(); ++process)
      parts_.push_back({ranges[process].first, ranges[process].last, process});
    std::sort(parts_.begin(), parts_.end());
    const auto overlap = [](const Part& a, const Part& b) {
      return std::get<0>(b) <= std::get<1>(a);
    };
    if (std::adjacent_find(parts_.begin(), parts_.end(), overlap) != parts_.end()) parts_.clear();
    see_rows_between(rows);
  }

  /// kNoProcess = the file does not say.
  ProcessNumber process_at(std::uint32_t order) const {
    const std::size_t part = part_before(order);
    if (part > 0 && order <= std::get<1>(parts_[part - 1])) return std::get<2>(parts_[part - 1]);
    if (follow_parts_ && part > 0) return std::get<2>(parts_[part - 1]);
    if (precede_parts_ && part < parts_.size()) return std::get<2>(parts_[part]);
    return kNoProcess;
  }

 private:
  using Part =
      std::tuple<std::uint32_t, std::uint32_t, ProcessNumber>;  // first, last row on a host

  /// How many parts begin before the position.
  std::size_t part_before(std::uint32_t order) const {
    const auto after = std::upper_bound(
        parts_.begin(), parts_.end(), order,
        [](std::uint32_t position, const Part& part) { return position < std::get<0>(part); });
    return static_cast<std::size_t>(after - parts_.begin());
  }

  /// Where each part has rows behind it, and none stand before all, each follows its part; likewise
  /// where they stand before.
  void see_rows_between(const std::vector<ProcesslessRow>& rows) {
    std::vector<bool> has_rows(parts_.size() + 1, false);  // by how many parts begin before
    for (const ProcesslessRow& row : rows) {
      const std::size_t part = part_before(row.order);
      if (part == 0 || row.order > std::get<1>(parts_[part - 1])) has_rows[part] = true;
    }
    const auto all = [](auto first, auto last) { return std::find(first, last, false) == last; };
    follow_parts_ =
        !parts_.empty() && !has_rows.front() && all(has_rows.begin() + 1, has_rows.end());
    precede_parts_ =
        !parts_.empty() && !has_rows.back() && all(has_rows.begin(), has_rows.end() - 1);
  }

  std::vector<Part> parts_;
  bool follow_parts_ = false, precede_parts_ = false;
};

/// Rows that each process may have launched.
using Votes = std::map<ProcessNumber, std::uint64_t>;

/// What speaks for the owner of a resource: a device, a context of it, or a stream of that.
struct Resource {
  Votes votes;
  std::uint64_t rows = 0;  ///< with a vote
  bool is_open = false;    ///< there are rows whose process is not known
};

class RowProcessSearch {
 public:
  RowProcessSearch(std::vector<ProcessCall> calls, const std::vector<ProcesslessRow>& rows,
                   const std::vector<HostRowRange>& ranges)
      : calls_(std::move(calls)), rows_(rows) {
    for (ProcessNumber process = 0; process < ranges.size(); ++process)
      without_place_.insert(process);
    keep_first_calls();
    found_.of_row.assign(rows.size(), kNoProcess);
    const FileParts parts(ranges, rows);
    for (std::size_t row = 0; row < rows.size(); ++row)
      found_.of_row[row] = parts.process_at(rows[row].order);
  }

  RowProcesses find() && {
    for (std::size_t depth = 1; depth <= 3; ++depth) give_to_owners(depth);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (found_.of_row[row] == kNoProcess) give_to_a_caller(row);
    return std::move(found_);
  }

 private:
  using ResourceKey = std::array<std::int64_t, 3>;

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

  static bool may_have_launched(const ProcessCall& call, const ProcesslessRow& row) {
    return row.start_ns == kNoTime || call.begin_ns <= row.start_ns;
  }

  /// The first `depth` of device, context and stream.
  static ResourceKey key_of(const ProcesslessRow& row, std::size_t depth) {
    ResourceKey key = row.lane;
    std::fill(key.begin() + static_cast<std::ptrdiff_t>(depth), key.end(), -1);
    return key;
  }

  std::map<ResourceKey, Resource> count_votes(std::size_t depth) const {
    std::map<ResourceKey, Resource> resources;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      Resource& resource = resources[key_of(rows_[row], depth)];
      if (const ProcessNumber known = found_.of_row[row]; known != kNoProcess) {
        ++resource.votes[known];
        ++resource.rows;
        continue;
      }
      resource.is_open = true;
      bool has_vote = false;
      for (const ProcessCall& call : calls_of(rows_[row])) {
        if (!may_have_launched(call, rows_[row])) continue;
        ++resource.votes[call.process];
        has_vote = true;
      }
      resource.rows += has_vote ? 1 : 0;
    }
    return resources;
  }

  /// Processes that may own the resource, for nearly all of its rows may be theirs; most rows
  /// first.
  static std::vector<std::pair<std::uint64_t, ProcessNumber>> likely_owners(
      const Resource& resource) {
    std::vector<std::pair<std::uint64_t, ProcessNumber>> owners;
    for (const auto& [process, count] : resource.votes)
      if (count * 100 >= resource.rows * kPercentOfOwner) owners.emplace_back(count, process);
    std::stable_sort(owners.begin(), owners.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return owners;
  }

  /// Places with one likely owner come first; of several the one with most rows, if several have as
  /// many the first that owns nothing, is guessed.
  void give_to_owners(std::size_t depth) {
    const std::map<ResourceKey, Resource> resources = count_votes(depth);
    std::map<ResourceKey, ProcessNumber> owners, guessed;
    for (const auto& [key, resource] : resources)
      if (const auto likely = likely_owners(resource); likely.size() == 1) {
        owners[key] = likely.front().second;
        without_place_.erase(likely.front().second);
      }
    for (const auto& [key, resource] : resources) {
      const auto likely = likely_owners(resource);
      if (likely.size() < 2) continue;
      const auto free = std::find_if(likely.begin(), likely.end(), [&](const auto& one) {
        return one.first == likely.front().first && without_place_.contains(one.second);
      });
      const ProcessNumber owner = (free == likely.end() ? likely.front() : *free).second;
      guessed[key] = owner;
      without_place_.erase(owner);
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (found_.of_row[row] != kNoProcess) continue;
      const ResourceKey key = key_of(rows_[row], depth);
      if (const auto owner = owners.find(key); owner != owners.end()) {
        found_.of_row[row] = owner->second;
      } else if (const auto guess = guessed.find(key); guess != guessed.end()) {
        found_.of_row[row] = guess->second;
        ++found_.guessed;
      }
    }
  }

  /// A row of a stream that several processes use: of the only one that has its correlation, else
  /// of the one whose call came last before it.
  void give_to_a_caller(std::size_t row) {
    const auto calls = calls_of(rows_[row]);
    const ProcessCall* last = nullptr;
    for (const ProcessCall& call : calls)
      if (may_have_launched(call, rows_[row]) &&
          (last == nullptr || last->begin_ns < call.begin_ns))
        last = &call;
    if (last == nullptr && !calls.empty()) last = &calls.front();
    found_.of_row[row] = last == nullptr ? 0 : last->process;
    found_.guessed += calls.size() == 1 ? 0 : 1;
  }

  std::vector<ProcessCall> calls_;
  const std::vector<ProcesslessRow>& rows_;
  std::set<ProcessNumber> without_place_;
  RowProcesses found_;
};

}  // namespace

RowProcesses find_row_processes(std::vector<ProcessCall> calls,
                                const std::vector<ProcesslessRow>& rows,
                                const std::vector<HostRowRange>& ranges) {
  return RowProcessSearch(std::move(calls), rows, ranges).find();
}

}  // namespace nadi
