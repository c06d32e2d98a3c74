// Out of memory costs the recording, never the program: allocations of this program fail on demand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <thread>

#include "nadi/record/record.h"
#include "nadi/record/record_c.h"

namespace {

constexpr int kAll = -1;
/// How many more allocations of this thread succeed.
constinit thread_local int allocations_left = kAll;
constinit std::atomic<int> failures{0};
/// Threads that are not marked fail at once.
constinit std::atomic<bool> fails_on_others{false};
constinit thread_local bool is_spared = false;

bool may_allocate() {
  if (fails_on_others && !is_spared) return ++failures, false;
  if (allocations_left == kAll) return true;
  if (allocations_left == 0) return ++failures, false;
  --allocations_left;
  return true;
}

}  // namespace

// All forms: where sanitizers replace some, memory must go back where it came from.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return may_allocate() ? std::malloc(size) : nullptr;
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace nadi::record {
namespace {

class Memory : public testing::Test {
 protected:
  Memory()
      : folder_(std::filesystem::temp_directory_path() /
                ("nadi_memory_" + std::to_string(::getpid()))),
        host_((folder_ / "host.json").string()),
        device_((folder_ / "device.json").string()) {
    std::filesystem::create_directories(folder_);
    is_spared = true;
  }
  ~Memory() override {
    fails_on_others = false;
    std::filesystem::remove_all(folder_);
  }

  /// The smallest buffers: a thread soon asks for more.
  int start() const {
    nadi_record_settings settings = nadi_record_defaults();
    settings.host_file = host_.c_str();
    settings.device_file = device_.c_str();
    settings.most_buffered_bytes = 64 << 10;
    return nadi_record_start(&settings);
  }

  /// Calls on a new thread, of which so many allocations succeed, until a chunk must be full.
  static void call_with(int allocations, void (*call)()) {
    constexpr int kCalls = 4000;
    std::thread([=] {
      allocations_left = allocations;
      for (int i = 0; i < kCalls; ++i) call();
      allocations_left = kAll;
    }).join();
  }

 private:
  std::filesystem::path folder_;
  std::string host_, device_;
};

void begin_communication_op() {
  nadi_communication send{};
  send.collective = "send";
  send.group = "a group with a name that is too long to be kept without memory";
  send.peer = send.sequence = -1;
  nadi_op_end(nadi_communication_begin(&send, nullptr, 0));
}

void add_device_row() {
  nadi_device_row row{};
  row.name = "kernel";
  nadi_device_row_add(&row);
}

void add_list_of_tensors() {
  nadi_tensor tensor{};
  nadi_value value{};
  value.kind = NADI_TENSORS;
  value.count = 1;
  value.as.tensors = &tensor;
  const uint64_t op = nadi_op_begin("op", &value, 1);
  nadi_op_outputs(op, &value, 1);
  nadi_op_attribute(op, "attribute", value);
  nadi_op_end(op);
}

void tie_backward_to_forward() {
  const uint64_t op = nadi_op_begin("op", nullptr, 0);
  nadi_op_backward_of(op, nadi_op_forward(op, -1));
}

struct Function {
  const char* name;
  void (*call)();
};
const Function kFunctions[] = {
    {"nadi_record_now", [] { nadi_record_now(); }},
    {"nadi_record_name_thread", [] { nadi_record_name_thread("thread"); }},
    {"nadi_op_begin", [] { nadi_op_begin("op", nullptr, 0); }},
    {"nadi_op_outputs", [] { nadi_op_outputs(7, nullptr, 0); }},
    {"nadi_op_attribute", [] { nadi_op_attribute(7, "attribute", {}); }},
    {"nadi_op_end", [] { nadi_op_end(7); }},
    {"nadi_op_forward", [] { nadi_op_forward(7, -1); }},
    {"nadi_op_backward_of",
     [] {
       nadi_op_backward_of(7, {3, 1, 1});
     }},
    {"nadi_annotation_begin", [] { nadi_annotation_begin("annotation"); }},
    {"nadi_step_begin", [] { nadi_step_begin(1); }},
    {"nadi_call_begin", [] { nadi_call_begin(NADI_LAUNCH, "launch", -1, -1, -1); }},
    {"nadi_call_end", [] { nadi_call_end(7); }},
    {"nadi_process_group_remove", [] { nadi_process_group_remove("group"); }},
    {"nadi_process_group_add", [] { nadi_process_group_add("group", nullptr, nullptr, 0); }},
    {"nadi_communication_begin", begin_communication_op},
    {"nadi_device_row_add", add_device_row},
    {"lists of tensors", add_list_of_tensors},
    {"forward and backward", tie_backward_to_forward},
    {"~Op", [] { const Op op("op"); }},
    {"~Call", [] { const Call call("call"); }},
};

TEST_F(Memory, ThatRunsOutInAFunctionEndsTheRecordingAndStopSaysSo) {
  constexpr int kMost = 8;
  int endings = 0;
  for (const Function& function : kFunctions) {
    for (int allocations = 0; allocations < kMost; ++allocations) {
      ASSERT_EQ(start(), 0) << nadi_record_error();
      failures = 0;
      call_with(allocations, function.call);
      const bool is_said = nadi_record_stop(nullptr) == -1;
      EXPECT_EQ(is_said, failures > 0) << function.name << ", " << allocations;
      const bool is_memory = std::string(nadi_record_error()).find("memory") != std::string::npos;
      EXPECT_EQ(is_said, is_memory) << function.name << ": " << nadi_record_error();
      endings += is_said ? 1 : 0;
    }
    nadi_process_group_remove("group");
  }
  EXPECT_GT(endings, kMost);
}

TEST_F(Memory, ThatRunsOutAtTheStartLeavesNoRecording) {
  nadi_process_group_add("group", "told to each recording", nullptr, 0);
  bool is_started = false;
  int refusals = 0;
  for (int allocations = 0; !is_started; ++allocations) {
    ASSERT_LT(allocations, 1000);
    allocations_left = allocations;
    is_started = start() == 0;
    allocations_left = kAll;
    refusals += is_started ? 0 : 1;
    EXPECT_EQ(nadi_is_recording() != 0, is_started);
    EXPECT_EQ(std::string(nadi_record_error()).empty(), is_started);
  }
  EXPECT_GT(refusals, 0);
  nadi_record_stop(nullptr);
  nadi_process_group_remove("group");
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(nadi_record_stop(nullptr), 0) << nadi_record_error();
}

TEST_F(Memory, ThatRunsOutAtTheStopIsSaid) {
  for (int allocations = 0; allocations < 16; ++allocations) {
    ASSERT_EQ(start(), 0);
    nadi_op_end(nadi_op_begin("op", nullptr, 0));
    failures = 0;
    allocations_left = allocations;
    const int result = nadi_record_stop(nullptr);
    allocations_left = kAll;
    EXPECT_EQ(result == -1, failures > 0);
    EXPECT_EQ(nadi_is_recording(), 0);
  }
}

TEST_F(Memory, ThatRunsOutWhereTracesAreWrittenEndsTheRecordingAndStopSaysSo) {
  ASSERT_EQ(start(), 0);
  failures = 0;
  fails_on_others = true;
  for (int i = 0; i < 20'000; ++i) nadi_op_end(nadi_op_begin("op", nullptr, 0));
  fails_on_others = false;
  EXPECT_EQ(nadi_record_stop(nullptr), -1);
  EXPECT_GT(failures, 0);
  EXPECT_NE(std::string(nadi_record_error()).find("memory"), std::string::npos);
}

}  // namespace
}  // namespace nadi::record
