// measure RUNS LABEL FLOOR… -- CONVERT…: runs both commands in turns and prints one row of run.sh.
// With OUTPUT=FILE in the environment, that file is removed before each run of CONVERT: to free
// what it takes of the system's cache is no part of the work.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Run {
  double seconds = 0;
  double peak_mb = 0;  // largest resident set, MB of 10^6 bytes
  std::string output;
};

/// Runs the command, catching its standard output; ends the program if it fails.
Run run(const std::vector<char*>& command) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::exit(2);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[0]);
    execvp(command[0], command.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  Run result;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(pipe_ends[0], buffer, sizeof buffer)) > 0;)
    result.output.append(buffer, static_cast<std::size_t>(count));
  close(pipe_ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.peak_mb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "measure: %s failed\n", command[0]);
    std::exit(1);
  }
  return result;
}

/// Sum of the numbers before the word on each line ("0.04 s  123 bytes  45 events").
double sum_before(const std::string& text, const char* word) {
  double sum = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::strchr(" 0123456789", text[begin - 1]) != nullptr) --begin;
    sum += std::atof(text.c_str() + begin);
  }
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  std::vector<char*> floor_command, convert_command;
  bool is_second = false;
  for (int i = 3; i < count; ++i) {
    if (std::strcmp(words[i], "--") == 0)
      is_second = true;
    else
      (is_second ? convert_command : floor_command).push_back(words[i]);
  }
  if (floor_command.empty() || convert_command.empty()) {
    std::fputs("usage: measure RUNS LABEL FLOOR... -- CONVERT...\n", stderr);
    return 2;
  }
  floor_command.push_back(nullptr);
  convert_command.push_back(nullptr);
  std::vector<double> floor_seconds, convert_seconds, ratios, peaks;
  std::string floor_output;
  const char* const output = std::getenv("OUTPUT");
  for (int i = 0; i < std::max(std::atoi(words[1]), 1); ++i) {
    const Run floor = run(floor_command);
    if (output != nullptr) std::remove(output);
    const Run convert = run(convert_command);
    floor_seconds.push_back(floor.seconds);
    convert_seconds.push_back(convert.seconds);
    ratios.push_back(convert.seconds / floor.seconds);
    peaks.push_back(convert.peak_mb);
    floor_output = floor.output;
  }
  const double bytes = sum_before(floor_output, " bytes");
  const double events = sum_before(floor_output, " events");
  const double seconds = median(convert_seconds),
               peak = *std::max_element(peaks.begin(), peaks.end());
  std::printf("%5s %12.0f %12.0f %9.3f %9.3f %7.2f %12.1f %10.2f %9.0f\n", words[2], events, bytes,
              median(floor_seconds), seconds, median(ratios), peak, peak * 1e6 / bytes,
              seconds * 1e9 / events);
  return 0;
}
