#include "nadi/converters/rank_of_name.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "nadi/base/number_text.h"

namespace nadi {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Without ".json", ".gz" and the like: endings that begin with a letter.
std::string_view without_extensions(std::string_view name) {
  for (std::size_t dot; (dot = name.rfind('.')) != kNowhere && dot > 0;) {
    if (dot + 1 < name.size() && is_digit(name[dot + 1])) break;
    name = name.substr(0, dot);
  }
  return name;
}

/// Where the word stands in the name, from `from` on, in any case: not at the end of another word,
/// but "traceRank" has it.
std::size_t find_word(std::string_view name, std::string_view word, std::size_t from) {
  for (std::size_t at = from; at + word.size() <= name.size(); ++at) {
    const bool is_same = std::equal(word.begin(), word.end(), name.begin() + at,
                                    [](char a, char b) { return a == lower(b); });
    const bool is_inside =
        at > 0 && is_letter(name[at - 1]) && !(is_upper(name[at]) && !is_upper(name[at - 1]));
    if (is_same && !is_inside) return at;
  }
  return kNowhere;
}

/// True for the rank within a node, and for that of the node.
bool is_of_node(std::string_view before) {
  if (!before.empty() && !is_letter(before.back())) before.remove_suffix(1);
  for (const std::string_view word : {"local", "node"})
    if (before.size() >= word.size() &&
        find_word(before, word, before.size() - word.size()) != kNowhere)
      return true;
  return false;
}

/// The number behind a word, with one mark between them at most; -1 = none.
std::int64_t number_behind(std::string_view name, std::string_view word) {
  std::int64_t of_node = -1;
  for (std::size_t at = 0; (at = find_word(name, word, at)) != kNowhere; ++at) {
    std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && !is_digit(rest.front()) && !is_letter(rest.front())) rest.remove_prefix(1);
    const std::int64_t number = rank_number(leading_digits(rest));
    if (number < 0) continue;
    if (!is_of_node(name.substr(0, at))) return number;
    if (of_node < 0) of_node = number;
  }
  return of_node;
}

/// Where a rank stands in the groups of parallel training: of tp, pp, dp; -1 = not in the name.
using GroupPlace = std::array<std::int64_t, 3>;
constexpr std::array<std::string_view, 3> kPlaceWords = {"tp", "pp", "dp"};
constexpr std::size_t kTensor = 0;

/// Nothing where the name has none of the words.
std::optional<GroupPlace> place_in_name(std::string_view name) {
  GroupPlace place{};
  for (std::size_t word = 0; word < place.size(); ++word)
    place[word] = number_behind(name, kPlaceWords[word]);
  const bool has_any = std::any_of(place.begin(), place.end(), [](auto n) { return n >= 0; });
  return has_any ? std::optional(place) : std::nullopt;
}

std::int64_t rank_of_place(const GroupPlace& place) {
  const auto count = [&](std::int64_t least) {
    return std::count_if(place.begin(), place.end(), [&](auto n) { return n >= least; });
  };
  if (count(0) == 1) return *std::max_element(place.begin(), place.end());
  const bool is_tensor_alone = count(1) == (place[kTensor] > 0 ? 1 : 0);
  return is_tensor_alone ? std::max<std::int64_t>(place[kTensor], 0) : -1;
}

std::int64_t rank_by_word(std::string_view name) {
  for (const std::string_view word : {"rank", "worker"})
    if (const std::int64_t number = number_behind(name, word); number >= 0) return number;
  return -1;
}

/// Gives each distinct place its rank, by all that there are.
std::map<GroupPlace, std::int64_t> ranks_of_places(const std::set<GroupPlace>& places) {
  std::map<GroupPlace, std::int64_t> ranks;
  std::set<std::int64_t> alone, tensor;
  GroupPlace sizes{1, 1, 1};
  for (const GroupPlace& place : places) {
    alone.insert(rank_of_place(place));
    tensor.insert(place[kTensor]);
    for (std::size_t word = 0; word < place.size(); ++word)
      sizes[word] = std::max(sizes[word], place[word] + 1);
  }
  const auto are_apart = [&](const std::set<std::int64_t>& numbers) {
    return numbers.size() == places.size() && !numbers.contains(-1);
  };
  for (const GroupPlace& place : places) {
    std::int64_t& rank = ranks[place];
    if (are_apart(alone) || places.size() == 1) {
      rank = rank_of_place(place);
    } else if (are_apart(tensor)) {
      rank = place[kTensor];
    } else {
      for (std::size_t word = place.size(); word-- > 0;)
        rank = rank * sizes[word] + std::max<std::int64_t>(place[word], 0);
    }
  }
  return ranks;
}

/// Names that are the same but for their numbers.
struct NumberedGroup {
  std::vector<std::size_t> names;    ///< by their place among all
  std::size_t numbers = 0;           ///< in each name
  std::size_t differing = kNowhere;  ///< the only one that differs; kNowhere = none, or several
};

class NumberedNames {
 public:
  void add(std::size_t place, std::string_view name) {
    NumberedName numbered = numbered_name(name);
    NumberedGroup& group = groups_[std::move(numbered.text)];
    group.names.push_back(place);
    group.numbers = numbered.numbers.size();
    numbers_[place] = std::move(numbered.numbers);
  }

  void find_ranks(std::vector<std::int64_t>& ranks) {
    for (auto& [text, group] : groups_) {
      find_difference(group);
      for (const std::size_t name : group.names)
        if (group.differing != kNowhere) ranks[name] = number(name, group.differing);
    }
    std::map<NumberPlace, std::set<std::int64_t>> known_ranks;
    for (const auto& [text, group] : groups_)
      if (group.differing != kNowhere)
        for (const std::size_t name : group.names)
          known_ranks[{group.numbers, group.differing}].insert(ranks[name]);
    for (const auto& [text, group] : groups_)
      if (group.names.size() == 1) number_as_others(group, known_ranks, ranks[group.names.front()]);
  }

 private:
  using NumberPlace = std::pair<std::size_t, std::size_t>;  // of so many numbers which

  std::int64_t number(std::size_t name, std::size_t at) const {
    return rank_number(numbers_.at(name)[at]);
  }

  void find_difference(NumberedGroup& group) const {
    const auto& first = numbers_.at(group.names.front());
    std::size_t count = 0;
    for (std::size_t at = 0; at < group.numbers; ++at) {
      const bool differs = std::any_of(group.names.begin(), group.names.end(), [&](auto name) {
        return numbers_.at(name)[at] != first[at];
      });
      if (!differs) continue;
      group.differing = at;
      ++count;
    }
    const auto is_rank = [&](std::size_t name) { return number(name, group.differing) >= 0; };
    if (count != 1 || !std::all_of(group.names.begin(), group.names.end(), is_rank))
      group.differing = kNowhere;
  }

  /// A name that is alone has the number that others have at the same place.
  void number_as_others(const NumberedGroup& alone,
                        const std::map<NumberPlace, std::set<std::int64_t>>& known_ranks,
                        std::int64_t& rank) const {
    for (const auto& [place, ranks] : known_ranks) {
      if (place.first != alone.numbers) continue;
      const std::int64_t own = number(alone.names.front(), place.second);
      if (ranks.contains(own)) rank = own;
    }
  }

  std::map<std::string, NumberedGroup> groups_;
  std::map<std::size_t, std::vector<std::string_view>> numbers_;
};

}  // namespace

std::string_view leading_digits(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(0, end);
}

std::int64_t rank_number(std::string_view digits) {
  const auto number = number_at_front<std::int64_t>(digits);
  return number && *number < (1 << 30) ? *number : -1;
}

NumberedName numbered_name(std::string_view name) {
  NumberedName numbered;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view digits = leading_digits(name.substr(at));
    if (!digits.empty()) numbered.numbers.push_back(digits);
    numbered.text += digits.empty() ? name[at] : '#';
    at += std::max<std::size_t>(digits.size(), 1);
  }
  return numbered;
}

bool needs_other_names(std::string_view name) {
  return rank_by_word(name) < 0 && place_in_name(name).has_value();
}

std::int64_t rank_in_name(std::string_view name) {
  if (const std::int64_t rank = rank_by_word(name); rank >= 0) return rank;
  const std::optional<GroupPlace> place = place_in_name(name);
  return place ? rank_of_place(*place) : -1;
}

std::int64_t rank_of_folder(std::string_view folder) {
  constexpr std::string_view kRank = "rank";
  if (!folder.starts_with(kRank)) return -1;
  folder.remove_prefix(kRank.size());
  if (folder.starts_with('-') || folder.starts_with('_')) folder.remove_prefix(1);
  return folder.empty() || leading_digits(folder).size() < folder.size() ? -1 : rank_number(folder);
}

std::int64_t rank_in_path(std::string_view path) {
  std::int64_t rank = -1;
  for (std::size_t slash; (slash = path.find('/')) != kNowhere; path.remove_prefix(slash + 1))
    if (const auto of_folder = rank_of_folder(path.substr(0, slash)); of_folder >= 0)
      rank = of_folder;
  return rank >= 0 ? rank : rank_in_name(path);
}

std::vector<std::int64_t> ranks_in_names(const std::vector<std::string_view>& names) {
  std::vector<std::int64_t> ranks(names.size(), -1);
  std::vector<std::optional<GroupPlace>> places(names.size());
  NumberedNames others;
  std::set<GroupPlace> all_places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ranks[i] = rank_by_word(names[i]);
    if (ranks[i] >= 0) continue;
    places[i] = place_in_name(names[i]);
    if (places[i])
      all_places.insert(*places[i]);
    else
      others.add(i, names[i]);
  }
  const auto rank_of = ranks_of_places(all_places);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (places[i]) ranks[i] = rank_of.at(*places[i]);
  others.find_ranks(ranks);
  return ranks;
}

std::int64_t last_number_in(std::string_view name) {
  const std::string_view stem = without_extensions(name);
  const std::size_t last = stem.find_last_of("0123456789");
  if (last == kNowhere) return -1;
  const std::size_t before = stem.find_last_not_of("0123456789", last);
  const std::size_t begin = before == kNowhere ? 0 : before + 1;
  return rank_number(stem.substr(begin, last + 1 - begin));
}

}  // namespace nadi
