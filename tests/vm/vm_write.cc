// vm_write PROGRAM OUT_PREFIX: writes the traces of a program, a pair per rank.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "nadi/base/error.h"
#include "programs.h"
#include "truth.h"
#include "write.h"

namespace {

using namespace nadi::vm;

int usage() {
  std::fputs(
      "usage: vm_write PROGRAM OUT_PREFIX [--sync full|events|streams|none]\n"
      "                [--form kineto|cuspy|pftrace] [--schema chakra|flat] [--rank N] [--truth]\n"
      "Writes OUT_PREFIX.host.N.json and OUT_PREFIX.device.N.json (or .pftrace) of every rank (or "
      "of\n"
      "rank N), and with --truth OUT_PREFIX.truth.N.txt. --form is Kineto's, or that of PyTorch's "
      "new\n"
      "profiler. PROGRAM is one of:\n",
      stderr);
  for (const auto& names : {program_names(), graph_program_names()})
    for (const std::string& name : names) std::fprintf(stderr, "  %s\n", name.c_str());
  for (const std::string& name : seeded_program_names())
    std::fprintf(stderr, "  %s:SEED\n", name.c_str());
  return 2;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush())
    throw nadi::Error(nadi::ErrorCode::kUsage, path, "cannot be written", "Check folder and space");
}

std::string truth_text(const Truth& truth) {
  std::string text;
  for (const TruthNode& node : truth.nodes) text += describe(node) + "\n";
  for (const TruthEdge& edge : truth.edges)
    text += std::string(to_string(edge.kind)) + (edge.shown ? ": " : " (not shown): ") +
            describe(truth.nodes[static_cast<std::size_t>(edge.from)]) + " -> " +
            describe(truth.nodes[static_cast<std::size_t>(edge.to)]) + "\n";
  return text;
}

struct Arguments {
  std::string program, prefix;
  WriteOptions options;
  int rank = -1;
  bool has_truth = false;
};

const std::map<std::string, SyncRows> kSyncRows = {{"full", SyncRows::kFull},
                                                   {"events", SyncRows::kEvents},
                                                   {"streams", SyncRows::kStreams},
                                                   {"none", SyncRows::kNone},
                                                   {"ids", SyncRows::kIds}};

const std::map<std::string, DeviceForm> kForms = {{"kineto", DeviceForm::kKineto},
                                                  {"cuspy", DeviceForm::kCuspy},
                                                  {"pftrace", DeviceForm::kPftrace}};

bool parse(int count, char** words, Arguments& arguments) {
  if (count < 3) return false;
  arguments.program = words[1];
  arguments.prefix = words[2];
  for (int i = 3; i < count; ++i) {
    const std::string word = words[i];
    const std::string value = i + 1 < count ? words[i + 1] : "";
    if (word == "--truth") {
      arguments.has_truth = true;
      continue;
    }
    if (word == "--sync" && kSyncRows.contains(value)) {
      arguments.options.sync = kSyncRows.at(value);
    } else if (word == "--form" && kForms.contains(value)) {
      arguments.options.form = kForms.at(value);
    } else if (word == "--schema" && (value == "chakra" || value == "flat")) {
      arguments.options.host_schema = value == "flat" ? HostSchema::kFlat : HostSchema::kChakra;
    } else if (word == "--rank" && !value.empty() &&
               value.find_first_not_of("0123456789") == std::string::npos && value.size() < 6) {
      arguments.rank = std::stoi(value);
    } else {
      return false;
    }
    ++i;
  }
  return true;
}

void run(const Arguments& arguments) {
  const Program program = make_program(arguments.program);
  const Execution run = execute(program);
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    if (arguments.rank >= 0 && rank != arguments.rank) continue;
    const std::string end = "." + std::to_string(rank);
    write_file(arguments.prefix + ".host" + end + ".json",
               write_host_trace(program, run, rank, arguments.options));
    const bool is_pftrace = arguments.options.form == DeviceForm::kPftrace;
    write_file(arguments.prefix + ".device" + end + (is_pftrace ? ".pftrace" : ".json"),
               write_device_trace(program, run, rank, arguments.options));
    if (arguments.has_truth)
      write_file(arguments.prefix + ".truth" + end + ".txt",
                 truth_text(make_truth(program, run, rank)));
  }
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) return usage();
  try {
    run(arguments);
  } catch (const nadi::Error& error) {
    std::fprintf(stderr, "vm_write: %s\n", error.what());
    return 2;
  }
  return 0;
}
