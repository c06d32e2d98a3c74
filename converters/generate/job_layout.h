// Gives each rank of a job its place in the pipeline and its process groups.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nadi {

/// ranks = data x tensor x pipeline; expert divides data.
struct ParallelDegrees {
  std::int64_t data = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t expert = 1;  ///< ranks of the data dimension that share the experts of a layer
};

struct RankPlace {
  std::int64_t stage = 0, data = 0, tensor = 0;
};

/// Members are first, first + stride, …
struct RankGroup {
  std::int64_t number = 0;  ///< pg_name; 0 = all ranks of the job
  std::int64_t size = 1;    ///< 1 = nobody to exchange with
  std::int64_t first = 0, stride = 1;
  const char* purpose = "";  ///< "tensor", "data", "expert", "expert-data"
};

/// Neighbouring ranks share a tensor, then replicate, then follow in the pipeline (Megatron-LM's
/// order, arXiv:2104.04473). Numbers of groups count from 1 without holes; a group of all ranks is
/// number 0.
class JobLayout {
 public:
  explicit JobLayout(const ParallelDegrees& degrees);

  const ParallelDegrees& degrees() const { return degrees_; }
  std::int64_t ranks() const { return degrees_.data * degrees_.tensor * degrees_.pipeline; }
  RankPlace place_of(std::int64_t rank) const;
  std::int64_t rank_at(const RankPlace& place) const;

  RankGroup tensor_group(const RankPlace& place) const;
  RankGroup data_group(const RankPlace& place) const;
  RankGroup expert_group(const RankPlace& place) const;
  /// Ranks with the same experts.
  RankGroup expert_data_group(const RankPlace& place) const;

  /// All groups of a rank, each once.
  std::vector<RankGroup> groups_of(const RankPlace& place) const;

  /// Groups numbered from 1 on: all but that of all ranks.
  std::int64_t group_count() const { return group_count_; }
  /// Calls `take` for each of these, once.
  void for_each_group(const std::function<void(const RankGroup&)>& take) const;
  /// Returns the groups of a rank as the metadata records them (schema/chakra.md); members of large
  /// groups are left out.
  std::string groups_json(const RankPlace& place) const;

 private:
  /// Numbers of the `count` groups of one purpose begin here; 0 = they have none.
  std::int64_t take_numbers(std::int64_t count, std::int64_t size);
  RankGroup group(std::int64_t begin, std::int64_t index, std::int64_t size, std::int64_t first,
                  std::int64_t stride, const char* purpose) const;

  ParallelDegrees degrees_;
  std::int64_t group_count_ = 0;
  std::int64_t tensor_begin_, data_begin_, expert_begin_, expert_data_begin_;
};

}  // namespace nadi
