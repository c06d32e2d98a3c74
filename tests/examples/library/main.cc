// Converts the traces of one rank and prints what waits for what.
#include <nadi/base/error.h>
#include <nadi/converters/convert.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  nadi::ConvertOptions options;
  options.traces = {argv[1], argv[2]};  // host trace, device trace
  options.output = argv[3];             // becomes OUTPUT.<rank>.et
  try {
    const nadi::ConvertReport report = nadi::convert(options);
    std::printf("%s: %llu nodes\n", report.output.c_str(),
                static_cast<unsigned long long>(report.nodes));
    for (const auto& [evidence, count] : report.edges) {
      std::printf("  %llu edges by %s\n", static_cast<unsigned long long>(count), evidence.c_str());
    }
  } catch (const nadi::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());  // where: what. what to do
    return 1;
  }
}
