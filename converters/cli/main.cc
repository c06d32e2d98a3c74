// Entry of the command-line tool.
#include <fmt/format.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/run.h"
#include "nadi/emit/temporary_path.h"

namespace nadi::cli {
namespace {

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

/// "out/step, r.json and r.html were not written".
std::string not_written(const std::vector<std::string>& outputs) {
  if (outputs.empty()) return "nothing was half written";
  if (outputs.size() == 1) return outputs.front() + " was not written";
  return fmt::format("{} and {} were not written",
                     fmt::join(outputs.begin(), outputs.end() - 1, ", "), outputs.back());
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

/// From here on SIGINT, SIGTERM and SIGHUP remove the files that are half written, say which
/// outputs will not appear, and end the process as these signals do. Call before any other thread
/// begins.
void watch_for_interrupts() {
  const sigset_t set = interrupts();
  if (pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0) std::thread(wait_for_interrupt).detach();
}

}  // namespace
}  // namespace nadi::cli

int main(int argc, char** argv) {
  nadi::cli::watch_for_interrupts();
  return nadi::cli::run(argc, argv);
}
