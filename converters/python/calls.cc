#include "nadi/converters/python/calls.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace nadi::python {

namespace {

std::atomic<bool> is_interrupted = false;
std::atomic<bool> is_ending = false;  // Python
std::atomic<int> running = 0;         // calls that work without Python's lock
std::timed_mutex one_at_a_time;
struct sigaction of_program {};  // what handles SIGINT where no call does

thread_local bool is_inside = false;  // a callback

void note_interrupt(int) { is_interrupted = true; }

Error stopped() {
  return {ErrorCode::kUsage, "", "stopped", "Call it again for the whole of its result"};
}

/// What Python passes over in silence.
[[noreturn]] void end_thread() {
  PyErr_SetNone(PyExc_SystemExit);
  throw py::error_already_set();
}

/// Python's own signals come to its first thread alone.
bool is_first_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

void end_calls() {
  is_ending = true;
  const py::gil_scoped_release unlocked;
  for (int waited = 0; running > 0 && waited < 1000; ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void forget_calls() {
  running = 0;
  new (&one_at_a_time) std::timed_mutex;
  struct sigaction now {};
  if (::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == note_interrupt)
    ::sigaction(SIGINT, &of_program, nullptr);
}

std::unique_lock<std::timed_mutex> CallProgress::wait_for_turn() {
  if (is_inside)
    throw Error(ErrorCode::kUsage, "", "a verb is called by the progress callback of another call",
                "Call it when that one is done");
  std::unique_lock lock(one_at_a_time, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(100))) update("waiting for its turn", 0, 0);
  return lock;
}

CallProgress::Running::Running() {
  if (is_ending) end_thread();
  ++running;
}

CallProgress::Running::~Running() { --running; }

CallProgress::CallProgress(py::object callback) : callback_(std::move(callback)) {
  if (!is_first_thread()) return;
  struct sigaction noting {};
  noting.sa_handler = note_interrupt;
  is_noting_ = ::sigaction(SIGINT, &noting, &before_) == 0;
  if (before_.sa_handler != note_interrupt) {  // no call is around this one
    is_interrupted = false;
    of_program = before_;
  }
  if (is_noting_ && before_.sa_handler == SIG_IGN) ::sigaction(SIGINT, &before_, nullptr);
}

CallProgress::~CallProgress() {
  if (is_noting_) ::sigaction(SIGINT, &before_, nullptr);
}

void CallProgress::update(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (is_stopped_ || is_ending || (is_noting_ && is_interrupted)) throw stopped();
  if (callback_.is_none()) return;
  const py::gil_scoped_acquire locked;
  const bool was_inside = std::exchange(is_inside, true);
  try {
    callback_(py::str(stage.data(), stage.size()), done, total);
  } catch (const py::error_already_set&) {
    if (!is_stopped_.exchange(true)) raised_ = std::current_exception();
  }
  is_inside = was_inside;
  if (is_stopped_) throw stopped();
}

void CallProgress::raise_reason() {
  if (is_ending) end_thread();
  if (is_noting_ && is_interrupted.exchange(false)) {
    ::sigaction(SIGINT, &before_, nullptr);
    is_noting_ = false;
    ::raise(SIGINT);  // anew, for the handler that was there before
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace nadi::python
