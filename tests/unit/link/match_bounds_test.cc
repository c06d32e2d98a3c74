// Matching by names on traces made to be expensive: time near-linear, no recursion, no overflow.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <limits>

#include "nadi/base/error.h"
#include "nadi/link/match_choice.h"
#include "nadi/link/match_order.h"

namespace nadi {
namespace {

/// Seconds that the slowest sanitizer may take for what takes one at most.
constexpr double kLongest = 30;

/// Ops of the largest traces: a tenth under sanitizers, which take ten times as long.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NADI_IS_SANITIZED
#endif
#endif
#ifdef NADI_IS_SANITIZED
constexpr std::size_t kMany = 100'000;
#else
constexpr std::size_t kMany = 1'000'000;
#endif

double cpu_seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// What op i is named, and on which thread it is.
using NameOf = std::function<std::string(std::size_t)>;
using ThreadOf = std::function<std::uint32_t(std::size_t)>;
std::uint32_t one_thread(std::size_t) { return 0; }

HostTrace host_of(std::size_t count, const NameOf& name, const ThreadOf& thread = one_thread,
                  bool is_nested = false) {
  HostTrace host;
  HostOps& ops = host.ops;
  for (std::size_t i = 0; i < count; ++i) {
    append_row(ops);
    ops.name.back() = host.strings.intern(name(i));
    ops.id.back() = i + 2;
    ops.parent.back() = is_nested ? i + 1 : 1;
    ops.tid.back() = thread(i) + 1;
  }
  return host;
}

DeviceTrace device_of(std::size_t count, const NameOf& name, const ThreadOf& thread = one_thread,
                      bool is_nested = false) {
  DeviceTrace device;
  ProfilerOps& ops = device.ops;
  for (std::size_t i = 0; i < count; ++i) {
    append_row(ops);
    ops.name.back() = device.strings.intern(name(i));
    ops.start_ns.back() = static_cast<Ns>(10 * i);
    ops.duration_ns.back() = is_nested ? static_cast<Ns>(20 * (count - i)) : 5;
    ops.thread.back() = ThreadIndex(thread(i));
    ops.order.back() = static_cast<std::uint32_t>(i);
    while (device.threads.size() <= thread(i)) device.threads.emplace_back();
  }
  device.first_ns = 0;
  device.last_ns = static_cast<Ns>(20 * count);
  return device;
}

std::string a(std::size_t) { return "a"; }

/// Host ops matched; 0 = refused.
std::uint64_t matched(HostTrace host, DeviceTrace device, const MatchOptions& options) {
  Diagnostics diagnostics;
  try {
    return fit_traces(match_ops(host, device, options, diagnostics), host, device, diagnostics)
        .matched;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput) << error.what();
    EXPECT_LT(std::string(error.what()).size(), 4000U);
    return 0;
  }
}

TEST(MatchBounds, AMillionOpsOfOneNameMatchInOrderAndByTree) {
  for (MatchMethod method : {MatchMethod::kOrder, MatchMethod::kTree}) {
    std::uint64_t found = 0;
    EXPECT_LT(cpu_seconds([&] {
                found = matched(host_of(kMany, a), device_of(kMany, a), {.method = method});
              }),
              kLongest);
    EXPECT_EQ(found, kMany);
  }
}

TEST(MatchBounds, AnOpThatOccursAMillionTimesIsRepeatedAMillionTimes) {
  std::uint64_t found = 0;
  EXPECT_LT(cpu_seconds([&] {
              found = matched(host_of(1, a), device_of(kMany, a),
                              {.method = MatchMethod::kOrder, .repeats_all = true});
            }),
            kLongest);
  EXPECT_EQ(found, kMany);
}

TEST(MatchBounds, OneAlienAmongAMillionEqualNamesCostsNoMore) {
  const auto b_at = [](std::size_t place) {
    return [place](std::size_t i) { return i == place ? "b" : "a"; };
  };
  std::uint64_t found = 0;
  EXPECT_LT(cpu_seconds([&] {
              found =
                  matched(host_of(kMany, b_at(kMany * 4 / 10)),
                          device_of(kMany, b_at(kMany * 6 / 10)), {.method = MatchMethod::kOrder});
            }),
            kLongest);
  // Of a million ops no more than eight tenths are found in order, which is too few; of a tenth of
  // these (under sanitizers) the steps that matching may take suffice for all but the aliens.
  EXPECT_EQ(found, kMany < 1'000'000 ? kMany - 2 : 0);
}

TEST(MatchBounds, PatternsThatNeverAlignAreRefusedSoon) {
  constexpr std::size_t kOps = kMany * 3 / 10;
  const NameOf of_host = [](std::size_t i) { return std::string(1, "ab"[i % 2]); };
  const NameOf of_device = [](std::size_t i) { return std::string(1, "aabb"[(i * i / 7) % 4]); };
  std::uint64_t found = 1;
  EXPECT_LT(
      cpu_seconds([&] { found = matched(host_of(kOps, of_host), device_of(kOps, of_device), {}); }),
      kLongest);
  EXPECT_EQ(found, 0U);
}

TEST(MatchBounds, ManyThreadsOfOneOpAreBoundedInTimeAndMemory) {
  // A thread iteration for each pair of them would be its square.
  constexpr std::uint32_t kThreads = kMany / 10;
  const ThreadOf own = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  std::uint64_t found = 1;
  EXPECT_LT(cpu_seconds([&] {
              found = matched(host_of(kThreads, a, own), device_of(kThreads, a), {});
              found += matched(host_of(kThreads, a, own), device_of(kThreads, a, own), {});
              found += matched(host_of(kThreads, a), device_of(kThreads, a, own), {});
            }),
            kLongest);
  EXPECT_EQ(found, 0U);
}

TEST(MatchBounds, ThreadsThatLookAlikeAreAllMapped) {
  const ThreadOf by_ten = [](std::size_t i) { return static_cast<std::uint32_t>(i / 10); };
  EXPECT_EQ(matched(host_of(400, a, by_ten), device_of(400, a, by_ten), {}), 400U);
}

TEST(MatchBounds, CallTreesOfAnyDepthAreWalkedWithoutRecursion) {
  constexpr std::size_t kDepth = kMany;
  std::uint64_t found = 0;
  EXPECT_LT(cpu_seconds([&] {
              found =
                  matched(host_of(kDepth, a, one_thread, true),
                          device_of(kDepth, a, one_thread, true), {.method = MatchMethod::kTree});
            }),
            kLongest);
  EXPECT_EQ(found, kDepth);
}

TEST(MatchBounds, SegmentsThatHoldTooFewOpsAreNotAligned) {
  // Every second op ends a segment: each of them times all host ops would take hours.
  const NameOf alternating = [](std::size_t i) { return std::string(1, "ab"[i % 2]); };
  std::uint64_t found = 1;
  EXPECT_LT(cpu_seconds([&] {
              found = matched(host_of(kMany / 10, a), device_of(kMany, alternating),
                              {.method = MatchMethod::kOrder, .annotation = "b"});
            }),
            kLongest);
  EXPECT_EQ(found, 0U);
}

TEST(MatchBounds, IdsTooLargeToBeCountedOnAreNotRepeated) {
  HostTrace host = host_of(2, a);
  host.ops.id[1] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(matched(std::move(host), device_of(6, a),
                    {.method = MatchMethod::kOrder, .repeats_all = true}),
            0U);
}

TEST(MatchBounds, FourTimesTheOpsTakeNoSixteenTimesTheTime) {
  // Iterations of 1,000 ops of 300 names, one of 100 left out, so that all are gap-filled.
  const NameOf name = [](std::size_t i) {
    return std::to_string(((i % 1000 + 1) * 0x9e3779b97f4a7c15ULL >> 40) % 300);
  };
  const NameOf with_gaps = [&](std::size_t i) { return name(i + i / 99); };
  const auto seconds = [&](std::size_t count) {
    const HostTrace host = host_of(1000, name);
    const DeviceTrace device = device_of(count, with_gaps);
    double least = kLongest;
    for (int repetition = 0; repetition < 3; ++repetition)
      least =
          std::min(least, cpu_seconds([&] {
                     EXPECT_GE(locate_by_order(host, device, "").iterations.size(), count / 1100);
                   }));
    return least;
  };
  const double once = seconds(100'000), four_times = seconds(400'000);
  EXPECT_LT(four_times, 10 * once) << once << " s, then " << four_times << " s";
}

}  // namespace
}  // namespace nadi
