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
  ThreadIndex end(0);
  for (const ThreadIndex thread : calls.thread) end = std::max(end, thread + 1);
  return end.value;
}

}  // namespace

Captures::Captures(const RuntimeCalls& calls, const CallEffects& effects,
                   const ByRow<RuntimeCalls, bool>& has_row)
    : calls_(calls) {
  const std::vector<CallIndex> changes =
      calls_in_time_order(calls, effects, {CallEffect::kBeginCapture, CallEffect::kEndCapture});
  if (changes.empty()) return;  // nearly every trace
  const std::size_t threads = thread_count(calls);
  ran_.resize(threads);
  of_thread_.resize(threads);
  for (const CallIndex call : rows_of(calls))
    if (has_row[call]) ran_[calls.thread[call]].push_back(calls.start_ns[call]);
  for (auto& begins : ran_) std::sort(begins.begin(), begins.end());
  add_across_threads(add_of_threads(changes, effects), effects);
  for (auto& spans : of_thread_) {
    join(spans);
    all_.insert(all_.end(), spans.begin(), spans.end());
  }
  join(all_);
}

void Captures::add(CallIndex begin, CallIndex end) {
  of_thread_[calls_.thread[begin]].push_back({calls_.start_ns[begin], call_end_ns(calls_, end)});
}

std::vector<CallIndex> Captures::add_of_threads(const std::vector<CallIndex>& changes,
                                                const CallEffects& effects) {
  std::vector<CallIndex> lone;
  ByRow<ProfilerThread, std::vector<CallIndex>> open(of_thread_.size());
  for (const CallIndex call : changes) {
    std::vector<CallIndex>& begun = open[calls_.thread[call]];
    if (effects[call] == CallEffect::kBeginCapture) {
      begun.push_back(call);
    } else if (begun.empty()) {
      lone.push_back(call);
    } else {
      add(begun.back(), call);
      begun.pop_back();
    }
  }
  for (const auto& begun : open) lone.insert(lone.end(), begun.begin(), begun.end());
  std::stable_sort(lone.begin(), lone.end(), [&](CallIndex a, CallIndex b) {
    return calls_.start_ns[a] < calls_.start_ns[b];
  });
  return lone;
}

void Captures::add_across_threads(const std::vector<CallIndex>& lone, const CallEffects& effects) {
  std::vector<CallIndex> open;
  for (const CallIndex call : lone) {
    if (effects[call] == CallEffect::kBeginCapture) {
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
  for (const CallIndex call : open) {
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

bool Captures::hold(CallIndex call) const {
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
