// Reads a text workload: the layer file of ASTRA-sim 1.0, a line per layer of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"

namespace nadi {

enum class Parallelism : std::uint8_t {
  kMicro,            ///< MICRO: collectives alone
  kData,             ///< DATA
  kModel,            ///< MODEL
  kHybridDataModel,  ///< HYBRID_DATA_MODEL
  kHybridModelData,  ///< HYBRID_MODEL_DATA
  kHybridDlrm        ///< HYBRID_DLRM, HYBRID_DLRM_ENHANCED
};

/// One of the three things a pass does with a layer: forward, input gradient, weight gradient.
struct LayerWork {
  static constexpr int kNoComm = -1;
  std::int64_t compute_us = 0;
  int comm_type = kNoComm;      ///< CollectiveCommType
  std::int64_t comm_bytes = 0;  ///< 0 where comm_type is kNoComm

  bool communicates() const { return comm_type != kNoComm; }
};

struct TextLayer {
  std::string name;  ///< UTF-8
  LayerWork forward, input_gradient, weight_gradient;
};

struct TextWorkload {
  Parallelism parallelism = Parallelism::kData;
  std::size_t last_bottom_layer = 0;  ///< of kHybridDlrm: 1 to layers - 1
  std::vector<TextLayer> layers;      ///< at least one
};

/// Bounds that no workload comes near: what is beyond them is a mistake.
inline constexpr std::int64_t kMostLayerBytes = 1'000'000'000'000'000;  // of a collective
inline constexpr std::int64_t kMostLayerMicros = 1'000'000'000'000;     // 11 days
inline constexpr std::size_t kMostLayerText = 16U << 20;                // bytes of a file

/// A LayerWork's comm_type as the file names it: "ALLREDUCE".
std::string_view layer_collective_name(int comm_type);

/// Columns, separated by white space: name, unused, forward (compute µs, collective, bytes), input
/// gradient (the same three), weight gradient (the same three), update time (not used); more are
/// ignored, and so are blank lines, a byte-order mark and carriage returns. Throws Error (kInput)
/// with file, line and column where a line is not like that. A collective of 0 bytes is none
/// (`collective-without-bytes`); an all-gather has at least a byte for each of the 4 parts a
/// simulator cuts it into (`all-gather-raised`); the exchange of a HYBRID_DLRM without a layer
/// above the last bottom one has no place (`exchange-left-out`). Format:
/// https://astra-sim.github.io, 1.0's workload input.
TextWorkload read_layer_file(ByteSource source, Diagnostics& diagnostics);

}  // namespace nadi
