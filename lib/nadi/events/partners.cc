#include "nadi/events/partners.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "nadi/base/id_map.h"
#include "nadi/model/row_processes.h"

namespace nadi {
namespace {

constexpr std::int64_t kDeviceWithoutCall = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostCorrelation = std::int64_t{1} << 61;
constexpr std::int64_t kUnresolvedCorrelation = 0xffffffff;  // 2^32 - 1 means "none"
// A pass looks at every row: larger tables take larger passes, so that there are 16 at most.
constexpr std::size_t kLeastCallsPerPass = 1 << 16;
constexpr std::size_t kMostPasses = 16;

// Marks of correlations lie below what resolved rows hold.
constexpr std::int64_t kFirstMark = kPartnerAbsent - 1;

bool has_correlation(std::int64_t mark) { return mark <= kFirstMark && mark != kDeviceWithoutCall; }
bool is_device(std::int64_t mark) {
  return mark == kDeviceWithoutCall || (has_correlation(mark) && ((kFirstMark - mark) & 1) != 0);
}
std::int64_t correlation_of(std::int64_t mark) { return (kFirstMark - mark) >> 1; }

std::uint64_t mixed(std::int64_t correlation) {
  return (static_cast<std::uint64_t>(correlation) * 0x9e3779b97f4a7c15U) >> 32;
}

/// The iteration of each moment: spans by start, and the latest-started span that is open.
class Iterations {
 public:
  explicit Iterations(std::vector<StepSpan> steps) : steps_(std::move(steps)) {
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](const StepSpan& a, const StepSpan& b) { return a.start_ns < b.start_ns; });
    latest_end_.reserve(steps_.size());
    for (const StepSpan& step : steps_)
      latest_end_.push_back(latest_end_.empty() ? step.end_ns
                                                : std::max(latest_end_.back(), step.end_ns));
  }

  std::int32_t at(Ns time) const {
    auto step = std::upper_bound(steps_.begin(), steps_.end(), time,
                                 [](Ns t, const StepSpan& s) { return t < s.start_ns; });
    for (std::size_t looked = 0; step != steps_.begin() && looked < kMostLooked; ++looked) {
      --step;
      if (time < step->end_ns) return step->number;
      if (time >= latest_end_[static_cast<std::size_t>(step - steps_.begin())]) break;
    }
    return -1;
  }

 private:
  static constexpr std::size_t kMostLooked = 64;  // nested spans of a strange trace

  std::vector<StepSpan> steps_;
  std::vector<Ns> latest_end_;
};

struct Call {
  EventRowIndex host_row, device_row;
};

/// Resolves the correlations of one pass: those whose hash gives `pass` of `passes`.
class Pass {
 public:
  Pass(EventTable& table, std::size_t pass, std::size_t passes)
      : table_(table), pass_(pass), passes_(passes) {}

  void run() {
    for_each_mark([this](EventRowIndex row, std::int64_t mark) {
      Call& call = calls_[correlation_of(mark)];
      (is_device(mark) ? call.device_row : call.host_row) = row;
    });
    for_each_mark([this](EventRowIndex row, std::int64_t mark) {
      const Call& call = calls_[correlation_of(mark)];
      const EventRowIndex partner = is_device(mark) ? call.host_row : call.device_row;
      table_.index_correlation.set(row, partner ? table_.index[partner] : kPartnerAbsent);
      if (partner && is_device(mark)) table_.iteration.set(row, table_.iteration[partner]);
    });
  }

 private:
  template <class Visit>
  void for_each_mark(const Visit& visit) {
    for (const EventRowIndex row : rows_of(table_)) {
      const std::int64_t mark = table_.index_correlation[row];
      if (has_correlation(mark) && mixed(correlation_of(mark)) % passes_ == pass_) visit(row, mark);
    }
  }

  EventTable& table_;
  std::size_t pass_, passes_;
  IdMap<std::int64_t, Call> calls_;
};

std::vector<std::int32_t> numbers_of(const std::vector<StepSpan>& steps) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(steps.size());
  for (const StepSpan& step : steps) numbers.push_back(step.number);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

std::int64_t partner_mark(std::int64_t correlation, bool is_device_row) {
  const bool is_call =
      correlation >= 0 && correlation < kMostCorrelation && correlation != kUnresolvedCorrelation;
  if (!is_call) return is_device_row ? kDeviceWithoutCall : kNoDeviceCall;
  return kFirstMark - (correlation * 2 + (is_device_row ? 1 : 0));
}

namespace {

/// The pids of calls, by first row; most tables have one.
std::vector<StringId> pids_of_calls(const EventTable& table) {
  std::vector<StringId> pids;
  IdSet<std::uint64_t> known;
  for (const EventRowIndex row : rows_of(table)) {
    const std::int64_t mark = table.index_correlation[row];
    if (!has_correlation(mark) || is_device(mark)) continue;
    const StringId pid = table.pid[row];
    if ((pids.empty() || pids.back() != pid) &&
        known.insert(static_cast<std::uint64_t>(pid)).second)
      pids.push_back(pid);
  }
  return pids;
}

/// The rows of a table by the processes that made calls.
class TableProcesses {
 public:
  TableProcesses(const EventTable& table, const std::vector<StringId>& pids)
      : table_(table), ranges_(pids.size()) {
    for (ProcessNumber process = 0; process < pids.size(); ++process)
      numbers_[static_cast<std::uint64_t>(pids[process])] = process;
    find_rows();
  }

  /// Gives each process correlations that no other one has.
  void separate(EventTable& table) const {
    const std::vector<ProcessNumber> of_row =
        find_row_processes(calls_, device_rows_, ranges_).of_row;
    std::map<std::pair<ProcessNumber, std::int64_t>, std::int64_t> own;
    std::size_t next = 0;
    for (const EventRowIndex row : rows_of(table)) {
      const std::int64_t mark = table.index_correlation[row];
      if (!has_correlation(mark)) continue;
      const ProcessNumber process = is_device(mark) ? of_row[next++] : process_of(row);
      const auto number = static_cast<std::int64_t>(own.size());
      const auto found = own.try_emplace({process, correlation_of(mark)}, number).first;
      table.index_correlation.set(row, partner_mark(found->second, is_device(mark)));
    }
  }

 private:
  ProcessNumber process_of(EventRowIndex row) const {
    return numbers_.at(static_cast<std::uint64_t>(table_.pid[row]));
  }

  void find_rows() {
    for (const EventRowIndex row : rows_of(table_)) {
      const std::int64_t mark = table_.index_correlation[row];
      if (has_correlation(mark) && is_device(mark)) {
        device_rows_.push_back({correlation_of(mark),
                                table_.ts_ns[row],
                                table_.index[row],
                                {static_cast<std::int64_t>(table_.pid[row]), -1,
                                 static_cast<std::int64_t>(table_.tid[row])}});
        continue;
      }
      const auto process = numbers_.find(static_cast<std::uint64_t>(table_.pid[row]));
      if (process == numbers_.end()) continue;
      ranges_[process->second].add(table_.index[row]);
      if (has_correlation(mark))
        calls_.push_back({correlation_of(mark), table_.ts_ns[row], process->second});
    }
  }

  const EventTable& table_;
  IdMap<std::uint64_t, ProcessNumber> numbers_;
  std::vector<HostRowRange> ranges_;
  std::vector<ProcessCall> calls_;
  std::vector<ProcesslessRow> device_rows_;
};

/// Gives host rows the iterations of their process, or of all where there is one.
void set_iterations(EventTable& table, std::vector<StepSpan> steps, bool by_process) {
  std::map<StringId, std::vector<StepSpan>> of_process;
  for (StepSpan& step : steps) of_process[by_process ? step.pid : StringId()].push_back(step);
  std::map<StringId, Iterations> iterations;
  for (auto& [pid, spans] : of_process) iterations.try_emplace(pid, std::move(spans));
  for (const EventRowIndex row : rows_of(table)) {
    if (is_device(table.index_correlation[row])) continue;
    const auto own = iterations.find(by_process ? table.pid[row] : StringId());
    if (own != iterations.end()) table.iteration.set(row, own->second.at(table.ts_ns[row]));
  }
}

}  // namespace

std::size_t resolve_partners(EventTable& table, std::vector<StepSpan> steps) {
  table.iterations = numbers_of(steps);
  const std::vector<StringId> pids = pids_of_calls(table);
  set_iterations(table, std::move(steps), pids.size() > 1);
  if (pids.size() > 1) TableProcesses(table, pids).separate(table);
  std::size_t calls = 0;
  for (const EventRowIndex row : rows_of(table)) {
    const std::int64_t mark = table.index_correlation[row];
    calls += has_correlation(mark) ? 1 : 0;
    if (mark == kDeviceWithoutCall) table.index_correlation.set(row, kNoDeviceCall);
  }
  const std::size_t passes = std::min(calls / kLeastCallsPerPass + 1, kMostPasses);
  for (std::size_t pass = 0; pass < passes; ++pass) Pass(table, pass, passes).run();
  return pids.size();
}

}  // namespace nadi
