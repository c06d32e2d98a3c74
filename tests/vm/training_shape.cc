#include "training_shape.h"

namespace nadi::vm {

TrainingShape drawn_shape(std::uint64_t seed, std::uint64_t run) {
  TrainingDraws draws(seed * 6364136223846793005ULL + 11);
  TrainingShape shape;
  shape.seed = seed;
  shape.draws = seed + run * 1'000'003;
  shape.jitter = 0.01 * draws.number(3, 20);
  shape.iterations = draws.number(7, 9);
  const bool is_host_bound = draws.happens(40);
  shape.host = draws.time(3_us, 8_us);
  for (int i = draws.number(4, 8); i > 0; --i) {
    TrainingLayer layer;
    layer.forward = is_host_bound ? draws.time(5_us, 20_us) : draws.time(20_us, 120_us);
    layer.backward = layer.forward + layer.forward * draws.number(0, 100) / 100;
    layer.kernels = draws.number(1, 3);
    layer.is_forked = draws.happens(40);
    shape.layers.push_back(layer);
  }
  shape.layers_per_bucket = draws.number(1, 3);
  shape.micro_batches = draws.number(2, 4);
  shape.communication = draws.time(15_us, 150_us);
  shape.has_prefetch = draws.happens(70);
  shape.has_pageable_copies = draws.happens(40);
  shape.has_norm_item = draws.happens(50);
  shape.has_timers = draws.happens(50);
  shape.has_side_stream = draws.happens(60);
  shape.is_sharded = draws.happens(35);
  shape.has_broadcasts = draws.happens(40);
  shape.is_sequence_parallel = draws.happens(50);
  shape.has_device_sync = draws.happens(25);
  shape.steps_per_loss_item = draws.number(1, 3);
  return shape;
}

}  // namespace nadi::vm
