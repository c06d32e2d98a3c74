// Hash tables by numbers that a file chose: correlations, ids of ops and nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <unordered_set>

namespace nadi {

/// Another one in each process: no file can choose numbers that all fall into one bucket.
struct IdHash {
  std::size_t operator()(std::uint64_t id) const {
    static const std::uint64_t salt = std::random_device()() | std::uint64_t{1} << 32;
    id = (id ^ salt) * 0x9e3779b97f4a7c15U;
    id = (id ^ id >> 29) * (salt << 1 | 1);
    return id ^ id >> 32;
  }
  std::size_t operator()(std::int64_t id) const { return (*this)(static_cast<std::uint64_t>(id)); }
};

/// The order in which they are walked differs from run to run, so nothing may depend on it.
template <class Id, class Value>
using IdMap = std::unordered_map<Id, Value, IdHash>;
template <class Id>
using IdSet = std::unordered_set<Id, IdHash>;

}  // namespace nadi
