// The tool's operator new: memory of large columns comes in the system's large pages, each of which
// takes one page fault in place of 512. Faults were a quarter of the CPU time of a conversion on a
// virtual machine. Libraries do not change their programs' operator new.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/// Smaller blocks hold no large page.
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Advice alone: where there are no large pages, the block has small ones.
void ask_for_large_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(block) + size) / page * page;
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

void* operator new(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  while (block == nullptr) {
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
    block = std::malloc(size == 0 ? 1 : size);
  }
  if (size >= kLargePage) ask_for_large_pages(block, size);
  return block;
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
