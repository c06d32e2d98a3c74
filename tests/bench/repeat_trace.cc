// repeat_trace --host H --device D --times N --out-prefix P [--plain]
// Writes P.host.json.gz and P.device.json.gz (or .json): the pair N times over, one copy after the
// other, with shifted ids and times, for benchmarks on larger traces. Reads the inputs once per
// copy, so memory stays small.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "nadi/input/byte_source.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/json_text.h"
#include "nadi/read/trace_walk.h"
#include "repeat_ids.h"

namespace {

using nadi::bench::Shift;

struct Options {
  std::string host, device, prefix;
  int times = 1;
  bool plain = false;
};

/// A .json or .json.gz file.
class Output {
 public:
  Output(const std::string& path, bool plain)
      : archive_(archive_write_new(), archive_write_free), path_(path) {
    archive_write_set_format_raw(archive_.get());
    if (!plain) archive_write_add_filter_gzip(archive_.get());
    check(archive_write_open_filename(archive_.get(), path.c_str()));
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    check(archive_write_header(archive_.get(), entry.get()));
  }
  ~Output() { archive_write_close(archive_.get()); }

  void write(std::string_view text) {
    check(static_cast<int>(archive_write_data(archive_.get(), text.data(), text.size())));
  }

 private:
  void check(int status) {
    if (status < ARCHIVE_OK)
      throw std::runtime_error(path_ + ": " + archive_error_string(archive_.get()));
  }

  std::unique_ptr<archive, decltype(&archive_write_free)> archive_;
  std::string path_;
};

/// Copies the events; the head and the tail come from the first pass.
class Copier : public nadi::TraceVisitor {
 public:
  Copier(bool is_host, Output* out) : is_host_(is_host), out_(out) {}

  bool wants(std::string_view key) const override { return key != "traceName"; }
  bool member(std::string_view key, std::string_view value) override {
    if (copy_ == 0) members_.emplace_back(key, value);
    return true;
  }
  bool event(std::string_view object, std::uint64_t) override {
    if (out_ == nullptr) {
      ids = std::max(ids, nadi::bench::largest_id(object, is_host_));
      return true;
    }
    // The roots exist once: later copies hang under the first one's.
    if (copy_ > 0 && (object.find("|process]") != std::string_view::npos ||
                      object.find("\"ph\": \"M\"") != std::string_view::npos))
      return true;
    text_.assign(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    nadi::bench::append_shifted(text_, object, is_host_, shift_);
    out_->write(text_);
    return true;
  }

  void begin_copy(int copy, const Shift& shift) {
    copy_ = copy;
    shift_ = {shift.ids * static_cast<std::uint64_t>(copy), shift.time_ns * copy};
  }
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

  std::uint64_t ids = 0;

 private:
  bool is_host_;
  Output* out_;
  int copy_ = 0;
  bool is_first_ = true;
  Shift shift_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> members_;
};

void walk(const std::string& path, bool is_host, Copier& copier) {
  nadi::ByteSource source = nadi::ByteSource::open(path);
  nadi::Progress quiet;
  nadi::Window window(source, quiet);
  nadi::Diagnostics diagnostics;
  const nadi::TraceShape shape = is_host ? nadi::kHostTraceShape : nadi::kDeviceTraceShape;
  if (!nadi::walk_trace(window, shape, copier, diagnostics).found_list)
    throw std::runtime_error(path + ": no trace");
}

void repeat(const std::string& path, bool is_host, const Options& options, const Shift& shift) {
  Copier first(is_host, nullptr);
  walk(path, is_host, first);  // again, for the members in front of and behind the list
  const std::string name =
      options.prefix + (is_host ? ".host" : ".device") + (options.plain ? ".json" : ".json.gz");
  Output out(name, options.plain);
  out.write("{\n");
  for (const auto& [key, value] : first.members()) {
    out.write("\"" + key + "\": ");
    out.write(std::string(nadi::trim(value)) + ",\n");
  }
  out.write(is_host ? "\"nodes\": [" : "\"traceEvents\": [");
  Copier copier(is_host, &out);
  for (int copy = 0; copy < options.times; ++copy) {
    copier.begin_copy(copy, shift);
    walk(path, is_host, copier);
  }
  out.write("\n]\n}\n");
}

/// One span for both traces: rf ids must stay equal.
Shift span_of(const Options& options) {
  Copier host(true, nullptr), device(false, nullptr);
  walk(options.host, true, host);
  walk(options.device, false, device);
  nadi::ByteSource source = nadi::ByteSource::open(options.device);
  nadi::Diagnostics diagnostics;
  const nadi::DeviceTrace trace = nadi::read_device_trace(source, diagnostics);
  constexpr nadi::Ns kGap = 1'000'000;  // between two copies, in whole microseconds
  const nadi::Ns span = trace.last_ns - trace.first_ns + kGap;
  return {std::max(host.ids, device.ids) + 1, span - span % 1000};
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--plain") {
      options.plain = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(name + " wants a value");
    if (name == "--host")
      options.host = argv[i];
    else if (name == "--device")
      options.device = argv[i];
    else if (name == "--times")
      options.times = std::atoi(argv[i]);
    else if (name == "--out-prefix")
      options.prefix = argv[i];
    else
      throw std::invalid_argument("unknown option " + name);
  }
  if (options.host.empty() || options.device.empty() || options.prefix.empty() || options.times < 1)
    throw std::invalid_argument(
        "usage: repeat_trace --host H --device D --times N --out-prefix P [--plain]");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    const Shift shift = span_of(options);
    repeat(options.host, true, options, shift);
    repeat(options.device, false, options, shift);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
