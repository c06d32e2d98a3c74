#include "nadi/converters/cli/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

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

/// The logger of the tool. A terminal gets colour unless NO_COLOR (no-color.org) is set.
spdlog::logger& logger() {
  static const auto made = [] {
    const bool no_colour = std::getenv("NO_COLOR") != nullptr;
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        no_colour ? spdlog::color_mode::never : spdlog::color_mode::automatic);
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

}  // namespace nadi::cli
