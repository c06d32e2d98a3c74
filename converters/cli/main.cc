// Entry of the command-line tool.
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/run.h"
#include "nadi/emit/temporary_path.h"

namespace nadi::cli {
namespace {

/// Signals that end this process; not those that it was told to ignore (nohup).
sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    struct sigaction action {};
    const bool is_ignored =
        ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&set, signal);
  }
  return set;
}

/// "out/step, r.json and r.html were not written".
std::string not_written(const std::vector<std::string>& outputs) {
  if (outputs.empty()) return "nothing was half written";
  if (outputs.size() == 1) return outputs.front() + " was not written";
  return fmt::format("{} and {} were not written",
                     fmt::join(outputs.begin(), outputs.end() - 1, ", "), outputs.back());
}

/// Files that the tool opens would take the place of standard streams that are closed, and messages
/// would go into them. What is read from or written to a stream closed before fails as it did.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      (void)::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

/// Writing where nobody reads, or beyond a limit of size, is an error of that file: messages that
/// nobody reads end no work.
void make_failed_writes_errors() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

/// As if nobody had watched.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
}

void wait_for_interrupt() {
  const sigset_t set = interrupts();
  int signal = 0;
  if (sigwait(&set, &signal) != 0) return;
  const std::vector<std::string> outputs = remove_temporary_paths();
  if (is_terminal(stderr)) log_text("\n");  // the progress bar has the line
  const std::string remark = interrupt_remark();
  log_error(fmt::format("{}: {}{}{}", signal == SIGINT ? "interrupted" : "terminated",
                        not_written(outputs), remark.empty() ? "" : "; ", remark));
  end_by(signal);
}

/// From here on signals that end the process remove the files that are half written, say which
/// outputs will not appear, and end it as they do. Call before any other thread
/// begins. Where no thread can begin, signals just end the process.
void watch_for_interrupts() {
  const sigset_t set = interrupts();
  if (pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0) return;
  try {
    std::thread(wait_for_interrupt).detach();
  } catch (const std::system_error&) {  // a limit of processes
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
}

/// glibc loads libgcc_s once a thread is ended from outside, and aborts where no memory is left for
/// it.
void load_unwinder() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace
}  // namespace nadi::cli

int main(int argc, char** argv) {
  nadi::cli::hold_closed_streams();
  nadi::cli::load_unwinder();
  nadi::cli::make_failed_writes_errors();
  nadi::cli::watch_for_interrupts();
  return nadi::cli::run(argc, argv);
}
