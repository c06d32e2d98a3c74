#include "nadi/diff/align_siblings.h"

#include <algorithm>
#include <iterator>

namespace nadi {
namespace {

constexpr std::size_t kMostPairs = 1 << 12, kComparedBytes = 128, kChildren = 64;
constexpr double kLeastLikeness = 0.5;

/// 2 * common / all of two sorted lists.
template <class Value>
double share(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.empty() || b.empty()) return 0;
  std::vector<Value> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return 2 * static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size());
}

/// Of "autograd::engine::evaluate_function: AddBackward0" what distinguishes it from its siblings.
std::string_view own_name(std::string_view name) {
  const std::size_t at = name.rfind(": ");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::vector<std::uint16_t> letter_pairs(std::string_view name) {
  name = own_name(name).substr(0, kComparedBytes);
  std::vector<std::uint16_t> pairs;
  for (std::size_t i = 1; i < name.size(); ++i)
    pairs.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(name[i - 1]) << 8 |
                                               static_cast<unsigned char>(name[i])));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// What is compared of a sibling, worked out once.
struct Profile {
  bool is_device;
  std::vector<std::uint16_t> letters;
  std::vector<std::string_view> children;

  explicit Profile(const Sibling& sibling)
      : is_device(sibling.is_device), letters(letter_pairs(sibling.name)) {
    const std::size_t count = std::min(sibling.children.size(), kChildren);
    children.assign(sibling.children.begin(),
                    sibling.children.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(children.begin(), children.end());
  }
};

double likeness_of(const Profile& a, const Profile& b) {
  if (a.is_device != b.is_device) return 0;
  return std::max(share(a.letters, b.letters), share(a.children, b.children));
}

/// A number for each pair of places, the ends of the lists included.
class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns)
      : columns_(columns + 1), numbers_((rows + 1) * (columns + 1)) {}
  double& at(std::size_t a, std::size_t b) { return numbers_[a * columns_ + b]; }

 private:
  std::size_t columns_;
  std::vector<double> numbers_;
};

Grid likenesses_of(const std::vector<Sibling>& a, const std::vector<Sibling>& b) {
  const std::vector<Profile> from(a.begin(), a.end()), to(b.begin(), b.end());
  Grid grid(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) grid.at(i, j) = likeness_of(from[i], to[j]);
  return grid;
}

/// The least cost from each pair of places to the ends.
Grid costs_of(std::size_t rows, std::size_t columns, Grid& likenesses) {
  Grid costs(rows, columns);
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      double& cost = costs.at(i, j);
      if (i == rows || j == columns) {
        cost = static_cast<double>(rows - i + columns - j);
        continue;
      }
      cost = 1 + std::min(costs.at(i + 1, j), costs.at(i, j + 1));
      const double alike = likenesses.at(i, j);
      if (alike >= kLeastLikeness) cost = std::min(cost, costs.at(i + 1, j + 1) + 2 * (1 - alike));
    }
  }
  return costs;
}

}  // namespace

double likeness(const Sibling& a, const Sibling& b) { return likeness_of(Profile(a), Profile(b)); }

std::vector<std::pair<std::size_t, std::size_t>> align_siblings(const std::vector<Sibling>& a,
                                                                const std::vector<Sibling>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (a.empty() || b.empty() || a.size() > kMostPairs / b.size()) return pairs;
  Grid likenesses = likenesses_of(a, b);
  Grid costs = costs_of(a.size(), b.size(), likenesses);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double alike = likenesses.at(i, j);
    const double together = costs.at(i + 1, j + 1) + 2 * (1 - alike);
    if (alike >= kLeastLikeness && costs.at(i, j) == together)
      pairs.emplace_back(i++, j++);
    else if (costs.at(i, j) == 1 + costs.at(i + 1, j))
      ++i;
    else
      ++j;
  }
  return pairs;
}

}  // namespace nadi
