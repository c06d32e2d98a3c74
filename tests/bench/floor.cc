// floor FILE...: the least a converter must do: read, decompress, visit every field of every event
// once with simdjson, keep nothing. The yardstick of the benchmarks ("convert <= 3 x floor").
#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "nadi/input/byte_source.h"
#include "nadi/read/field_walk.h"
#include "nadi/read/trace_walk.h"

namespace {

/// Visits a value and all that is in it; gives the number of values seen, 0 on broken JSON.
std::uint64_t visit(simdjson::ondemand::value value) {
  std::uint64_t seen = 1;
  switch (value.type()) {
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) seen += visit(field.value().value());
      return seen;
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) seen += visit(element.value());
      return seen;
    default:
      return value.raw_json_token().empty() ? 0 : seen;
  }
}

class Floor : public nadi::TraceVisitor {
 public:
  bool wants(std::string_view) const override { return false; }
  bool member(std::string_view, std::string_view) override { return true; }
  bool event(std::string_view object, std::uint64_t) override {
    try {
      simdjson::ondemand::document document =
          parser_.iterate(object.data(), object.size(), object.size() + nadi::Window::kPadding);
      for (auto field : document.get_object()) values += visit(field.value().value());
    } catch (const simdjson::simdjson_error&) {
      return false;
    }
    return true;
  }

  std::uint64_t values = 0;

 private:
  simdjson::ondemand::parser parser_;
};

void measure(const char* path) {
  const auto begin = std::chrono::steady_clock::now();
  nadi::ByteSource source = nadi::ByteSource::open(path);
  nadi::Progress quiet;
  nadi::Window window(source, quiet);
  nadi::Diagnostics diagnostics;
  Floor floor;
  window.fill_to(1 << 16);
  const bool is_host = window.text().find("\"nodes\"") < window.text().find("\"traceEvents\"");
  const nadi::TraceShape shape = is_host ? nadi::kHostTraceShape : nadi::kDeviceTraceShape;
  const nadi::WalkResult result = nadi::walk_trace(window, shape, floor, diagnostics);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.6f s  %llu bytes  %llu events  %llu values  %s\n", seconds,
              static_cast<unsigned long long>(window.position()),
              static_cast<unsigned long long>(result.events),
              static_cast<unsigned long long>(floor.values), path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: floor FILE...\n");
    return 2;
  }
  try {
    for (int i = 1; i < argc; ++i) measure(argv[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
