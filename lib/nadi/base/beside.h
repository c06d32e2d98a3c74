// Does work on a thread of its own beside the caller's.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace nadi {

/// std::async on another thread; where a limit allows none, the work is done when it is asked for.
template <class Work>
auto begin_beside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace nadi
