// Records that are found by the ids of their events (K17).
#include "nadi/link/event_ids.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// A program of one thread; calls come one after another, in steps.
class Program {
 public:
  template <class Step>
  explicit Program(int steps, const Step& step) {
    for (int i = 0; i < steps; ++i) {
      const double begin = time_;
      step(*this, i);
      events_.push_back(annotation(fmt::format("ProfilerStep#{}", i), begin, time_ - begin));
    }
  }
  void kernel(int stream) {
    events_.push_back(launch(time_, 1, ++correlation_));
    events_.push_back(row("k", time_ + 2, 1, correlation_, stream));
    time_ += 5;
  }
  int record(const char* api = "cudaEventRecordWithFlags") {
    events_.push_back(call(api, time_, 1, ++correlation_));
    time_ += 2;
    return correlation_;
  }
  /// The row of the record called last.
  void recorded(int stream, int event) {
    events_.push_back(row("cudaEvent", time_ - 2, 0, correlation_, stream,
                          fmt::format(R"("event_id": {})", event), "cuda_event"));
  }
  int wait(int stream, int event) {
    events_.push_back(call("cudaStreamWaitEvent", time_, 1, ++correlation_));
    events_.push_back(
        sync("Stream Wait Event", time_, correlation_, stream,
             fmt::format(R"("wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": )"
                         R"(-1, "wait_on_cuda_event_id": {})",
                         event)));
    time_ += 2;
    return correlation_;
  }
  /// Record by wait.
  std::map<std::int64_t, std::int64_t> found() const {
    std::map<std::int64_t, std::int64_t> records;
    const LinkedTrace linked = link(events_);
    for (const StreamAction& action : linked.actions)
      if (action.kind == StreamActionKind::kStreamWaitEvent)
        records[action.correlation] = linked.actions[action.record].correlation;
    return records;
  }

 private:
  Lines events_;
  double time_ = 0;
  int correlation_ = 0;
};

TEST(EventIds, CountUpAsEventsAreCreated) {
  std::map<std::int64_t, std::int64_t> wanted;
  const Program program(4, [&](Program& step, int i) {
    const int id = 100 + 2 * i;
    step.kernel(7);
    const int early = step.record();
    wanted[step.wait(9, id)] = early;
    step.kernel(9);
    const int late = step.record();
    step.kernel(9);
    step.record("cudaEventRecord");  // of a pool's event
    wanted[step.wait(7, id + 1)] = late;
    step.kernel(7);
  });
  EXPECT_EQ(program.found(), wanted);
}

TEST(EventIds, OfAPoolAreRecordedRightBeforeTheirWaits) {
  std::map<std::int64_t, std::int64_t> wanted;
  const Program program(3, [&](Program& step, int) {
    step.kernel(7);
    const int before = step.record();
    wanted[step.wait(9, 5)] = before;
    step.kernel(9);
  });
  EXPECT_EQ(program.found(), wanted);
}

TEST(EventIds, TellThatAWaitBehindARecordIsForAnotherEvent) {
  std::map<std::int64_t, std::int64_t> wanted;
  const Program program(4, [&](Program& step, int i) {
    const int id = 100 + 2 * i;
    step.kernel(7);
    const int early = step.record();
    wanted[step.wait(9, id)] = early;
    step.kernel(9);
    const int late = step.record();
    wanted[step.wait(11, id)] = early;
    step.kernel(11);
    wanted[step.wait(7, id + 1)] = late;
    step.kernel(7);
  });
  EXPECT_EQ(program.found(), wanted);
}

/// Stream 9 waits in every step for one of two events of a pool, right behind a record; the row of
/// that of step 4 is lost. `is_for_it`: the waits are for what is recorded there.
Program with_a_lost_record(bool is_for_it, std::map<std::int64_t, std::int64_t>& wanted) {
  int before = 0;
  return Program(6, [&wanted, &before, is_for_it](Program& step, int i) {
    const int own = 100 + i % 2, other = 101 - i % 2;
    step.kernel(7);
    const int record = step.record();
    if (i != 4) step.recorded(7, own);
    const int wait = step.wait(9, is_for_it ? own : other);
    if (is_for_it || i > 0) wanted[wait] = is_for_it ? record : before;
    before = record;
    step.kernel(9);
  });
}

TEST(EventIds, OfALostRecordAreThoseOfTheOneRightBefore) {
  std::map<std::int64_t, std::int64_t> wanted;
  EXPECT_EQ(with_a_lost_record(true, wanted).found(), wanted);
}

TEST(EventIds, OfALostRecordSayNothingWhereWaitsAreForOthers) {
  std::map<std::int64_t, std::int64_t> wanted;
  const Program program = with_a_lost_record(false, wanted);
  auto found = program.found();
  const auto behind_lost = std::prev(found.end());  // is for the lost record
  wanted.erase(behind_lost->first);
  found.erase(behind_lost);
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace nadi
