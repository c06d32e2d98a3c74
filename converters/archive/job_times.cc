#include "nadi/converters/archive/job_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/emit/json_writer.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi {
namespace {

constexpr std::size_t kFlushBytes = 1 << 20;

class JobTimesWriter {
 public:
  JobTimesWriter(const Job& job, const JobMatches& matches, const Diagnostics& findings,
                 const ByteSink& sink)
      : job_(job), matches_(matches), findings_(findings), sink_(sink) {}

  void write() {
    json_.begin_object();
    write_clocks();
    write_groups();
    write_list("collectives", matches_.collectives);
    write_list("messages", matches_.messages);
    write_stragglers();
    write_findings();
    json_.end_object();
    flush();
  }

 private:
  void flush() {
    sink_(json_.text());
    json_.text().clear();
  }

  void write_clocks() {
    json_.key("clocks").begin_object();
    json_.member("source", to_string(matches_.clock_source));
    json_.key("ranks").begin_list();
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      const RankClock& clock = matches_.clocks[r];
      json_.begin_object();
      json_.member("rank", job_.ranks[r].recorded_rank);
      json_.member("shift_ns", clock.shift_ns);
      append_drift(clock.drift);
      json_.end_object();
    }
    json_.end_list();
    json_.end_object();
  }

  void append_drift(double drift) {
    constexpr double kPerMillion = 1e6;
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   drift * kPerMillion, std::chars_format::general, 6);
    json_.key("drift_ppm").raw().append(digits.data(), end.ptr);
  }

  std::int64_t recorded(std::int64_t rank) const {
    return job_.ranks[static_cast<std::size_t>(rank)].recorded_rank;
  }

  void write_groups() {
    json_.key("groups").begin_list();
    for (const JobGroup& group : job_.groups) {
      json_.begin_object();
      json_.member("name", group.name);
      json_.member("desc", group.desc);
      json_.key("ranks").begin_list();
      for (const std::int64_t rank : group.ranks) json_.value(recorded(rank));
      json_.end_list();
      json_.end_object();
    }
    json_.end_list();
  }

  template <class Row>
  void write_list(const char* key, const std::vector<Row>& rows) {
    json_.key(key).begin_list();
    for (const Row& row : rows) {
      json_.next_line();
      write_row(row);
      if (json_.text().size() >= kFlushBytes) flush();
    }
    json_.end_list();
  }

  Ns start(std::int64_t rank, std::uint32_t node) const {
    const auto r = static_cast<std::size_t>(rank);
    return matches_.clocks[r].job_ns(job_.ranks[r].start_ns[node]);
  }
  Ns end(std::int64_t rank, std::uint32_t node) const {
    const auto r = static_cast<std::size_t>(rank);
    return matches_.clocks[r].job_ns(job_.ranks[r].end_ns(node));
  }
  const JobCommunication& communication(std::int64_t rank, std::uint32_t node) const {
    return job_.ranks[static_cast<std::size_t>(rank)].communication_of(node);
  }

  void write_row(const JobCollective& collective) {
    const auto& ranks = job_.groups[collective.group].ranks;
    const JobCommunication& c = communication(ranks.front(), collective.nodes.front());
    json_.begin_object();
    json_.member("group", collective.group);
    json_.member("type", collective_name(c.type));
    json_.member("bytes", c.bytes);
    starts_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      starts_.push_back(start(ranks[i], collective.nodes[i]));
      ends_.push_back(end(ranks[i], collective.nodes[i]));
    }
    json_.member("start_ns", starts_);
    json_.member("end_ns", ends_);
    json_.end_object();
    note_last(ranks);
  }

  void note_last(const std::vector<std::int64_t>& ranks) {
    const auto last = std::max_element(starts_.begin(), starts_.end());
    if (ranks.size() < 2 || std::count(starts_.begin(), starts_.end(), *last) > 1) return;
    Straggler& straggler = stragglers_[ranks[static_cast<std::size_t>(last - starts_.begin())]];
    ++straggler.collectives;
    for (const Ns one : starts_) straggler.waited_ns += *last - one;
  }

  void write_row(const JobMessage& message) {
    json_.begin_object();
    json_.member("from", recorded(message.source));
    json_.member("to", recorded(message.destination));
    json_.member("bytes", communication(message.source, message.send).bytes);
    json_.member("start_ns", std::vector{start(message.source, message.send),
                                         start(message.destination, message.receive)});
    json_.member("end_ns", std::vector{end(message.source, message.send),
                                       end(message.destination, message.receive)});
    json_.end_object();
  }

  void write_stragglers() {
    std::vector<std::pair<std::int64_t, Straggler>> rows(stragglers_.begin(), stragglers_.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.second.waited_ns > b.second.waited_ns;
    });
    json_.key("stragglers").begin_list();
    for (const auto& [rank, straggler] : rows) {
      json_.begin_object();
      json_.member("rank", recorded(rank));
      json_.member("collectives", straggler.collectives);
      json_.member("waited_ns", straggler.waited_ns);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_findings() {
    json_.key("findings").begin_list();
    for (const Diagnostic& finding : findings_.table()) {
      json_.begin_object();
      json_.member("kind", to_string(finding.kind));
      json_.member("count", finding.count);
      json_.member("first", finding.first);
      json_.end_object();
    }
    json_.end_list();
  }

  struct Straggler {
    std::uint64_t collectives = 0;
    Ns waited_ns = 0;
  };

  const Job& job_;
  const JobMatches& matches_;
  const Diagnostics& findings_;
  const ByteSink& sink_;
  JsonWriter json_{JsonWriter::Blanks::kSome};
  std::vector<Ns> starts_, ends_;                 // of the collective that is written
  std::map<std::int64_t, Straggler> stragglers_;  // by rank of the job
};

}  // namespace

void write_job_times(RecordedGraphs graphs, const ByteSink& sink) {
  if (graphs.size() == 0) return sink("null");
  Diagnostics diagnostics;
  try {
    Job job = make_job(std::move(graphs), MissingRanks::kDrop, diagnostics);
    const JobMatches matches = match_communications(job, true, diagnostics);
    JobTimesWriter(job, matches, diagnostics, sink).write();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInput) throw;
    JsonWriter json(JsonWriter::Blanks::kSome);
    json.begin_object();
    json.member("error", error.where() + ": " + error.problem());
    json.end_object();
    sink(json.text());
  }
}

}  // namespace nadi
