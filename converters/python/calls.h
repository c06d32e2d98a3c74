// What every call from Python into nadi does: lets other threads of Python run, says how far the
// work is, ends at Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "nadi/base/error.h"
#include "nadi/read/progress.h"

namespace nadi::python {

namespace py = pybind11;

/// Lets calls end, and the threads that called, for Python is about to end: what the module does at
/// exit. Waits at most 10 s.
void end_calls();

/// In a process that was forked: forgets the calls of other threads, which are not there.
void forget_calls();

/// The progress of one call. Ctrl-C is noted, and ends the work where it next reports its progress,
/// as what the callback raises does: the work stops by a nadi::Error, and the call raises what was
/// the reason, of Ctrl-C what the program's own handler raises.
class CallProgress {
 public:
  /// `callback` takes a stage, and how much of how much is done of it (0 = not known); None is
  /// none.
  explicit CallProgress(py::object callback);
  ~CallProgress();
  CallProgress(const CallProgress&) = delete;
  CallProgress& operator=(const CallProgress&) = delete;

  /// May be called from any thread. Throws Error where the work is to stop.
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total);
  Progress reading() {
    return [this](std::uint64_t read, std::uint64_t total) { update("reading", read, total); };
  }

  /// Waits for the end of all other calls that wait for their turn here, and can be stopped
  /// meanwhile. Throws Error in a callback, which would wait for what called it.
  std::unique_lock<std::timed_mutex> wait_for_turn();

  /// Does the work without Python's lock. Throws what it throws, or what stopped it.
  template <class Work>
  auto run(const Work& work) {
    const Running counted;
    try {
      auto result = [&] {
        const py::gil_scoped_release unlocked;
        return work();
      }();
      raise_reason();
      return result;
    } catch (const Error&) {
      raise_reason();
      throw;
    }
  }

 private:
  /// Counts what end_calls() waits for; after it ends the thread.
  struct Running {
    Running();
    ~Running();
  };
  void raise_reason();

  py::object callback_;
  struct sigaction before_ {};
  bool is_noting_ = false;     // Ctrl-C, which is for the call of Python's first thread
  std::exception_ptr raised_;  // by the callback; written with Python's lock
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace nadi::python
