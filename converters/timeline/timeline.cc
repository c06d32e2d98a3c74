#include "nadi/converters/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/id_map.h"
#include "nadi/converters/timeline/log_line.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"

namespace nadi {
namespace {

// The lines of a log, however long it is.

/// Holds a buffer of 1 MiB; longer lines are skipped and counted.
class LogLines {
 public:
  explicit LogLines(ByteSource source, Progress progress = {});

  /// The next line without its newline; false at the end. It lives until the next call.
  bool next(std::string_view& line);
  /// Of the line given last; 1 = the first.
  std::uint64_t number() const { return number_; }
  std::uint64_t oversized() const { return oversized_; }
  const std::string& name() const { return source_.name(); }
  const std::string& damage() const { return source_.damage(); }

 private:
  /// Moves what is unread to the buffer's begin and reads behind it; false = nothing more comes.
  bool fill();

  ByteSource source_;
  Progress progress_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is unread
  std::uint64_t number_ = 0, oversized_ = 0;
};

LogLines::LogLines(ByteSource source, Progress progress)
    : source_(std::move(source)), progress_(std::move(progress)), buffer_(1 << 20) {}

bool LogLines::next(std::string_view& line) {
  bool is_too_long = false;
  for (std::size_t searched = 0;;) {
    const std::string_view unread(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = unread.find('\n', searched);
    if (newline != std::string_view::npos) {
      ++number_;
      begin_ += newline + 1;
      if (!is_too_long) {
        line = unread.substr(0, newline);
        return true;
      }
      is_too_long = false;
      searched = 0;
      continue;
    }
    searched = unread.size();
    if (unread.size() == buffer_.size()) {
      if (!is_too_long) ++oversized_;
      is_too_long = true;
      begin_ = end_;
      searched = 0;
    }
    if (fill()) continue;
    if (begin_ == end_ || is_too_long) return false;
    line = {buffer_.data() + begin_, end_ - begin_};  // the last line has no newline
    begin_ = end_;
    ++number_;
    return true;
  }
}

bool LogLines::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += got;
  if (progress_) progress_(source_.consumed(), source_.total());
  return got > 0;
}

constexpr std::uint64_t kMostNpus = 999'999'999;  // the number of a process is one more
constexpr std::uint64_t kTracksPerResource = 100'000'000;
constexpr std::size_t kNodesListed = 10'000;

class LogTimeline {
 public:
  LogTimeline(const TimelineOptions& options, TimelineWriter& writer)
      : options_(options), writer_(writer) {}

  void take(std::string_view line, std::uint64_t number) {
    const auto parsed = parse_log_line(line);
    if (!parsed || parsed->npu >= kMostNpus || parsed->tick > kMostTicks) {
      if (parsed || is_broken_log_line(line)) report_broken(number, 1);
      return;
    }
    end_ns_ = std::max(end_ns_, ns_of(parsed->tick));
    const Key key{parsed->npu, parsed->node};
    if (parsed->is_issue)
      issue(key, *parsed, number);
    else
      finish(key, *parsed, number);
  }

  void report_broken(std::uint64_t first, std::uint64_t count) {
    report_.diagnostics.report(Finding::kBrokenLogLine, place_of(first), count);
  }

  TimelineReport result() {
    add_unfinished();
    writer_.finish();
    report_.npus = npus_.size();
    report_.end_ns = end_ns_;
    for (std::uint64_t npu = 0; npu < static_cast<std::uint64_t>(options_.npus); ++npu)
      if (npus_.find(npu) == npus_.end())
        report_.diagnostics.report(Finding::kNpuMissing, "NPU " + std::to_string(npu));
    return std::move(report_);
  }

 private:
  static constexpr std::uint64_t kMostTicks = std::numeric_limits<std::int64_t>::max() / 1000;

  struct Key {
    std::uint64_t npu, node;
    friend bool operator==(const Key& a, const Key& b) {
      return a.npu == b.npu && a.node == b.node;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return IdHash()(IdHash()(key.npu) ^ key.node); }
  };
  struct OpenNode {
    std::uint64_t tick = 0;
    Resource resource = Resource::kCompute;
    std::size_t track = 0;
    std::string name;
  };
  /// Of the nodes of one resource that are side by side.
  struct Tracks {
    std::vector<std::uint32_t> numbers;  ///< of the writer
    std::set<std::size_t> idle;
  };
  using Npu = std::array<Tracks, kResourceCount>;

  static std::string place_of(std::uint64_t number) { return "line " + std::to_string(number); }

  Ns ns_of(std::uint64_t tick) const {
    const auto ticks = static_cast<Ns>(tick);
    return ticks / options_.frequency * 1000 +
           ticks % options_.frequency * 1000 / options_.frequency;
  }

  Npu& npu_of(std::uint64_t number) {
    const auto [npu, is_new] = npus_.try_emplace(number);
    if (is_new) {
      writer_.name_process(number + 1, "NPU " + std::to_string(number));
      if (options_.npus > 0 && number >= static_cast<std::uint64_t>(options_.npus))
        report_.diagnostics.report(Finding::kNpuBeyond, "NPU " + std::to_string(number));
    }
    return npu->second;
  }

  std::size_t take_track(std::uint64_t number, Resource resource) {
    Tracks& tracks = npu_of(number)[static_cast<std::size_t>(resource)];
    if (!tracks.idle.empty()) return tracks.idle.extract(tracks.idle.begin()).value();
    const std::size_t track = tracks.numbers.size();
    const std::string beside = track == 0 ? "" : " (beside " + std::to_string(track) + ")";
    tracks.numbers.push_back(writer_.add_track(
        number + 1, static_cast<std::uint64_t>(resource) * kTracksPerResource + track,
        std::string(to_string(resource)) + beside));
    return track;
  }

  Tracks& tracks_of(const Key& key, const OpenNode& node) {
    return npu_of(key.npu)[static_cast<std::size_t>(node.resource)];
  }

  void issue(const Key& key, const LogLine& line, std::uint64_t number) {
    if (open_.find(key) != open_.end()) {
      report_.diagnostics.report(Finding::kIssuedTwice, place_of(number));
      return;
    }
    open_.emplace(key, OpenNode{line.tick, line.resource, take_track(key.npu, line.resource),
                                std::string(line.name)});
  }

  void finish(const Key& key, const LogLine& line, std::uint64_t number) {
    const auto found = open_.find(key);
    if (found == open_.end()) {
      report_.diagnostics.report(Finding::kUnmatchedCallback, place_of(number));
      if (report_.unmatched.size() < kNodesListed)
        report_.unmatched.push_back({key.npu, key.node, line.tick, std::string(line.name)});
      return;
    }
    const OpenNode& node = found->second;
    ++report_.nodes;
    if (line.tick < node.tick)
      report_.diagnostics.report(Finding::kCallbackBeforeIssue, place_of(number));
    add_slice(key, node, std::max(ns_of(line.tick), ns_of(node.tick)), "");
    tracks_of(key, node).idle.insert(node.track);
    open_.erase(found);
  }

  void add_slice(const Key& key, const OpenNode& node, Ns end, const char* mark) {
    const TimelineArgument id{"id", key.node};
    writer_.add_slice({tracks_of(key, node).numbers[node.track],
                       ns_of(node.tick),
                       end,
                       to_string(node.resource),
                       node.name + mark,
                       {&id, 1},
                       {}});
  }

  void add_unfinished() {
    std::vector<std::pair<Key, const OpenNode*>> left;
    left.reserve(open_.size());
    for (const auto& [key, node] : open_) left.emplace_back(key, &node);
    std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
      return a.first.npu != b.first.npu ? a.first.npu < b.first.npu : a.first.node < b.first.node;
    });
    for (const auto& [key, node] : left) {
      add_slice(key, *node, end_ns_, " (unfinished)");
      report_.diagnostics.report(
          Finding::kUnfinishedNode,
          "node " + std::to_string(key.node) + " of NPU " + std::to_string(key.npu));
      if (report_.unfinished.size() < kNodesListed)
        report_.unfinished.push_back({key.npu, key.node, node->tick, node->name});
    }
  }

  const TimelineOptions options_;
  TimelineWriter& writer_;
  TimelineReport report_;
  std::unordered_map<Key, OpenNode, KeyHash> open_;
  std::map<std::uint64_t, Npu> npus_;
  Ns end_ns_ = 0;
};

}  // namespace

TimelineReport write_log_timeline(ByteSource source, const TimelineOptions& options,
                                  TimelineWriter& writer, const Progress& progress) {
  LogLines lines(std::move(source), progress);
  std::string_view line;
  bool is_there = lines.next(line);
  std::uint64_t broken = 0, first_broken = 0;
  for (; is_there && !parse_log_line(line); is_there = lines.next(line))
    if (is_broken_log_line(line) && ++broken == 1) first_broken = lines.number();
  if (!is_there)
    throw Error(ErrorCode::kInput, lines.name(), "holds no line of a simulator's log",
                "Pass what it logged of its workload: lines that begin with issue, and callback,");
  LogTimeline timeline(options, writer);
  timeline.report_broken(first_broken, broken);
  for (; is_there; is_there = lines.next(line)) timeline.take(line, lines.number());
  TimelineReport report = timeline.result();
  if (!lines.damage().empty())
    report.diagnostics.report(Finding::kTruncatedInput, lines.name() + ": " + lines.damage());
  if (lines.oversized() > 0)
    report.diagnostics.report(Finding::kOversizedLine, lines.name(), lines.oversized());
  return report;
}

}  // namespace nadi
