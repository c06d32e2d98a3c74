// The tool's operator new: what its columns take comes from one heap in the system's large pages,
// each of which takes one page fault in place of hundreds, and is used again where a column is
// freed. Faults were a quarter of the CPU time of a conversion on a virtual machine. Libraries do
// not change their programs' operator new; sanitizers have their own.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace {

#ifdef __GLIBC__

/// Only blocks of this size and more are looked at: smaller ones rarely make the heap grow.
constexpr std::size_t kLeastLooked = std::size_t{4} << 10;
/// Blocks of this size and more for which the heap has no room are mapped alone: glibc's upper
/// limit.
constexpr int kLeastMapped = 32 << 20;
/// By how much the heap grows at a time, and how much of its end it keeps.
constexpr int kStep = 256 << 20, kKept = 512 << 20;

std::uintptr_t end_of_heap() { return reinterpret_cast<std::uintptr_t>(::sbrk(0)); }

/// Where the part of the heap ends for which large pages were asked; 0: nothing is set up yet.
std::atomic<std::uintptr_t> asked{0};

/// True where the user has said what glibc should do.
bool has_own_settings() {
  for (const char* name : {"GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_",
                           "MALLOC_TOP_PAD_", "MALLOC_TRIM_THRESHOLD_"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

/// One heap for all threads, which hardly ever allocate at the same time: they fill columns. It
/// grows in large steps, at whose ends alone pages are small; where the address space is limited,
/// in small ones, for what a step takes is gone for all else.
bool use_one_heap() {
  if (has_own_settings()) return false;
  (void)::mallopt(M_ARENA_MAX, 1);
  (void)::mallopt(M_MMAP_THRESHOLD, kLeastMapped);
  (void)::mallopt(M_TRIM_THRESHOLD, kKept);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
    (void)::mallopt(M_TOP_PAD, kStep);
  asked = end_of_heap();
  return true;
}

[[maybe_unused]] const bool is_one_heap = use_one_heap();

/// Advice alone: where there are no large pages, there are small ones.
void ask_for_large_pages(std::uintptr_t begin, std::uintptr_t end) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  (void)::madvise(reinterpret_cast<void*>(begin), end / page * page - begin, MADV_HUGEPAGE);
}

void ask_for(const void* block, std::size_t size) {
  if (size >= std::size_t{kLeastMapped}) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    ask_for_large_pages(begin, begin + size);
  } else if (size >= kLeastLooked && asked != 0) {
    const std::uintptr_t end = end_of_heap();
    const std::uintptr_t begin = asked.exchange(end, std::memory_order_relaxed);
    if (begin < end) ask_for_large_pages(begin, end);
  }
}

/// For a system that promises no more memory than it has: steps become small.
void take_small_steps() { (void)::mallopt(M_TOP_PAD, 0); }

#else

void ask_for(const void*, std::size_t) {}
void take_small_steps() {}

#endif

void* allocate(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block != nullptr) return block;
  take_small_steps();
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
  void* block = allocate(size);
  while (block == nullptr) {
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
    block = allocate(size);
  }
  ask_for(block, size);
  return block;
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
