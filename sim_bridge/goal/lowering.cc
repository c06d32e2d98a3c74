#include "nadi/sim_bridge/goal/lowering.h"

#include <algorithm>

#include "et_def.pb.h"

namespace nadi::goal {
namespace {

using namespace ChakraProtoMsg;
using Steps = std::vector<Step>;

/// One member's view of one collective; p members, this one is number r.
struct Member {
  std::int64_t p, r;
  std::int64_t bytes;

  std::int64_t at(std::int64_t distance) const { return ((r + distance) % p + p) % p; }
  /// Size of part `i` of p of the buffer: as even as whole bytes are.
  std::int64_t part(std::int64_t i) const {
    const std::int64_t position = (i % p + p) % p;
    return bytes / p + (position < bytes % p ? 1 : 0);
  }
  /// Of so many parts from `i` on, at most p.
  std::int64_t parts(std::int64_t i, std::int64_t count) const {
    const std::int64_t first = i % p, larger = bytes % p, behind = first + count;
    const std::int64_t in_lap = std::max<std::int64_t>(std::min(behind, larger) - first, 0);
    const std::int64_t in_next_lap = std::clamp<std::int64_t>(behind - p, 0, larger);
    return count * (bytes / p) + in_lap + in_next_lap;
  }
};

std::int64_t at_least_one(std::int64_t bytes) { return std::max<std::int64_t>(bytes, 1); }

Step exchange(std::int64_t to, std::int64_t sends, std::int64_t from, std::int64_t receives) {
  return {to, from, at_least_one(sends), at_least_one(receives)};
}

/// The same data flow in the other direction of time.
Steps backwards(Steps steps) {
  std::reverse(steps.begin(), steps.end());
  for (Step& step : steps) {
    std::swap(step.to, step.from);
    std::swap(step.sends, step.receives);
  }
  return steps;
}

/// Each step passes on the part that came in the step before; first its own.
Steps ring_all_gather(const Member& m) {
  Steps steps;
  for (std::int64_t s = 0; s + 1 < m.p; ++s)
    steps.push_back(exchange(m.at(1), m.part(m.r - s), m.at(-1), m.part(m.r - s - 1)));
  return steps;
}

/// Bruck: has 1, 2, 4, … parts and gets as many from the member that far ahead.
Steps doubling_all_gather(const Member& m) {
  Steps steps;
  for (std::int64_t distance = 1; distance < m.p; distance *= 2) {
    const std::int64_t count = std::min(distance, m.p - distance);
    steps.push_back(exchange(m.at(-distance), m.parts(m.r, count), m.at(distance),
                             m.parts(m.r + distance, count)));
  }
  return steps;
}

Steps all_gather(const Member& m, Algorithm algorithm) {
  return algorithm == Algorithm::kRing ? ring_all_gather(m) : doubling_all_gather(m);
}

/// Members beyond the largest power of two fold into those below and get the result at the end.
Steps doubling_all_reduce(const Member& m) {
  std::int64_t power = 1;
  while (power * 2 <= m.p) power *= 2;
  const std::int64_t extra = m.p - power;
  const std::int64_t all = at_least_one(m.bytes);
  const bool is_extra = m.r >= power, has_extra = m.r < extra;
  Steps steps;
  if (extra > 0) {
    Step fold;
    if (is_extra) fold = {m.r - power, Step::kNobody, all, 0};
    if (has_extra) fold = {Step::kNobody, m.r + power, 0, all};
    steps.push_back(fold);
  }
  for (std::int64_t distance = 1; distance < power; distance *= 2)
    steps.push_back(is_extra ? Step{} : Step{m.r ^ distance, m.r ^ distance, all, all});
  if (extra > 0) {
    const Step fold = steps.front();
    steps.push_back({fold.from, fold.to, fold.receives, fold.sends});
  }
  return steps;
}

Steps all_reduce(const Member& m, Algorithm algorithm) {
  if (algorithm != Algorithm::kRing) return doubling_all_reduce(m);
  Steps steps = backwards(ring_all_gather(m));
  const Steps gather = ring_all_gather(m);
  steps.insert(steps.end(), gather.begin(), gather.end());
  return steps;
}

Steps all_to_all(const Member& m, Algorithm algorithm) {
  Steps steps;
  if (algorithm == Algorithm::kRing) {
    for (std::int64_t s = 1; s < m.p; ++s)
      steps.push_back(exchange(m.at(s), m.part(m.at(s)), m.at(-s), m.part(m.r)));
    return steps;
  }
  // Bruck: in the step of a bit all parts whose distance has it travel that far.
  for (std::int64_t bit = 1; bit < m.p; bit *= 2) {
    const std::int64_t parts =
        m.p / (2 * bit) * bit + std::max<std::int64_t>(m.p % (2 * bit) - bit, 0);
    const std::int64_t bytes = parts * (m.bytes / m.p + (m.bytes % m.p != 0 ? 1 : 0));
    steps.push_back(exchange(m.at(bit), bytes, m.at(-bit), bytes));
  }
  return steps;
}

/// Part i passes from member j to j + 1 in step i + j.
Steps ring_broadcast(const Member& m) {
  Steps steps;
  for (std::int64_t s = 0; s < 2 * m.p - 2; ++s) {
    Step step;
    const std::int64_t out = s - m.r, in = s - m.r + 1;
    if (m.r + 1 < m.p && out >= 0 && out < m.p) {
      step.to = m.r + 1;
      step.sends = at_least_one(m.part(out));
    }
    if (m.r > 0 && in >= 0 && in < m.p) {
      step.from = m.r - 1;
      step.receives = at_least_one(m.part(in));
    }
    steps.push_back(step);
  }
  return steps;
}

/// A member gets what it and the members below it in the tree need, and halves the way on.
/// `bytes_for` gives how much so many members need.
template <class BytesFor>
Steps tree_from_root(const Member& m, BytesFor bytes_for) {
  Steps steps;
  std::int64_t distance = 1;
  while (distance < m.p) distance *= 2;
  for (distance /= 2; distance >= 1; distance /= 2) {
    Step step;
    const std::int64_t position = m.r % (2 * distance);
    if (position == 0 && m.r + distance < m.p) {
      step.to = m.r + distance;
      step.sends = at_least_one(bytes_for(std::min(distance, m.p - step.to)));
    } else if (position == distance) {
      step.from = m.r - distance;
      step.receives = at_least_one(bytes_for(std::min(distance, m.p - m.r)));
    }
    steps.push_back(step);
  }
  return steps;
}

Steps broadcast(const Member& m, Algorithm algorithm) {
  if (algorithm == Algorithm::kRing) return ring_broadcast(m);
  return tree_from_root(m, [&](std::int64_t) { return m.bytes; });
}

/// `bytes` is one member's part.
Steps scatter(const Member& m, Algorithm algorithm) {
  if (algorithm != Algorithm::kRing)
    return tree_from_root(m, [&](std::int64_t members) {
      std::int64_t bytes = 0;
      return __builtin_mul_overflow(m.bytes, members, &bytes) ? m.bytes : bytes;
    });
  Steps steps;
  for (std::int64_t s = 1; s < m.p; ++s) {
    Step step;
    if (m.r == 0) step = {s, Step::kNobody, at_least_one(m.bytes), 0};
    if (m.r == s) step = {Step::kNobody, 0, 0, at_least_one(m.bytes)};
    steps.push_back(step);
  }
  return steps;
}

Steps barrier(const Member& m) {
  Steps steps;
  for (std::int64_t distance = 1; distance < m.p; distance *= 2)
    steps.push_back(exchange(m.at(distance), 1, m.at(-distance), 1));
  return steps;
}

}  // namespace

std::vector<Step> lower_collective(std::int64_t type, std::int64_t bytes, std::int64_t members,
                                   std::int64_t member, Algorithm algorithm) {
  const Member m{members, member, std::max<std::int64_t>(bytes, 0)};
  // An all-gather's size is one member's part: p of them make the buffer.
  Member all = m;
  if (__builtin_mul_overflow(m.bytes, members, &all.bytes)) all.bytes = m.bytes;
  switch (type) {
    case ALL_REDUCE:
      return all_reduce(m, algorithm);
    case ALL_GATHER:
      return all_gather(all, algorithm);
    case REDUCE_SCATTER:
    case REDUCE_SCATTER_BLOCK:
      return backwards(all_gather(m, algorithm));
    case ALL_TO_ALL:
      return all_to_all(m, algorithm);
    case BROADCAST:
      return broadcast(m, algorithm);
    case REDUCE:
      return backwards(broadcast(m, algorithm));
    case SCATTER:
      return scatter(m, algorithm);
    case GATHER:
      return backwards(scatter(m, algorithm));
    case BARRIER:
      return barrier(m);
    default:
      return {};
  }
}

Algorithm choose_algorithm(Algorithm asked, std::int64_t bytes, std::int64_t ring_from) {
  if (asked != Algorithm::kAuto) return asked;
  return bytes >= ring_from ? Algorithm::kRing : Algorithm::kDoubling;
}

}  // namespace nadi::goal
