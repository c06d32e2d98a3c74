#include "nadi/sim_bridge/job/grow_job.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "et_def.pb.h"
#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/range_text.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

/// Groups of one name or description are told apart by their ranks.
std::string text_of(const JobGroup& group) {
  return "\"" + group.name + "\"" + (group.desc.empty() ? "" : " (" + group.desc + ")") + " of " +
         (group.ranks.size() == 1 ? "rank " : "ranks ") + range_text(group.ranks);
}

bool is_undescribed(const JobGroup& group) {
  return group.desc.empty() || group.desc == "undefined" || group.desc == "default_pg";
}

bool names_data_parallelism(const JobGroup& group) {
  constexpr std::array<std::string_view, 9> kWords = {"data", "dp",   "ddp",       "fsdp", "hsdp",
                                                      "edp",  "zero", "replicate", "shard"};
  std::string word;
  for (const char c : group.desc + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
    word.clear();
  }
  return false;
}

bool is_shared_out(std::int64_t type) {
  return type == ALL_GATHER || type == REDUCE_SCATTER || type == REDUCE_SCATTER_BLOCK;
}

/// Chooses the groups that grow.
class GrowthChoice {
 public:
  GrowthChoice(Job& job, const GrowthOptions& options) : job_(job), options_(options) {}

  void choose() {
    for (JobGroup& group : job_.groups) group.grows = is_default_group(group);
    if (!options_.groups.empty())
      choose_asked();
    else if (!choose_described())
      choose_undescribed();
    require_growth();
    require_nested();
  }

 private:
  bool is_default_group(const JobGroup& group) const {
    return group.ranks.size() == job_.ranks.size() && is_undescribed(group);
  }

  void choose_asked() {
    for (const std::string& word : options_.groups) {
      bool is_known = false;
      for (JobGroup& group : job_.groups)
        if (group.name == word || group.desc == word) is_known = group.grows = true;
      if (!is_known)
        throw Error(ErrorCode::kUsage, "`grow` " + word, "names no group of the job",
                    "Its groups are " + all_groups_text());
    }
  }

  bool choose_described() {
    bool any = false;
    for (JobGroup& group : job_.groups)
      if (names_data_parallelism(group)) any = group.grows = true;
    return any;
  }

  void choose_undescribed() {
    const std::set<std::uint32_t> others = groups_of_other_work();
    for (std::uint32_t g = 0; g < job_.groups.size(); ++g)
      if (JobGroup& group = job_.groups[g]; is_undescribed(group) && !others.contains(g))
        group.grows |= members_are_alike(group);
  }

  /// Those in which anything else is done than to reduce gradients.
  std::set<std::uint32_t> groups_of_other_work() const {
    std::set<std::uint32_t> groups;
    for (const JobRank& rank : job_.ranks)
      for (const JobCommunication& c : rank.communications)
        if (c.job_group != kNoIndex && c.type != ALL_REDUCE && !is_shared_out(c.type))
          groups.insert(c.job_group);
    return groups;
  }

  bool members_are_alike(const JobGroup& group) const {
    const auto rank = [&](std::int64_t number) -> const JobRank& {
      return job_.ranks[static_cast<std::size_t>(number)];
    };
    const JobRank& first = rank(group.ranks.front());
    return std::all_of(group.ranks.begin(), group.ranks.end(), [&](std::int64_t number) {
      const auto& a = first.communications;
      const auto& b = rank(number).communications;
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.type == y.type && x.bytes == y.bytes;
      });
    });
  }

  void require_growth() const {
    const bool any = std::any_of(job_.groups.begin(), job_.groups.end(),
                                 [](const JobGroup& group) { return group.grows; });
    if (any) return;
    if (job_.groups.empty())
      throw Error(ErrorCode::kInput, names_text(job_.graphs),
                  "no group of ranks communicates: a larger job would be copies of this one that "
                  "have nothing to do with each other",
                  "Record a job whose ranks share the work");
    throw Error(ErrorCode::kInput, names_text(job_.graphs),
                "no group is known to be data-parallel, so none grows with the job",
                "Name those that grow, by name or description (`grow`): " + all_groups_text());
  }

  /// Two groups of a rank that both hold its copies hold each other, or ranks would be replicas
  /// and partners at once.
  void require_nested() const {
    std::vector<std::vector<std::uint32_t>> of_rank(job_.ranks.size());
    for (std::uint32_t g = 0; g < job_.groups.size(); ++g)
      if (job_.groups[g].grows)
        for (const std::int64_t rank : job_.groups[g].ranks)
          of_rank[static_cast<std::size_t>(rank)].push_back(g);
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const auto& groups : of_rank)
      for (std::size_t i = 1; i < groups.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (known.insert({groups[j], groups[i]}).second) require_nested(groups[j], groups[i]);
  }

  void require_nested(std::uint32_t a, std::uint32_t b) const {
    const auto &x = job_.groups[a].ranks, &y = job_.groups[b].ranks;
    const auto& small = x.size() < y.size() ? x : y;
    const auto& large = x.size() < y.size() ? y : x;
    if (std::includes(large.begin(), large.end(), small.begin(), small.end())) return;
    throw Error(ErrorCode::kInput, names_text(job_.graphs),
                "the groups " + text_of(job_.groups[a]) + " and " + text_of(job_.groups[b]) +
                    " cross each other: they cannot both grow",
                "Name those that grow, by name or description (`grow`); the others are copied");
  }

  std::string all_groups_text() const {
    constexpr std::size_t kMostNamed = 12;
    std::vector<std::string> names;
    std::set<std::string> named;
    for (const JobGroup& group : job_.groups)
      if (named.insert(text_of(group)).second) names.push_back(text_of(group));
    return first_of_list(names, kMostNamed);
  }

  Job& job_;
  const GrowthOptions& options_;
};

void require_world(const Job& job, std::int64_t world) {
  const std::int64_t recorded = std::ssize(job.ranks);
  if (world > kMostGrownRanks)
    throw Error(ErrorCode::kUsage, "`world` " + std::to_string(world), "is too large",
                "Jobs grow up to " + std::to_string(kMostGrownRanks) + " ranks");
  if (world >= recorded && world % recorded == 0) return;
  const std::int64_t above = (world / recorded + 1) * recorded;
  throw Error(ErrorCode::kUsage, "`world` " + std::to_string(world),
              "is no multiple of the job's " + count_text(recorded, "rank"),
              "Each rank runs equally often: the next such size is " + std::to_string(above));
}

/// Shards of what a growing group gathers become smaller; returns how many. Where it scatters
/// gradients, the optimizer works on shards.
std::uint64_t shrink_shards(Job& job, bool shares_optimizer) {
  std::uint64_t count = 0;
  for (JobRank& rank : job.ranks)
    for (JobCommunication& c : rank.communications) {
      if (c.job_group == kNoIndex || !job.groups[c.job_group].grows) continue;
      rank.shares_optimizer |= shares_optimizer && is_shared_out(c.type) && c.type != ALL_GATHER;
      if (c.type != ALL_GATHER || c.bytes == 0) continue;
      c.bytes = (c.bytes - 1) / job.copies + 1;
      ++count;
    }
  return count;
}

/// Names what grows and what is copied, each text once: groups by their description, unless some
/// of the same one grow and others do not.
void name_groups(const std::vector<JobGroup>& groups, JobGrowth& growth) {
  std::set<std::string> grown, copied, named;
  for (const JobGroup& group : groups) (group.grows ? grown : copied).insert(group.desc);
  for (const JobGroup& group : groups) {
    const bool is_told_apart =
        !group.desc.empty() && !(group.grows ? copied : grown).contains(group.desc);
    const std::string text = is_told_apart ? group.desc : text_of(group);
    if (named.insert(text).second) (group.grows ? growth.grown : growth.copied).push_back(text);
  }
}

}  // namespace

JobGrowth grow_job(Job& job, std::int64_t world, const GrowthOptions& options) {
  require_world(job, world);
  JobGrowth growth;
  growth.recorded = std::ssize(job.ranks);
  growth.world = world;
  job.copies = world / growth.recorded;
  if (job.copies > 1) GrowthChoice(job, options).choose();
  for (const JobGroup& group : job.groups)
    growth.groups += static_cast<std::size_t>(group.grows ? 1 : job.copies);
  name_groups(job.groups, growth);
  if (job.copies > 1) growth.smaller_shards = shrink_shards(job, options.shares_optimizer);
  return growth;
}

JobCopies::JobCopies(const Job& job)
    : ranks_(job.ranks.size()), copies_(static_cast<std::size_t>(job.copies)) {
  first_.reserve(job.groups.size());
  grows_.reserve(job.groups.size());
  for (const JobGroup& group : job.groups) {
    first_.push_back(static_cast<std::uint32_t>(groups_.size()));
    grows_.push_back(group.grows);
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      if (copy == 0 || !group.grows)
        groups_.push_back(
            {copy == 0 || group.name.empty() ? group.name : group.name + "." + std::to_string(copy),
             group.desc,
             {},
             group.grows});
      for (const std::int64_t rank : group.ranks)
        groups_.back().ranks.push_back(
            static_cast<std::int64_t>(rank_of(static_cast<std::size_t>(rank), copy)));
    }
  }
}

std::vector<JobCommunication> JobCopies::of_copy(const std::vector<JobCommunication>& recorded,
                                                 std::size_t copy) const {
  std::vector<JobCommunication> communications = recorded;
  const auto by = static_cast<std::int64_t>(copy * ranks_);
  for (JobCommunication& c : communications) {
    if (c.src >= 0) c.src += by;
    if (c.dst >= 0) c.dst += by;
    if (c.job_group != kNoIndex)
      c.job_group =
          first_[c.job_group] + static_cast<std::uint32_t>(grows_[c.job_group] ? 0 : copy);
  }
  return communications;
}

Job JobCopies::outline(const Job& job) const {
  Job larger;
  larger.groups = groups_;
  larger.recorded_size = job.recorded_size;
  larger.graphs.resize(job.graphs.size());
  for (std::size_t i = 0; i < job.graphs.size(); ++i) {
    larger.graphs[i].name = job.graphs[i].name;
    larger.graphs[i].rank = job.graphs[i].rank;
  }
  larger.ranks.resize(ranks_ * copies_);
  for (std::size_t copy = 0; copy < copies_; ++copy)
    for (std::size_t r = 0; r < ranks_; ++r) {
      JobRank& rank = larger.ranks[rank_of(r, copy)];
      const JobRank& recorded = job.ranks[r];
      rank.graph = recorded.graph;
      rank.is_idle = recorded.is_idle;
      rank.is_copy = recorded.is_copy || copy > 0;
      rank.recorded_rank = recorded.recorded_rank + static_cast<std::int64_t>(copy * ranks_);
    }
  return larger;
}

}  // namespace nadi
