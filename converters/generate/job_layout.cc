#include "nadi/converters/generate/job_layout.h"

#include "nadi/emit/json_writer.h"

namespace nadi {
namespace {

constexpr std::int64_t kMembersListed = 64;  // members in the metadata of each rank

}  // namespace

JobLayout::JobLayout(const ParallelDegrees& degrees) : degrees_(degrees) {
  const auto& [data, tensor, pipeline, expert] = degrees_;
  tensor_begin_ = take_numbers(pipeline * data, tensor);
  data_begin_ = take_numbers(pipeline * tensor, data);
  expert_begin_ = take_numbers(pipeline * tensor * (data / expert), expert);
  expert_data_begin_ = expert > 1 ? take_numbers(pipeline * tensor * expert, data / expert) : 0;
}

std::int64_t JobLayout::take_numbers(std::int64_t count, std::int64_t size) {
  if (size < 2 || size == ranks()) return 0;
  const std::int64_t begin = group_count_ + 1;
  group_count_ += count;
  return begin;
}

RankPlace JobLayout::place_of(std::int64_t rank) const {
  const std::int64_t replica = rank / degrees_.tensor;
  return {replica / degrees_.data, replica % degrees_.data, rank % degrees_.tensor};
}

std::int64_t JobLayout::rank_at(const RankPlace& place) const {
  return (place.stage * degrees_.data + place.data) * degrees_.tensor + place.tensor;
}

RankGroup JobLayout::group(std::int64_t begin, std::int64_t index, std::int64_t size,
                           std::int64_t first, std::int64_t stride, const char* purpose) const {
  return {begin == 0 ? 0 : begin + index, size, first, stride, purpose};
}

RankGroup JobLayout::tensor_group(const RankPlace& place) const {
  const std::int64_t first = rank_at({place.stage, place.data, 0});
  return group(tensor_begin_, place.stage * degrees_.data + place.data, degrees_.tensor, first, 1,
               "tensor");
}

RankGroup JobLayout::data_group(const RankPlace& place) const {
  const std::int64_t first = rank_at({place.stage, 0, place.tensor});
  return group(data_begin_, place.stage * degrees_.tensor + place.tensor, degrees_.data, first,
               degrees_.tensor, "data");
}

RankGroup JobLayout::expert_group(const RankPlace& place) const {
  const std::int64_t blocks = degrees_.data / degrees_.expert, block = place.data / degrees_.expert;
  const std::int64_t first = rank_at({place.stage, block * degrees_.expert, place.tensor});
  return group(expert_begin_, (place.stage * degrees_.tensor + place.tensor) * blocks + block,
               degrees_.expert, first, degrees_.tensor, "expert");
}

RankGroup JobLayout::expert_data_group(const RankPlace& place) const {
  if (degrees_.expert == 1) return data_group(place);
  const std::int64_t share = place.data % degrees_.expert;
  const std::int64_t first = rank_at({place.stage, share, place.tensor});
  return group(
      expert_data_begin_, (place.stage * degrees_.tensor + place.tensor) * degrees_.expert + share,
      degrees_.data / degrees_.expert, first, degrees_.expert * degrees_.tensor, "expert-data");
}

std::vector<RankGroup> JobLayout::groups_of(const RankPlace& place) const {
  std::vector<RankGroup> groups = {tensor_group(place), data_group(place), expert_group(place)};
  if (degrees_.expert > 1) groups.push_back(expert_data_group(place));
  return groups;
}

void JobLayout::for_each_group(const std::function<void(const RankGroup&)>& take) const {
  for (std::int64_t rank = 0; rank < ranks(); ++rank) {
    const RankPlace place = place_of(rank);
    for (const RankGroup& group : groups_of(place))
      if (group.number > 0 && group.first == rank) take(group);
  }
}

std::string JobLayout::groups_json(const RankPlace& place) const {
  JsonWriter json;
  bool has_all = false;
  json.begin_object();
  for (const RankGroup& group : groups_of(place)) {
    if (group.size < 2 || (group.number == 0 && has_all)) continue;
    has_all |= group.number == 0;
    json.key(std::to_string(group.number)).begin_object();
    json.member("desc", group.purpose);
    json.key("ranks").begin_list();
    const bool lists_members = group.number > 0 && group.size <= kMembersListed;
    for (std::int64_t i = 0; i < group.size && lists_members; ++i)
      json.value(group.first + i * group.stride);
    json.end_list();
    json.member("size", group.size);
    json.end_object();
  }
  json.end_object();
  return json.text() == "{}" ? "" : json.text();
}

}  // namespace nadi
