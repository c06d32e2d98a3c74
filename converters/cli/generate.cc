#include "nadi/converters/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "nadi/base/error.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/network_options.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/suggestion.h"
#include "nadi/converters/cli/synthetic_ranks.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/generate/pattern_options.h"

namespace nadi::cli {

namespace {

/// "data 8 x tensor 4 x pipeline 2, experts on 8"
std::string degrees_text(const ParallelDegrees& degrees) {
  std::string text = fmt::format("data {} x tensor {} x pipeline {}", degrees.data, degrees.tensor,
                                 degrees.pipeline);
  return degrees.expert > 1 ? text + fmt::format(", experts on {}", degrees.expert) : text;
}

// What only training steps have, and what only single nodes have.
constexpr const char* kStepOptions[] = {
    "--layers",        "--hidden",  "--ffn",      "--sequence",    "--vocabulary",
    "--element-bytes", "--experts", "--top-k",    "--micro-batch", "--micro-batches",
    "--steps",         "--tensor",  "--pipeline", "--expert"};
constexpr const char* kSingleOptions[] = {"--runtime", "--tensor-size", "--comm-size"};

/// Throws Error(kUsage) where an option is given that graphs of such kinds do not have. Scripts of
/// the older tool give the sizes of all single nodes with each: these are let through.
void require_use(const Options& given, const std::string& kind) {
  const auto is_among = [&kind](const auto& kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const auto refuse = [&](std::span<const char* const> options, const char* kinds) {
    for (const char* option : options)
      if (given.is_given(option))
        throw Error(ErrorCode::kUsage, option, "changes nothing of " + kind + " graphs",
                    std::string("It is for ") + kinds + ": leave it out");
  };
  if (is_among(pattern_kinds()))
    refuse(kSingleOptions, "graphs of single nodes");
  else if (is_among(generator_kinds()))
    refuse(kStepOptions, "training steps (data-parallel, tensor-parallel, …)");
}

int run_generate(GenerateOptions options) {
  GenerateReport report;
  try {
    ProgressBar bar;
    options.on_rank = ranks_on(bar, options.npus);
    report = generate(options);
  } catch (const Error& error) {
    if (error.where() != "KIND") throw;
    const std::string meant = suggestion(options.kind, generator_kinds());
    throw Error(error.code(), error.where(), error.problem(),
                meant.empty() ? error.remedy() : meant.substr(1) + " " + error.remedy());
  }
  for (std::size_t i = 0; i + 1 < report.jobs.size(); ++i) {
    log_synthetic_ranks(report.jobs[i].prefix, options.npus, "single nodes", {});
    log_command(report.jobs[i].command);
  }
  std::string what = counted(report.nodes, "node") + " in all";
  if (report.degrees.data * report.degrees.tensor * report.degrees.pipeline > 1)
    what += fmt::format(", {}, {}", degrees_text(report.degrees),
                        counted(static_cast<std::uint64_t>(report.groups), "process group"));
  log_synthetic_ranks(report.jobs.back().prefix, options.npus, what, report.diagnostics);
  log_command(report.jobs.back().command);
  return kOk;
}

void add_single_options(Options& options, SingleNodeSizes& sizes) {
  options.add_number("--runtime,--default_runtime", sizes.runtime_us, "US",
                     "Single nodes: time of compute (default: 5)");
  options.add_number("--tensor-size,--default_tensor_size", sizes.tensor_bytes, "BYTES",
                     "Single nodes: of memory nodes (default: 1024)");
  options.add_number("--comm-size,--default_comm_size", sizes.comm_bytes, "BYTES",
                     "Single nodes: of communication (default: 65536)");
}

void add_shape_options(Options& options, TransformerShape& shape) {
  options.add_number("--layers", shape.layers, "N", "Transformer: layers (default: 32)");
  options.add_number("--hidden", shape.hidden, "N", "Transformer: width (default: 4096)");
  options.add_number("--ffn", shape.ffn, "N",
                     "Transformer: inner width of the MLP (default: 4 x hidden)");
  options.add_number("--sequence", shape.sequence, "N",
                     "Transformer: tokens of a sequence (default: 2048)");
  options.add_number("--vocabulary", shape.vocabulary, "N",
                     "Transformer: tokens there are (default: 50304)");
  options.add_number("--element-bytes", shape.element_bytes, "N",
                     "Transformer: bytes of a weight or activation (default: 2)");
  options.add_number("--experts", shape.experts, "N",
                     "Transformer: MLPs of a layer to choose from (default: none; "
                     "expert-parallel: 8)");
  options.add_number("--top-k", shape.top_k, "N",
                     "Transformer: experts that a token uses (default: 2)");
  options.add_number("--micro-batch", shape.micro_batch, "N",
                     "Step: sequences of a micro-batch (default: 1)");
}

void add_step_options(Options& options, GenerateOptions& arguments) {
  options.add_number("--micro-batches", arguments.micro_batches, "N",
                     "Step: micro-batches of each replica (default: 1; with stages 4 per stage)");
  options.add_number("--steps", arguments.steps, "N", "Training steps (default: 1)");
  options.add_number("--tensor", arguments.tensor, "N",
                     "Ranks that share each tensor (default: 1; tensor-parallel: up to 8)");
  options.add_number("--pipeline", arguments.pipeline, "N",
                     "Stages, run 1F1B (default: 1; pipeline: up to 8)");
  options.add_number("--expert", arguments.expert, "N",
                     "Ranks that share the experts (default: 1; expert-parallel: up to 8)");
}

void add_device_options(Options& options, DeviceModel& device) {
  options.add_real("--peak-tflops", device.peak_tflops, "X",
                   "Roofline: operations per second (default: 989)");
  options.add_real("--memory-gb-per-s", device.memory_gb_per_s, "X",
                   "Roofline: memory bandwidth (default: 3350)");
}

}  // namespace

RunVerb add_generate(Options options) {
  auto arguments = std::make_shared<GenerateOptions>();
  auto network = std::make_shared<NetworkArguments>();
  options.add_text("kind", arguments->kind, Need::kRequired, "KIND",
                   fmt::format("{}", fmt::join(generator_kinds(), ", ")));
  options.add_prefix("--output", arguments->output, Need::kOptional,
                     {"", "Simulators read these graphs plain: leave the ending out"},
                     "Write PREFIX.<rank>.et (default: KIND; FOLDER/ = there)");
  options.add_number("--npus,--num_npus", arguments->npus, "N", "Ranks (default: 64)");
  add_shape_options(options, arguments->shape);
  add_step_options(options, *arguments);
  add_device_options(options, arguments->device);
  add_single_options(options, arguments->sizes);
  add_network_options(options, *network, NetworkFitting::kImpossible);
  add_backend_option(options, arguments->backend);
  return [arguments, network, options] {
    require_use(options, arguments->kind);
    arguments->network = unfitted_network_choice(*network);
    return run_generate(*arguments);
  };
}

}  // namespace nadi::cli
