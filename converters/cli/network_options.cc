#include "nadi/converters/cli/network_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/network_files.h"

namespace nadi::cli {

namespace {

using astra_sim::NetworkChoice;
using astra_sim::NetworkDimension;

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const auto& network : astra_sim::named_networks()) names.emplace_back(network.name);
  return names;
}

[[noreturn]] void refuse(const char* option, const std::string& part, const char* wanted,
                         const char* remedy) {
  throw Error(ErrorCode::kUsage, option, fmt::format("'{}' is {}", part, wanted), remedy);
}

double number_of(const char* option, const std::string& text, double least, double most) {
  const auto number = number_of_text<double>(text);
  if (!number || !(*number >= least && *number <= most))
    throw Error(ErrorCode::kUsage, option,
                fmt::format("'{}' is no number from {} to a billion", text, least),
                "Give the number of a machine, such as 400 GB/s or 936 ns");
  return *number;
}

astra_sim::Topology topology_of(const char* option, const std::string& text) {
  const auto topology = astra_sim::topology_named(text);
  if (!topology)
    refuse(option, text, "neither Switch, FullyConnected nor Ring", "Give one of these");
  return *topology;
}

/// Calls set(dimension, part) with the one part for all dimensions, or with each one's.
template <class Set>
void give_each(const char* option, const std::string& text, std::vector<NetworkDimension>& to,
               const Set& set) {
  if (text.empty()) return;
  const auto parts = split_at_commas(text);
  if (parts.size() != 1 && parts.size() != to.size())
    throw Error(
        ErrorCode::kUsage, option,
        fmt::format("has {} values for {} of the network", parts.size(),
                    to.size() == 1 ? "the one dimension" : fmt::format("{} dimensions", to.size())),
        "Give one value, or one for each dimension of --dims");
  for (std::size_t i = 0; i < to.size(); ++i) set(to[i], parts[parts.size() == 1 ? 0 : i]);
}

std::vector<NetworkDimension> dimensions_of(const std::string& dims, const NetworkDimension& link) {
  std::vector<NetworkDimension> dimensions;
  for (const std::string& part : split_at_commas(dims)) {
    const auto npus = number_of_text<std::int64_t>(part);
    if (!npus || *npus < 2)
      refuse("--dims", part, "no whole number from 2", "Give 8 or 2,4, for example");
    dimensions.push_back(link);
    dimensions.back().npus = *npus;
  }
  return dimensions;
}

/// Of a network all of whose dimensions have equal links only these count: it fits jobs of any
/// size.
void take_file(const std::string& file, NetworkChoice& choice) {
  const auto dimensions = read_network(file).dimensions;
  choice.link = dimensions.front();
  if (!astra_sim::have_one_link(dimensions)) choice.dimensions = dimensions;
}

void take_named(const std::string& name, NetworkChoice& choice) {
  if (name.empty() || name == "fit") return;
  choice.is_fitted = false;
  for (const auto& network : astra_sim::named_networks())
    if (network.name == name) {
      choice.link.bandwidth_gb_per_s = network.bandwidth_gb_per_s;
      choice.link.latency_ns = network.latency_ns;
      return;
    }
  take_file(name, choice);
}

}  // namespace

void add_network_options(Options& options, NetworkArguments& arguments, NetworkFitting fitting) {
  const bool can_fit = fitting == NetworkFitting::kPossible;
  options.add_text(
      "--network", arguments.network, Need::kOptional, "NET",
      fmt::format("Links of the network: {}{}, or a network file, e.g. another run's (default: {})",
                  can_fit ? "fit (to the communication measured), " : "",
                  fmt::join(network_names(), ", "),
                  can_fit ? "fit; with --target goal h100" : "h100"));
  options.add_text(
      "--link-gb-per-s", arguments.gb_per_s, Need::kOptional, "X[,X]",
      std::string(
          "Bandwidth of a link each way, in GiB (2^30 bytes) per second; per dimension of --dims") +
          (can_fit ? ". Not fitted" : ""));
  options.add_text("--latency-ns", arguments.latency_ns, Need::kOptional, "X[,X]",
                   "Latency of a link, likewise");
  options.add_text("--topology", arguments.topology, Need::kOptional, "T[,T]",
                   std::string("Switch, FullyConnected or Ring, likewise") +
                       (can_fit ? "; may be fitted" : "") + " (default: Switch)");
  options.add_text("--dims", arguments.dims, Need::kOptional, "N[,N]",
                   "Ranks in each dimension of the network (default: one dimension, or two "
                   "where the job's groups ask for them)");
}

NetworkChoice network_choice(const NetworkArguments& arguments) {
  NetworkChoice choice;
  take_named(arguments.network, choice);
  std::vector<NetworkDimension> dimensions = choice.dimensions;
  if (!arguments.dims.empty()) dimensions = dimensions_of(arguments.dims, choice.link);
  const bool has_dimensions = !dimensions.empty();
  if (!has_dimensions) dimensions = {choice.link};
  give_each("--topology", arguments.topology, dimensions, [](auto& dimension, const auto& text) {
    dimension.topology = topology_of("--topology", text);
  });
  give_each("--link-gb-per-s", arguments.gb_per_s, dimensions,
            [](auto& dimension, const auto& text) {
              dimension.bandwidth_gb_per_s = number_of(
                  "--link-gb-per-s", text, astra_sim::kLeastBandwidth, astra_sim::kMostBandwidth);
            });
  give_each("--latency-ns", arguments.latency_ns, dimensions,
            [](auto& dimension, const auto& text) {
              dimension.latency_ns = number_of("--latency-ns", text, 0, astra_sim::kMostLatency);
            });
  if (!arguments.gb_per_s.empty() || !arguments.latency_ns.empty()) {
    if (arguments.network == "fit")
      throw Error(ErrorCode::kUsage, "--network fit", "finds bandwidth and latency itself",
                  "Leave --link-gb-per-s and --latency-ns out, or --network");
    choice.is_fitted = false;
  }
  choice.link = dimensions.front();
  if (has_dimensions) choice.dimensions = dimensions;
  return choice;
}

NetworkChoice unfitted_network_choice(const NetworkArguments& arguments) {
  if (arguments.network == "fit")
    throw Error(ErrorCode::kUsage, "--network fit",
                "needs measured communication, and of this job nothing was measured",
                fmt::format("Choose {} or a network file, such as one that nadi convert --target "
                            "astra-sim fitted to traces",
                            fmt::join(network_names(), ", ")));
  NetworkChoice choice = network_choice(arguments);
  choice.is_fitted = false;
  return choice;
}

}  // namespace nadi::cli
