#include "tests/growth/work.h"

#include <sanitizer/allocator_interface.h>

namespace {

bool is_counting = false;
nadi::test::Work counted;

__attribute__((no_sanitize("all", "coverage"))) void count_step() {
  if (is_counting) ++counted.steps;
}

__attribute__((no_sanitize("all", "coverage"))) void count_bytes(const volatile void*,
                                                                 std::size_t size) {
  if (is_counting) counted.bytes += size;
}

__attribute__((no_sanitize("all", "coverage"))) void ignore_free(const volatile void*) {}

}  // namespace

// What instrumented code calls at each comparison: clang's SanitizerCoverage, "Tracing data flow".
#define NADI_COUNT(name, type) \
  extern "C" __attribute__((no_sanitize("all", "coverage"))) void name(type, type) { count_step(); }
NADI_COUNT(__sanitizer_cov_trace_cmp1, std::uint8_t)
NADI_COUNT(__sanitizer_cov_trace_cmp2, std::uint16_t)
NADI_COUNT(__sanitizer_cov_trace_cmp4, std::uint32_t)
NADI_COUNT(__sanitizer_cov_trace_cmp8, std::uint64_t)
NADI_COUNT(__sanitizer_cov_trace_const_cmp1, std::uint8_t)
NADI_COUNT(__sanitizer_cov_trace_const_cmp2, std::uint16_t)
NADI_COUNT(__sanitizer_cov_trace_const_cmp4, std::uint32_t)
NADI_COUNT(__sanitizer_cov_trace_const_cmp8, std::uint64_t)
#undef NADI_COUNT
extern "C" __attribute__((no_sanitize("all", "coverage"))) void __sanitizer_cov_trace_switch(
    std::uint64_t, std::uint64_t*) {
  count_step();
}

namespace nadi::test {

Work work_of(const std::function<void()>& piece) {
  [[maybe_unused]] static const int is_installed =
      __sanitizer_install_malloc_and_free_hooks(count_bytes, ignore_free);
  counted = {};
  is_counting = true;
  piece();
  is_counting = false;
  return counted;
}

}  // namespace nadi::test
