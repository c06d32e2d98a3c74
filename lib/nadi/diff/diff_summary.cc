#include "nadi/diff/diff_summary.h"

#include <algorithm>
#include <limits>

namespace nadi {

Ns add_times(Ns a, Ns b) {
  constexpr Ns kMost = std::numeric_limits<Ns>::max();
  Ns sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -kMost : kMost;
  return std::max(sum, -kMost);
}

void KeyTotals::add_sample(std::uint64_t rows, Ns sum_ns, double value_ns) {
  count += rows;
  duration_ns = add_times(duration_ns, sum_ns);
  ++samples;
  const double distance = value_ns - mean_ns;
  mean_ns += distance / static_cast<double>(samples);
  squares_ns2 += distance * (value_ns - mean_ns);
}

void SampleSums::add(StringId key, Ns duration_ns, std::uint64_t rows) {
  const auto index = static_cast<std::size_t>(key);
  if (index >= sums_.size()) sums_.resize(std::max(index + 1, sums_.size() * 2));
  Sum& sum = sums_[index];
  if (!sum.is_used) {
    sum.is_used = true;
    used_.push_back(key);
  }
  sum.rows += rows;
  sum.duration_ns = add_times(sum.duration_ns, duration_ns);
}

void SampleSums::fold_into(std::vector<KeyTotals>& totals, std::size_t keys, bool of_means) {
  if (totals.size() < keys) totals.resize(keys);
  for (const StringId key : used_) {
    Sum& sum = sums_[static_cast<std::size_t>(key)];
    const double rows = of_means && sum.rows > 0 ? static_cast<double>(sum.rows) : 1;
    totals[static_cast<std::size_t>(key)].add_sample(sum.rows, sum.duration_ns,
                                                     static_cast<double>(sum.duration_ns) / rows);
    sum = {};
  }
  used_.clear();
}

void AllRowsSums::add(Ns work_ns, Ns inclusive_ns) {
  ++rows_;
  work_ns_ = add_times(work_ns_, work_ns);
  inclusive_ns_ = add_times(inclusive_ns_, inclusive_ns);
}

void AllRowsSums::fold_into(AllRows& all) {
  all.work.add_sample(rows_, work_ns_);
  all.inclusive.add_sample(rows_, inclusive_ns_);
  *this = {};
}

}  // namespace nadi
