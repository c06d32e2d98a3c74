#include "nadi/sim_bridge/astra_sim/fit_network.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "et_def.pb.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr double kShortestLatency = 1;  // ns; less is cut to none
constexpr double kTolerance = 1e-3;     // of the makespan
constexpr double kMostStretched = 1024;
constexpr int kMostRuns = 14;

/// 97.5 % of Student's distribution, by degrees of freedom from 1; 2 beyond.
constexpr double kStudent[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};

struct MeasuredTransfers {
  std::uint64_t count = 0;
  double sum_ns = 0, sum_squares = 0;
};
using TransferTable = std::map<Transfer, MeasuredTransfers>;

/// Finds the shortest time of the members of each collective and message: the last one to come did
/// not wait. Members meet by their order in the group.
class TransferReader {
 public:
  TransferTable read(const std::vector<IssueRank>& ranks) {
    for (const IssueRank& rank : ranks) read_rank(rank);
    TransferTable table;
    for (const auto& [key, transfer] : shortest_) {
      MeasuredTransfers& row = table[transfer.first];
      ++row.count;
      const auto time_ns = static_cast<double>(transfer.second);
      row.sum_ns += time_ns;
      row.sum_squares += time_ns * time_ns;
    }
    return table;
  }

 private:
  /// Group and place in it; of a message: its ends and tag, and -1.
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  void read_rank(const IssueRank& rank) {
    const Graph& graph = rank.graph;
    std::map<std::int64_t, std::int64_t> places;  // by group
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      if (graph.communication[node] == kNoIndex) continue;
      const IssueCommunication c = rank.communication_of(node);
      const bool is_collective = graph.type[node] == NodeType::kCollective;
      const Key key = is_collective ? Key{c.group_number, places[c.group_number]++, -1, -1}
                                    : Key{c.src, c.dst, c.tag, c.bytes};
      if (is_collective && c.type == BROADCAST) continue;
      const auto [known, is_new] =
          shortest_.try_emplace(key, transfer_of(graph.type[node], c), graph.duration_ns[node]);
      if (!is_new) known->second.second = std::min(known->second.second, graph.duration_ns[node]);
    }
  }

  std::map<Key, std::pair<Transfer, Ns>> shortest_;
};

/// The time of a transfer as a straight line in the network's latency and time per byte.
struct TransferLine {
  double fixed_ns = 0;        ///< at no latency and endless bandwidth
  double per_latency = 0;     ///< ns per ns of latency
  double per_inverse_gb = 0;  ///< ns at 1 GB/s
};

using TransferRows = std::vector<std::pair<TransferLine, MeasuredTransfers>>;

/// All transfers of a link together: y = a L + b B with y their measured less their fixed times, L
/// the latency, and B the time per byte as ns at 1 GB/s.
struct TransferSums {
  std::uint64_t transfers = 0;
  double y = 0, a = 0, b = 0;

  double latency_at(double inverse) const { return std::max((y - b * inverse) / a, 0.0); }
};

TransferSums sums_of(const TransferRows& rows) {
  constexpr double kLeastBytes = 1e-6;
  TransferSums sums;
  for (const auto& [line, measured] : rows) {
    const auto count = static_cast<double>(measured.count);
    sums.transfers += measured.count;
    sums.y += measured.sum_ns - count * line.fixed_ns;
    sums.a += count * line.per_latency;
    sums.b += count * line.per_inverse_gb;
  }
  sums.y = std::max(sums.y, 0.0);
  sums.b = std::max(sums.b, kLeastBytes);
  return sums;
}

/// Values of B.
struct InverseRange {
  double least = 0, best = 0, most = 0;
  bool is_determined = false;
};

/// Minimizes the squares of y - a L - b B over each transfer, where the sums are kept:
/// L = (sum y - sum b B) / sum a. So each residual is u - v B, and B has one degree of freedom.
InverseRange fitted_inverse(const TransferRows& rows, const TransferSums& sums) {
  double uu = 0, uv = 0, vv = 0;
  for (const auto& [line, measured] : rows) {
    const auto count = static_cast<double>(measured.count);
    const double kept_ns = line.fixed_ns + line.per_latency * sums.y / sums.a;
    const double u = measured.sum_ns - count * kept_ns;
    const double v = line.per_inverse_gb - line.per_latency * sums.b / sums.a;
    uu += measured.sum_squares - kept_ns * (measured.sum_ns + u);
    uv += u * v;
    vv += count * v * v;
  }
  const InverseRange all{0, 0, sums.y / sums.b, false};
  if (vv <= 1e-9 * sums.b * sums.b || sums.transfers < 3) return all;
  const double best = uv / vv;
  const std::size_t freedom = sums.transfers - 2;
  const double student = freedom <= std::size(kStudent) ? kStudent[freedom - 1] : 2;
  const double width =
      student * std::sqrt(std::max(uu - uv * best, 0.0) / (static_cast<double>(freedom) * vv));
  if (best + width <= 0 || best - width >= all.most) return all;
  return {std::max(best - width, 0.0), best, std::min(best + width, all.most),
          best - width > 0 && best + width < all.most};
}

/// The one that, all of it times `factor`, goes with the latency of `given`, as far as the range
/// allows.
double inverse_near(const NetworkDimension& given, double factor, const TransferSums& sums,
                    const InverseRange& range) {
  const double ratio = 1 / (given.bandwidth_gb_per_s * std::max(given.latency_ns, 1.0));
  const double at_latency = (sums.y - sums.a * given.latency_ns / factor) / sums.b;
  const double at_ratio = sums.y * ratio / (sums.a + sums.b * ratio);
  const double slowest = 1 / (kSlowestLikelyBandwidth * factor);
  return std::clamp(std::min(std::max(at_latency, at_ratio), slowest), range.least, range.most);
}

/// `links`: by dimension, or one for all.
void set_links(Network& network, const std::vector<FittedLink>& links) {
  for (std::size_t i = 0; i < network.dimensions.size(); ++i) {
    const FittedLink& link = links[std::min(i, links.size() - 1)];
    network.dimensions[i].latency_ns = link.latency_ns;
    network.dimensions[i].bandwidth_gb_per_s = link.bandwidth_gb_per_s;
  }
}

class Fitter {
 public:
  Fitter(const std::vector<IssueRank>& ranks, const GroupMembers& groups, Ns recorded_span_ns,
         const JobNetwork& network)
      : ranks_(ranks), groups_(groups), recorded_ns_(recorded_span_ns), network_(network) {}

  NetworkFit fit() {
    fit_.unfitted = fit_links();
    if (fit_.unfitted.empty()) fit_.unfitted = stretch();
    return fit_;
  }

 private:
  /// A link before the factor.
  struct Slope {
    NetworkDimension given;
    TransferSums sums;
    InverseRange range;
  };

  std::string fit_links() {
    const TransferTable table = TransferReader().read(ranks_);
    if (table.empty()) return "no communication that the network carries";
    const bool is_by_dimension = passes_through_each(table);
    std::vector<TransferRows> rows(is_by_dimension ? 2 : 1);
    for (const auto& [transfer, measured] : table) {
      const auto line = line_of(transfer);
      if (!line) return run_on_network(ranks_, groups_, network_).unknown;
      rows[is_by_dimension ? *dimension_of(transfer) : 0].emplace_back(*line, measured);
      fit_.transfers += measured.count;
      fit_.transfer_ns += static_cast<Ns>(measured.sum_ns);
    }
    fit_.given_latency_ns = network_.network.dimensions.front().latency_ns;
    for (std::size_t link = 0; link < rows.size(); ++link) {
      const TransferSums sums = sums_of(rows[link]);
      slopes_.push_back(
          {network_.network.dimensions[link], sums, fitted_inverse(rows[link], sums)});
    }
    return "";
  }

  bool passes_through_each(const TransferTable& table) const {
    bool passes[2] = {false, false};
    for (const auto& [transfer, measured] : table) {
      const auto dimension = dimension_of(transfer);
      if (!dimension) return false;
      passes[*dimension] = true;
    }
    return passes[0] && passes[1];
  }

  std::optional<std::size_t> dimension_of(const Transfer& transfer) const {
    if (transfer.node_type == NodeType::kSend)
      return dimension_between({transfer.src, transfer.dst}, network_.network);
    const auto group = groups_.find(transfer.group);
    if (group == groups_.end()) return std::nullopt;
    return dimension_between(group->second, network_.network);
  }

  std::optional<TransferLine> line_of(const Transfer& transfer) const {
    constexpr double kLatency = 1000;
    const auto fixed = time_on(transfer, {0, kWidestBandwidth});
    const auto late = time_on(transfer, {kLatency, kWidestBandwidth});
    const auto narrow = time_on(transfer, {0, 1});
    if (!fixed || !late || !narrow) return std::nullopt;
    return TransferLine{static_cast<double>(*fixed), static_cast<double>(*late - *fixed) / kLatency,
                        static_cast<double>(*narrow - *fixed)};
  }

  std::optional<Ns> time_on(const Transfer& transfer, const LinkSpeed& link) const {
    Network network = network_.network;
    set_links(network, {{link}});
    return transfer_time(transfer, groups_, network, network_.system);
  }

  /// The makespan where communication takes so many times as long.
  std::optional<Ns> makespan_at(double factor) {
    take_factor(factor);
    NetworkRun run = run_on_network(ranks_, groups_, network_);
    if (!run.makespan_ns) unknown_ = std::move(run.unknown);
    return run.makespan_ns;
  }

  void take_factor(double factor) {
    fit_.factor = factor;
    fit_.links.clear();
    for (const auto& [given, sums, range] : slopes_) {
      const double inverse =
          range.is_determined ? range.best : inverse_near(given, factor, sums, range);
      fit_.links.push_back({speed_at(sums, inverse), sums.transfers, speed_at(sums, range.most),
                            speed_at(sums, range.least), range.is_determined});
    }
    set_links(network_.network, fit_.links);
  }

  LinkSpeed speed_at(const TransferSums& sums, double inverse) const {
    const double latency = sums.latency_at(inverse) * fit_.factor;
    inverse *= fit_.factor;
    return {latency < kShortestLatency ? 0 : latency,
            inverse * kWidestBandwidth <= 1 ? kWidestBandwidth : 1 / inverse};
  }

  std::string stretch() {
    fit_.no_communication_ns = makespan_without_communication(ranks_, groups_);
    const auto at_one = makespan_at(1);
    if (!at_one) return unknown_;
    fit_.unstretched_ns = fit_.makespan_ns = *at_one;
    if (is_hidden(*at_one)) return "its communication is hidden behind other work";
    find_factor();
    return "";
  }

  bool is_hidden(Ns makespan) const {
    return static_cast<double>(makespan - fit_.no_communication_ns) <=
           kTolerance * static_cast<double>(makespan);
  }

  double miss(Ns makespan) const {
    return static_cast<double>(makespan) / static_cast<double>(recorded_ns_) - 1;
  }

  /// Narrows the factor down between one that is too short and one that is too long.
  void find_factor() {
    double best = 1, best_miss = miss(fit_.unstretched_ns);
    double low = 0, high = 0;  // 0 = not known yet
    (best_miss < 0 ? low : high) = 1;
    for (int run = 0; run < kMostRuns && std::abs(best_miss) > kTolerance; ++run) {
      const double factor = low == 0 ? high / 2 : high == 0 ? low * 2 : std::sqrt(low * high);
      if (factor > kMostStretched || factor < 1 / kMostStretched) break;
      const auto makespan = makespan_at(factor);
      if (!makespan) break;
      const double now = miss(*makespan);
      (now < 0 ? low : high) = factor;
      if (std::abs(now) >= std::abs(best_miss)) continue;
      best = factor;
      best_miss = now;
      fit_.makespan_ns = *makespan;
    }
    take_factor(best);
  }

  const std::vector<IssueRank>& ranks_;
  const GroupMembers& groups_;
  const Ns recorded_ns_;
  JobNetwork network_;
  NetworkFit fit_;
  std::vector<Slope> slopes_;  // before the factor; by dimension, or one for all
  std::string unknown_;
};

}  // namespace

NetworkFit fit_network(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                       Ns recorded_span_ns, JobNetwork& network) {
  const NetworkFit fit = Fitter(ranks, groups, recorded_span_ns, network).fit();
  if (fit.unfitted.empty()) set_links(network.network, fit.links);
  return fit;
}

}  // namespace nadi::astra_sim
