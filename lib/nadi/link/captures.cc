#include "nadi/link/captures.h"

#include <algorithm>
#include <limits>

namespace nadi {
namespace {

constexpr Ns kFirst = std::numeric_limits<Ns>::min(), kLast = std::numeric_limits<Ns>::max();

/// Sorts spans and joins those that overlap.
template <class Spans>
void join(Spans& spans) {
  std::sort(spans.begin(), spans.end());
  std::size_t last = 0;
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].begin_ns <= spans[last].end_ns)
      spans[last].end_ns = std::max(spans[last].end_ns, spans[i].end_ns);
    else
      spans[++last] = spans[i];
  if (!spans.empty()) spans.resize(last + 1);
}

std::size_t thread_count(const RuntimeCalls& calls) {
  std::uint32_t most = 0;
  for (const ThreadIndex thread : calls.thread) most = std::max(most, thread.value + 1);
  return most;
}

/// Calls that begin or end captures, in the order of their begins.
std::vector<std::uint32_t> capture_calls(const RuntimeCalls& calls,
                                         const std::vector<CallKind>& kinds) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    if (kinds[call] == CallKind::kBeginCapture || kinds[call] == CallKind::kEndCapture)
      found.push_back(call);
  std::stable_sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
    return calls.start_ns[a] < calls.start_ns[b];
  });
  return found;
}

}  // namespace

Captures::Captures(const RuntimeCalls& calls, const std::vector<CallKind>& kinds,
                   const std::vector<bool>& has_row)
    : calls_(calls) {
  const std::vector<std::uint32_t> changes = capture_calls(calls, kinds);
  if (changes.empty()) return;  // nearly every trace
  const std::size_t threads = thread_count(calls);
  ran_.resize(threads);
  of_thread_.resize(threads);
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    if (has_row[call]) ran_[calls.thread[call]].push_back(calls.start_ns[call]);
  for (auto& begins : ran_) std::sort(begins.begin(), begins.end());
  add_across_threads(add_of_threads(changes, kinds), kinds);
  for (auto& spans : of_thread_) {
    join(spans);
    all_.insert(all_.end(), spans.begin(), spans.end());
  }
  join(all_);
}

void Captures::add(std::uint32_t begin, std::uint32_t end) {
  of_thread_[calls_.thread[begin]].push_back({calls_.start_ns[begin], call_end_ns(calls_, end)});
}

std::vector<std::uint32_t> Captures::add_of_threads(const std::vector<std::uint32_t>& changes,
                                                    const std::vector<CallKind>& kinds) {
  std::vector<std::uint32_t> lone;
  ByRow<ProfilerThread, std::vector<std::uint32_t>> open(of_thread_.size());
  for (const std::uint32_t call : changes) {
    std::vector<std::uint32_t>& begun = open[calls_.thread[call]];
    if (kinds[call] == CallKind::kBeginCapture) {
      begun.push_back(call);
    } else if (begun.empty()) {
      lone.push_back(call);
    } else {
      add(begun.back(), call);
      begun.pop_back();
    }
  }
  for (const auto& begun : open) lone.insert(lone.end(), begun.begin(), begun.end());
  std::stable_sort(lone.begin(), lone.end(), [&](std::uint32_t a, std::uint32_t b) {
    return calls_.start_ns[a] < calls_.start_ns[b];
  });
  return lone;
}

void Captures::add_across_threads(const std::vector<std::uint32_t>& lone,
                                  const std::vector<CallKind>& kinds) {
  std::vector<std::uint32_t> open;
  for (const std::uint32_t call : lone) {
    if (kinds[call] == CallKind::kBeginCapture) {
      open.push_back(call);
    } else if (!open.empty()) {
      add(open.back(), call);
      open.pop_back();
    } else {
      const std::vector<Ns>& ran = ran_[calls_.thread[call]];
      const auto after = std::lower_bound(ran.begin(), ran.end(), calls_.start_ns[call]);
      of_thread_[calls_.thread[call]].push_back(
          {after == ran.begin() ? kFirst : *std::prev(after) + 1, call_end_ns(calls_, call)});
    }
  }
  for (const std::uint32_t call : open) {
    const std::vector<Ns>& ran = ran_[calls_.thread[call]];
    const auto next = std::upper_bound(ran.begin(), ran.end(), calls_.start_ns[call]);
    of_thread_[calls_.thread[call]].push_back(
        {calls_.start_ns[call], next == ran.end() ? kLast : *next});
  }
}

const Captures::Span* Captures::span_at(const Spans& spans, Ns time) {
  const auto after = std::partition_point(spans.begin(), spans.end(),
                                          [&](const Span& span) { return span.begin_ns <= time; });
  if (after == spans.begin() || std::prev(after)->end_ns <= time) return nullptr;
  return &*std::prev(after);
}

bool Captures::contain(Ns time) const { return span_at(all_, time) != nullptr; }

bool Captures::hold(std::uint32_t call) const {
  const Ns begin = calls_.start_ns[call];
  const Span* const span = span_at(all_, begin);
  if (span == nullptr) return false;
  const ThreadIndex thread = calls_.thread[call];
  if (span_at(of_thread_[thread], begin) != nullptr) return true;
  const std::vector<Ns>& ran = ran_[thread];
  const auto first = std::lower_bound(ran.begin(), ran.end(), span->begin_ns);
  return first == ran.end() || *first >= span->end_ns;
}

}  // namespace nadi
