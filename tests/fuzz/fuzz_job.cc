// Feeds the traces of several ranks (input_files.h) to the targets: a job for ASTRA-sim, which
// convert_ranks() checks itself, or a GOAL schedule. Traces may be refused, but no job written
// breaks a rule of the simulator.
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/archive/peek_trace.h"
#include "tests/fuzz/input_files.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/ranks_of_folder.h"
#include "tests/temporary_folder.h"

namespace {

/// The n-th device trace and the n-th host trace are named after rank n.
void write_ranks(const nadi::InputFiles& input, const nadi::TemporaryFolder& folder) {
  constexpr int kMostRanks = 4;
  int devices = 0, hosts = 0;
  for (const std::string_view text : input.files) {
    const bool is_host =
        nadi::peek_trace(folder.write("new", text)).type == nadi::TraceType::kHostTrace;
    const int rank = is_host ? hosts++ : devices++;
    if (rank >= kMostRanks) break;
    const std::string name = (is_host ? "host." : "device.") + std::to_string(rank) + ".json";
    std::filesystem::rename(folder / "new", folder / name);
  }
}

nadi::ConvertRanksOptions options_for(nadi::InputFiles& input) {
  using nadi::astra_sim::Communication;
  using nadi::astra_sim::Unsupported;
  nadi::ConvertRanksOptions options;
  options.target = std::vector{nadi::Target::kAstraSim, nadi::Target::kGoal}[input.choose(2)];
  options.missing =
      std::vector{nadi::MissingRanks::kRefuse, nadi::MissingRanks::kDrop, nadi::MissingRanks::kCopy,
                  nadi::MissingRanks::kDrop}[input.choose(4)];
  options.rewrite.unsupported =
      std::vector{Unsupported::kMap, Unsupported::kReplay}[input.choose(2)];
  options.rewrite.drops_lonely_messages = input.choose(2) == 1;
  options.goal.drops_lonely_messages = options.rewrite.drops_lonely_messages;
  options.goal.ring_from = input.choose(2) == 1 ? 0 : 65536;
  options.goal.lanes = input.choose(2) == 1 ? nadi::goal::Lanes::kOne : nadi::goal::Lanes::kAll;
  options.convert.threads = 1;
  options.rewrite.communication =
      std::vector{Communication::kNetwork, Communication::kReplay}[input.choose(2)];
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::InputFiles input = nadi::split_input(data, size);
  const nadi::TemporaryFolder traces, graphs;
  nadi::ConvertRanksOptions options = options_for(input);
  options.convert.output = graphs / "job";
  try {
    write_ranks(input, traces);
    options.ranks = nadi::ranks_of_folder(traces.path().string());
    nadi::convert_ranks(options);
  } catch (const nadi::Error& error) {
    nadi::require_no_bug(error);
  }
  return 0;
}
