#include "nadi/converters/cli/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace nadi::cli {

namespace {

Verbosity current = Verbosity::kNormal;

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::kQuiet:
      return spdlog::level::err;
    case Verbosity::kVerbose:
      return spdlog::level::debug;
    case Verbosity::kNormal:
      break;
  }
  return spdlog::level::info;
}

bool is_stdout_for_data = false;
ByteSink standard_output;  // of a program that runs a verb

/// The logger of the tool.
spdlog::logger& logger() {
  static const auto made = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        has_colours(stderr) ? spdlog::color_mode::automatic : spdlog::color_mode::never);
    auto result = std::make_shared<spdlog::logger>("nadi", std::move(sink));
    result->set_pattern("%^nadi:%$ %v");
    spdlog::set_default_logger(result);
    return result;
  }();
  return *made;
}

std::mutex& remark_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::string remark_at_interrupt;

}  // namespace

void set_interrupt_remark(std::string remark) {
  const std::lock_guard lock(remark_mutex());
  remark_at_interrupt = std::move(remark);
}

std::string interrupt_remark() {
  const std::lock_guard lock(remark_mutex());
  return remark_at_interrupt;
}

void set_verbosity(Verbosity verbosity) {
  current = verbosity;
  logger().set_level(level_of(verbosity));
}

Verbosity verbosity() { return current; }

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

// What is on standard output goes first: both may be one log.
void log_error(std::string_view message) {
  std::fflush(stdout);
  logger().error("{}", message);
}

void log_text(std::string_view text) {
  if (current == Verbosity::kQuiet) return;
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void log_summary(std::string_view text) {
  if (is_stdout_for_data) return log_text(text);
  if (current == Verbosity::kQuiet || give_to_program(text)) return;
  std::fflush(stdout);
  while (!text.empty()) {  // not into the buffer of stdout, where it would stay when not written
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count <= 0 && errno != EINTR) return;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

void keep_stdout_for_data() { is_stdout_for_data = true; }

void set_standard_output(ByteSink sink) {
  standard_output = std::move(sink);
  is_stdout_for_data = false;
}

bool give_to_program(std::string_view text) {
  if (standard_output) standard_output(text);
  return static_cast<bool>(standard_output);
}

bool has_colours(std::FILE* stream) {
  if (stream == stdout && standard_output) return false;
  return is_terminal(stream) && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace nadi::cli
