#include "nadi/sim_bridge/goal/schedule_text.h"

namespace nadi::goal {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

std::int64_t rank_of(const std::vector<std::int64_t>& members, std::int64_t position) {
  return members[static_cast<std::size_t>(position)];
}

}  // namespace

ScheduleText::ScheduleText(const ByteSink& sink, std::size_t ranks)
    : sink_(sink), text_("num_ranks " + std::to_string(ranks) + "\n") {}

void ScheduleText::begin_rank(std::size_t rank) {
  text_ += "\nrank " + std::to_string(rank) + " {\n";
}

void ScheduleText::end_rank() { text_ += "}\n"; }

GoalCounts ScheduleText::finish() {
  sink_(text_);
  text_.clear();
  return counts_;
}

void ScheduleText::calc(const std::string& label, Ns ns, std::uint32_t cpu) {
  text_ += label + ": calc " + std::to_string(ns);
  put_cpu(cpu);
  ++counts_.calcs;
}

void ScheduleText::send(const std::string& label, std::int64_t bytes, std::int64_t to,
                        std::int64_t tag, std::uint32_t cpu) {
  text_ += label + ": send " + std::to_string(bytes) + "b to " + std::to_string(to) + " tag " +
           std::to_string(tag);
  put_cpu(cpu);
  ++counts_.sends;
}

void ScheduleText::receive(const std::string& label, std::int64_t bytes, std::int64_t from,
                           std::int64_t tag, std::uint32_t cpu) {
  text_ += label + ": recv " + std::to_string(bytes) + "b from " + std::to_string(from) + " tag " +
           std::to_string(tag);
  put_cpu(cpu);
  ++counts_.receives;
}

void ScheduleText::put_cpu(std::uint32_t cpu) {
  text_ += " cpu " + std::to_string(cpu) + "\n";
  if (text_.size() < kPieceBytes) return;
  sink_(text_);
  text_.clear();
}

void ScheduleText::require(const std::string& label, const std::string& on) {
  text_ += label + " requires " + on + "\n";
  ++counts_.requires_;
}

void ScheduleText::require_start(const std::string& label, const std::string& on) {
  text_ += label + " irequires " + on + "\n";
  ++counts_.requires_;
}

void ScheduleText::collective(const std::string& label, const std::vector<Step>& steps,
                              const std::vector<std::int64_t>& members, std::int64_t tag,
                              std::uint32_t cpu) {
  std::string before = begin_of_collective(label);
  calc(before, 0, cpu);
  std::vector<std::string> sent;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    if (step.to != Step::kNobody) {
      sent.push_back(send_of(label, s));
      send(sent.back(), step.sends, rank_of(members, step.to), tag, cpu);
      require(sent.back(), before);
    }
    if (step.from != Step::kNobody) {
      const std::string received = label + "_" + std::to_string(s + 1) + "r";
      receive(received, step.receives, rank_of(members, step.from), tag, cpu);
      require(received, before);
      before = received;
    }
  }
  calc(label, 0, cpu);
  require(label, before);
  for (const std::string& message : sent) require(label, message);
}

}  // namespace nadi::goal
