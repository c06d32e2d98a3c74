#include "nadi/link/clock_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace nadi {
namespace {

constexpr Ns kMostOffset = 1'000'000'000;
constexpr int kTenths = 10, kCallsThatAsk = 3;
/// Calls looked at of each tenth and kind of bound, when a common line is searched.
constexpr std::size_t kMostOfTenth = 4;
/// A line that explains several calls may seem steeper than clocks drift, where they are near.
constexpr double kSteepestSearched = 0.1;
constexpr int kSearchSteps = 120;  // each leaves two thirds of an interval of slopes
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Theta as an unbounded line: at + slope * (host - span.begin).
struct SearchedLine {
  double at = 0, slope = 0;
};

double since_begin(const ClockBound& bound, const HostSpan& span) {
  return static_cast<double>(bound.host_ns - span.begin_ns);
}

double theta_of(const ClockBound& bound) { return static_cast<double>(bound.theta_ns); }

/// By how much theta is beyond the bound; 0 or less: it is not.
double excess(const ClockBound& bound, double theta) {
  return bound.is_upper ? theta - theta_of(bound) : theta_of(bound) - theta;
}

/// The strongest bound of each call and kind: of what one call says, all stands at one host time.
std::vector<ClockBound> strongest_of_calls(std::vector<ClockBound> bounds) {
  std::sort(bounds.begin(), bounds.end(), [](const ClockBound& a, const ClockBound& b) {
    const auto key = [](const ClockBound& bound) {
      return std::tuple(bound.is_upper, bound.call,
                        bound.is_upper ? bound.theta_ns : -bound.theta_ns);
    };
    return key(a) < key(b);
  });
  const auto last =
      std::unique(bounds.begin(), bounds.end(), [](const ClockBound& a, const ClockBound& b) {
        return a.is_upper == b.is_upper && a.call == b.call;
      });
  bounds.erase(last, bounds.end());
  return bounds;
}

/// Searches the constant or line on which calls agree that recorded times contradict.
class AgreedLine {
 public:
  AgreedLine(const std::vector<ClockBound>& calls, const HostSpan& span, double resolution)
      : span_(span), resolution_(resolution) {
    for (const ClockBound& call : calls)
      if (is_contradicted(call)) contradicted_.push_back(call);
    choose_strongest();
    for (const ClockBound& call : strongest_) consider(best_, {theta_of(call), 0});
    Support line;
    for (std::size_t i = 0; i < strongest_.size(); ++i)
      for (std::size_t j = i + 1; j < strongest_.size(); ++j)
        if (tenth_of(strongest_[i]) != tenth_of(strongest_[j]))
          consider(line, through(strongest_[i], strongest_[j]));
    const auto rank = [](const Support& s) {
      return std::tuple(s.tenths >= kCallsThatAsk, s.kept, s.tenths, s.calls);
    };
    if (rank(line) > rank(best_)) best_ = line;
  }

  double excess_over(const ClockBound& bound) const {
    return excess(bound, theta_at(best_.line, bound));
  }

  /// The calls that recorded times contradict and the line does not.
  std::uint64_t asking_calls() const {
    return static_cast<std::uint64_t>(
        std::count_if(contradicted_.begin(), contradicted_.end(),
                      [&](const ClockBound& call) { return is_kept(call); }));
  }

  /// Of all calls, those that the line contradicts.
  std::uint64_t contradicted_of(const std::vector<ClockBound>& calls) const {
    return static_cast<std::uint64_t>(std::count_if(
        calls.begin(), calls.end(), [&](const ClockBound& call) { return !is_kept(call); }));
  }

  /// Whether recorded times contradict most of the calls of a kind that would show an error.
  bool do_most_ask(const std::vector<ClockBound>& calls) const {
    std::array<std::size_t, 2> asking{}, close{};
    for (const ClockBound& call : contradicted_) ++asking[call.is_upper ? 1 : 0];
    for (const ClockBound& call : calls) close[call.is_upper ? 1 : 0] += call.is_close ? 1 : 0;
    const auto is_most = [&](std::size_t kind) {
      return asking[kind] >= kCallsThatAsk && 2 * asking[kind] >= close[kind];
    };
    return is_most(0) || is_most(1);
  }

  /// Whether they are enough, among all calls.
  bool is_asked_for(const std::vector<ClockBound>& calls) const {
    const std::uint64_t asking = asking_calls();
    if (asking == 0) return false;
    return best_.tenths >= kCallsThatAsk || all_of_their_kind_agree(calls, asking);
  }

  bool is_beyond_limits() const {
    const auto span = static_cast<double>(span_.end_ns - span_.begin_ns);
    const double largest =
        std::max(std::abs(best_.line.at), std::abs(best_.line.at + best_.line.slope * span));
    return largest > static_cast<double>(kMostOffset) ||
           std::abs(best_.line.slope) > kMostClockDrift;
  }

 private:
  struct Support {
    SearchedLine line;
    int tenths = 0;
    std::size_t kept = 0;   ///< calls that the line does not contradict
    std::size_t calls = 0;  ///< calls that it explains
    double residual = 0;
  };

  std::size_t tenth_of(const ClockBound& bound) const {
    const double share =
        since_begin(bound, span_) / static_cast<double>(span_.end_ns - span_.begin_ns);
    return static_cast<std::size_t>(std::clamp(share * kTenths, 0.0, kTenths - 1.0));
  }

  double theta_at(const SearchedLine& line, const ClockBound& bound) const {
    return line.at + line.slope * since_begin(bound, span_);
  }

  /// Of each tenth and kind the calls that recorded times contradict most.
  void choose_strongest() {
    std::vector<ClockBound> sorted = contradicted_;
    std::sort(sorted.begin(), sorted.end(), [&](const ClockBound& a, const ClockBound& b) {
      const auto key = [&](const ClockBound& bound) {
        return std::tuple(-excess(bound, 0), bound.host_ns, bound.call, bound.is_upper);
      };
      return key(a) < key(b);
    });
    std::array<std::array<std::size_t, 2>, kTenths> taken{};
    for (const ClockBound& call : sorted)
      if (taken[tenth_of(call)][call.is_upper ? 1 : 0]++ < kMostOfTenth) strongest_.push_back(call);
  }

  SearchedLine through(const ClockBound& a, const ClockBound& b) const {
    const double slope =
        (theta_of(b) - theta_of(a)) / (since_begin(b, span_) - since_begin(a, span_));
    return {theta_of(a) - slope * since_begin(a, span_), slope};
  }

  void consider(Support& best, const SearchedLine& line) const {
    if (!(std::abs(line.slope) <= kSteepestSearched)) return;
    Support support;
    support.line = line;
    std::array<bool, kTenths> is_supported{};
    for (const ClockBound& call : strongest_) {
      support.kept += excess(call, theta_at(line, call)) <= kClockAgreement ? 1 : 0;
      const double residual = std::abs(theta_of(call) - theta_at(line, call));
      if (residual > kClockAgreement) continue;
      is_supported[tenth_of(call)] = true;
      ++support.calls;
      support.residual += residual;
    }
    support.tenths = static_cast<int>(std::count(is_supported.begin(), is_supported.end(), true));
    // Many calls may agree on less than the few that show the clock's error in full.
    const auto rank = [](const Support& s) {
      return std::tuple(s.tenths >= kCallsThatAsk, s.kept, s.tenths, s.calls, -s.residual);
    };
    if (rank(support) > rank(best)) best = support;
  }

  bool is_kept(const ClockBound& call) const { return excess_over(call) <= kClockAgreement; }
  bool is_explained(const ClockBound& call) const {
    return std::abs(excess_over(call)) <= kClockAgreement;
  }
  bool is_contradicted(const ClockBound& call) const { return excess(call, 0) > resolution_; }

  /// Where the calls that ask lie close together: they are three, or all there are of their kind;
  /// of those of their kind that would show an error all agree, and most do ask. A blocking call
  /// for which nothing was left to wait says nothing.
  bool all_of_their_kind_agree(const std::vector<ClockBound>& calls, std::uint64_t asking) const {
    std::array<bool, 2> asks{};
    for (const ClockBound& call : contradicted_)
      if (is_kept(call)) asks[call.is_upper ? 1 : 0] = true;
    std::uint64_t of_kind = 0, that_show = 0;
    for (const ClockBound& call : calls) {
      if (!asks[call.is_upper ? 1 : 0]) continue;
      of_kind += call.is_upper || call.is_close ? 1 : 0;
      if (!call.is_close) continue;
      if (!is_contradicted(call) && !is_explained(call)) return false;
      ++that_show;
    }
    return asking >= std::min<std::uint64_t>(kCallsThatAsk, of_kind) && 2 * asking >= that_show;
  }

  const HostSpan span_;
  const double resolution_;
  std::vector<ClockBound> contradicted_, strongest_;
  Support best_;
};

/// The smallest theta within the bounds, whose hulls are kept: a convex function of the slope.
class SmallestLine {
 public:
  SmallestLine(const std::vector<ClockBound>& bounds, const HostSpan& span, double relaxed_by)
      : span_(span), half_(static_cast<double>(span.end_ns - span.begin_ns) / 2) {
    std::vector<Point> lower, upper;
    for (const ClockBound& bound : bounds) {
      const double host = since_begin(bound, span) - half_;
      if (bound.is_upper)
        upper.push_back({host, -theta_of(bound) - relaxed_by});
      else
        lower.push_back({host, theta_of(bound) - relaxed_by});
    }
    lower_ = upper_hull(std::move(lower));
    negated_upper_ = upper_hull(std::move(upper));
  }

  /// None where no line within the limits keeps all bounds.
  std::optional<ClockLine> find() const {
    const double steepest = kMostClockDrift;
    const auto gap = [&](double slope) { return least(slope) - most(slope); };
    const double best = minimum(gap, -steepest, steepest);
    if (gap(best) > 0) return std::nullopt;
    const bool is_bounded = !lower_.empty() && !negated_upper_.empty();
    if (is_bounded && -gap(best) <= kClockAgreement) {
      // Of lines that have nearly as much room the one that drifts least.
      constexpr double kNearly = 100;  // ns
      const double slope = edge([&](double s) { return gap(s) - gap(best) - kNearly; }, best, 0);
      return rounded((least(slope) + most(slope)) / 2, slope);
    }
    const double low = edge(gap, best, -steepest), high = edge(gap, best, steepest);
    const double smallest = minimum([&](double s) { return largest_theta(s); }, low, high);
    // Of lines that are as small, to half a nanosecond, the one that drifts least.
    const double bound = largest_theta(smallest) + 0.5;
    const auto beyond = [&](double s) { return std::max(gap(s), largest_theta(s) - bound); };
    const double slope = edge(beyond, smallest, std::clamp(0.0, low, high));
    return rounded(middle(slope), slope);
  }

 private:
  struct Point {
    double host, theta;
  };

  static std::vector<Point> upper_hull(std::vector<Point> points) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return std::tie(a.host, a.theta) < std::tie(b.host, b.theta);
    });
    std::vector<Point> hull;
    for (const Point& point : points) {
      const auto is_below = [&](const Point& a, const Point& b) {
        return (b.theta - a.theta) * (point.host - a.host) <=
               (point.theta - a.theta) * (b.host - a.host);
      };
      while (hull.size() >= 2 && is_below(hull[hull.size() - 2], hull.back())) hull.pop_back();
      hull.push_back(point);
    }
    return hull;
  }

  /// How high a line of the slope must stand, in the middle of the span, to be above the hull.
  static double height_above(const std::vector<Point>& hull, double slope) {
    double height = -kInfinity;
    for (const Point& point : hull) height = std::max(height, point.theta - slope * point.host);
    return height;
  }

  double least(double slope) const { return height_above(lower_, slope); }
  double most(double slope) const { return -height_above(negated_upper_, -slope); }
  double middle(double slope) const {
    const double low = least(slope), high = most(slope);
    return low > 0 ? low : std::min(high, 0.0);
  }
  double largest_theta(double slope) const {
    return std::abs(middle(slope)) + std::abs(slope) * half_;
  }

  /// Where a convex function is smallest.
  template <class Function>
  static double minimum(const Function& function, double low, double high) {
    for (int step = 0; step < kSearchSteps; ++step) {
      const double left = low + (high - low) / 3, right = high - (high - low) / 3;
      if (function(left) <= function(right))
        high = right;
      else
        low = left;
    }
    return (low + high) / 2;
  }

  /// The place nearest to `far` at which a convex function is not above 0, as it is not at `good`.
  template <class Function>
  static double edge(const Function& function, double good, double far) {
    if (function(far) <= 0) return far;
    for (int step = 0; step < kSearchSteps; ++step) {
      const double between = (good + far) / 2;
      (function(between) <= 0 ? good : far) = between;
    }
    return good;
  }

  std::optional<ClockLine> rounded(double middle, double slope) const {
    const double begin = middle - slope * half_, end = middle + slope * half_;
    if (std::max(std::abs(begin), std::abs(end)) > static_cast<double>(kMostOffset))
      return std::nullopt;
    return ClockLine{span_, std::llround(begin), std::llround(end)};
  }

  const HostSpan span_;
  const double half_;
  std::vector<Point> lower_, negated_upper_;
};

/// The constant in the middle of the bounds where these leave less than calls differ by, else the
/// one nearest to 0.
std::optional<ClockLine> smallest_constant(const std::vector<ClockBound>& bounds,
                                           const HostSpan& span, Ns resolution) {
  Ns least = -2 * kMostOffset, most = 2 * kMostOffset;
  for (const ClockBound& bound : bounds) {
    if (bound.is_upper)
      most = std::min(most, bound.theta_ns);
    else
      least = std::max(least, bound.theta_ns);
  }
  if (most < -kMostOffset || least > kMostOffset || least - most > 2 * resolution)
    return std::nullopt;
  const bool is_narrow = most - least <= kClockAgreement;
  const Ns theta = is_narrow ? most + (least - most) / 2 : std::clamp<Ns>(0, least, most);
  return ClockLine{span, theta, theta};
}

std::optional<ClockLine> smallest_line(const std::vector<ClockBound>& bounds, const HostSpan& span,
                                       Ns resolution) {
  if (auto constant = smallest_constant(bounds, span, resolution)) return constant;
  if (auto line = SmallestLine(bounds, span, 0).find()) return line;
  return SmallestLine(bounds, span, static_cast<double>(resolution)).find();
}

/// The line, and which bounds are kept out to have one: those the agreed line contradicts by more
/// than calls differ, and of what is left, as few as can be.
std::optional<ClockLine> fit_without_outliers(const AgreedLine& agreed,
                                              const std::vector<ClockBound>& bounds,
                                              const HostSpan& span, Ns resolution) {
  for (Ns tolerance = kClockAgreement; tolerance >= resolution; tolerance /= 2) {
    std::vector<ClockBound> kept;
    std::copy_if(bounds.begin(), bounds.end(), std::back_inserter(kept),
                 [&](const ClockBound& bound) {
                   return agreed.excess_over(bound) <= static_cast<double>(tolerance);
                 });
    if (auto line = smallest_line(kept, span, resolution)) return line;
  }
  return std::nullopt;
}

double excess(const ClockBound& bound, const ClockFit& fit) {
  return excess(bound, fit.line ? fit.line->theta(bound.host_ns) : 0);
}

/// A line rounded to whole ns may stand 1 ns beyond what it keeps.
bool is_contradicted(const ClockBound& bound, const ClockFit& fit, Ns resolution) {
  return excess(bound, fit) > static_cast<double>(resolution + 1);
}

std::uint64_t contradicted_calls(const std::vector<ClockBound>& calls, const ClockFit& fit,
                                 Ns resolution) {
  return static_cast<std::uint64_t>(std::count_if(
      calls.begin(), calls.end(),
      [&](const ClockBound& call) { return is_contradicted(call, fit, resolution); }));
}

/// Outliers of the line, and how far the others would let it move.
void measure_fit(const std::vector<ClockBound>& bounds, Ns resolution, ClockFit& fit) {
  double up = kInfinity, down = kInfinity;
  for (const ClockBound& bound : bounds) {
    if (is_contradicted(bound, fit, resolution)) {
      ++fit.outliers;
      continue;
    }
    double& room = bound.is_upper ? up : down;
    room = std::min(room, -excess(bound, fit));
  }
  if (up < kInfinity && down < kInfinity) fit.slack_ns = std::max<Ns>(std::llround(up + down), 0);
}

}  // namespace

ClockFit fit_clock(const std::vector<ClockBound>& bounds, const HostSpan& span, Ns resolution_ns) {
  ClockFit recorded;
  measure_fit(bounds, resolution_ns, recorded);
  if (recorded.outliers == 0) return recorded;
  const std::vector<ClockBound> calls = strongest_of_calls(bounds);
  const AgreedLine agreed(calls, span, static_cast<double>(resolution_ns));
  // What one row says may be its own damage (K32), and then a line may fit it, too.
  const bool may_drift = recorded.outliers >= 2;
  ClockFit corrected;
  if (may_drift) corrected.line = smallest_line(bounds, span, resolution_ns);
  const bool is_asked_for =
      agreed.is_asked_for(calls) || (corrected.line && agreed.do_most_ask(calls));
  if (!is_asked_for) return recorded;
  corrected.asked_by =
      corrected.line ? contradicted_calls(calls, recorded, resolution_ns) : agreed.asking_calls();
  if (!corrected.line) corrected.line = fit_without_outliers(agreed, bounds, span, resolution_ns);
  const bool has_line = corrected.line && (may_drift || corrected.line->drift() == 0);
  if (has_line && contradicted_calls(calls, corrected, resolution_ns) < corrected.asked_by) {
    measure_fit(bounds, resolution_ns, corrected);
    return corrected;
  }
  recorded.is_another_clock = !corrected.line && agreed.is_beyond_limits() &&
                              agreed.contradicted_of(calls) < agreed.asking_calls();
  return recorded;
}

std::uint64_t outliers_of(const ClockLine& line, const std::vector<ClockBound>& bounds,
                          Ns resolution_ns) {
  ClockFit fit;
  fit.line = line;
  return contradicted_calls(bounds, fit, resolution_ns);
}

}  // namespace nadi
