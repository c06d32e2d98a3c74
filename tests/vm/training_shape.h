// What a training program draws by seed: its shape, which every rank follows in every iteration,
// and times.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "program.h"

namespace nadi::vm {

class TrainingDraws {
 public:
  explicit TrainingDraws(std::uint64_t seed) : random_(seed) {}
  /// least to most, both included.
  int number(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool happens(int percent) { return number(1, 100) <= percent; }
  Ns time(Ns least, Ns most) {
    return least + static_cast<Ns>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  /// ns more or less by up to that share.
  Ns varied(Ns ns, double share) {
    const double sixteen_bits = static_cast<double>(random_() % 65536) / 32768.0 - 1;
    return static_cast<Ns>(static_cast<double>(ns) * (1 + share * sixteen_bits));
  }

 private:
  std::mt19937_64 random_;
};

struct TrainingLayer {
  Ns forward = 0, backward = 0;  ///< of each of its kernels
  int kernels = 1;
  bool is_forked = false;  ///< half of it on the side stream
};

/// What every rank does in every iteration.
struct TrainingShape {
  std::uint64_t seed = 1;
  std::uint64_t draws = 1;  ///< seed of what varies from run to run
  double jitter = 0;
  int iterations = 8, layers_per_bucket = 1, micro_batches = 2;
  std::vector<TrainingLayer> layers;
  Ns host = 4_us;  ///< own time of an op that launches
  Ns communication = 40_us;
  bool has_prefetch = false, has_pageable_copies = false, has_norm_item = false, has_timers = false,
       has_side_stream = false, is_sharded = false, has_broadcasts = false,
       is_sequence_parallel = false, has_device_sync = false;
  int steps_per_loss_item = 1;
};

/// Another run is the same shape whose times vary otherwise.
TrainingShape drawn_shape(std::uint64_t seed, std::uint64_t run = 0);

}  // namespace nadi::vm
