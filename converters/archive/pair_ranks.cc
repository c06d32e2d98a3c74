#include "nadi/converters/archive/pair_ranks.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "nadi/base/error.h"
#include "nadi/converters/archive/peek_trace.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesListed = 20;

struct FolderFile {
  std::string path, name;
  TracePeek peek;
  std::int64_t number = -1;  ///< by pattern, else in the name
  bool by_pattern = false;

  /// What a device trace is taken for; -1 = nothing tells.
  std::int64_t rank() const { return by_pattern || peek.rank < 0 ? number : peek.rank; }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t number_in(std::string_view digits) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && number < (1 << 30) ? number : -1;
}

std::string_view digits_from(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(0, end);
}

/// Without ".json", ".gz" and the like: endings that begin with a letter.
std::string_view without_extensions(std::string_view name) {
  for (std::size_t dot; (dot = name.rfind('.')) != std::string_view::npos && dot > 0;) {
    if (dot + 1 < name.size() && is_digit(name[dot + 1])) break;
    name = name.substr(0, dot);
  }
  return name;
}

/// True where the whole name fits a pattern of letters and *. Linear but for the last star.
bool fits_glob(std::string_view name, std::string_view pattern) {
  std::size_t star = std::string_view::npos, from = 0, n = 0, p = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// What the folder holds beside traces; says why none was found.
struct Ignored {
  std::size_t folders = 0, other_names = 0, no_traces = 0;
  std::string first_folder, first_name;  ///< that does not fit the pattern
};

std::vector<FolderFile> look_at_folder(const std::string& folder, const std::string& pattern,
                                       Ignored& ignored, Diagnostics& diagnostics) {
  std::error_code error;
  std::vector<FolderFile> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) {
      const std::string name = entry.path().filename().string();
      if (ignored.folders++ == 0 || name < ignored.first_folder) ignored.first_folder = name;
      continue;
    }
    FolderFile file;
    file.path = entry.path().string();
    file.name = entry.path().filename().string();
    file.by_pattern = !pattern.empty();
    file.number = file.by_pattern ? rank_by_pattern(file.name, pattern) : rank_in_name(file.name);
    found.push_back(std::move(file));
  }
  if (error)
    throw Error(ErrorCode::kInput, folder, "cannot be listed (" + error.message() + ")",
                "Pass the folder that holds the traces");
  std::sort(found.begin(), found.end(),
            [](const FolderFile& a, const FolderFile& b) { return a.name < b.name; });
  std::erase_if(found, [&](FolderFile& file) {
    if (file.by_pattern && file.number < 0) {
      diagnostics.report("file-ignored", file.name + ": another name");
      if (ignored.other_names++ == 0) ignored.first_name = file.name;
      return true;
    }
    file.peek = peek_trace(file.path);
    const bool is_trace =
        file.peek.type == TraceType::kHostTrace || file.peek.type == TraceType::kDeviceTrace;
    if (is_trace) return false;
    diagnostics.report("file-ignored", file.name + ": " + file.peek.what);
    ++ignored.no_traces;
    return true;
  });
  return found;
}

std::string list_text(const std::vector<FolderFile>& found) {
  std::string text;
  for (std::size_t i = 0; i < std::min(found.size(), kFilesListed); ++i) {
    const FolderFile& file = found[i];
    text += "\n  " + file.name + ": " + file.peek.what;
    if (file.peek.rank >= 0) text += ", rank " + std::to_string(file.peek.rank);
    if (file.peek.pid >= 0) text += ", process " + std::to_string(file.peek.pid);
  }
  if (found.size() > kFilesListed)
    text += "\n  … (" + std::to_string(found.size()) + " traces in all)";
  return found.empty() ? " nothing" : text;
}

class Pairing {
 public:
  Pairing(const std::string& folder, std::vector<FolderFile> found, Ignored ignored)
      : folder_(folder), found_(std::move(found)), ignored_(std::move(ignored)) {
    for (const FolderFile& file : found_)
      (file.peek.type == TraceType::kHostTrace ? hosts_ : devices_).push_back(&file);
  }

  std::vector<RankTraces> pair() {
    if (devices_.empty()) fail("holds no device trace" + ignored_text(), remedy_for_none());
    std::map<std::int64_t, RankTraces> ranks;
    for (const FolderFile* device : devices_) {
      const std::int64_t rank = rank_of(*device);
      const auto [place, is_new] =
          ranks.try_emplace(rank, RankTraces{rank, {"", device->path, ""}});
      if (!is_new)
        fail("holds two device traces of rank " + std::to_string(rank) + ": " +
                 fs::path(place->second.traces.device).filename().string() + " and " + device->name,
             kGivePattern);
    }
    for (const FolderFile* host : hosts_) {
      RankTraces& rank = ranks.at(rank_of(device_of(*host)));
      if (!rank.traces.host.empty())
        fail("holds two host traces of rank " + std::to_string(rank.rank) + ": " +
                 fs::path(rank.traces.host).filename().string() + " and " + host->name,
             kGivePattern);
      rank.traces.host = host->path;
    }
    std::vector<RankTraces> result;
    for (auto& [rank, traces] : ranks) {
      if (!hosts_.empty() && traces.traces.host.empty())
        fail("holds no host trace of rank " + std::to_string(rank),
             "Add it, or pass a folder with the device traces alone");
      result.push_back(std::move(traces));
    }
    return result;
  }

 private:
  static constexpr const char* kGivePattern =
      "Pass the folder of one job, or name its files with `pattern='trace.{rank}.*'`";

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Error(ErrorCode::kInput, folder_, what + ". Traces found:" + list_text(found_), remedy);
  }

  std::string ignored_text() const {
    std::string text;
    const auto add = [&](std::size_t count, const char* one, const std::string& detail) {
      if (count == 0) return;
      text += (text.empty() ? ", but " : ", ") + std::to_string(count) + " " + one +
              (count == 1 ? "" : "s") + detail;
    };
    add(ignored_.other_names, "file", " that `pattern` leaves out (" + ignored_.first_name + ")");
    add(ignored_.no_traces, "other file", "");
    add(ignored_.folders, "folder", " (" + ignored_.first_folder + "), not looked into");
    return text;
  }

  std::string remedy_for_none() const {
    if (ignored_.other_names > 0) return "Change `pattern`, or leave it out";
    if (found_.empty() && ignored_.folders > 0)
      return "Pass the folder that holds the traces itself, such as `traces` " +
             (fs::path(folder_) / ignored_.first_folder).string();
    return "Record with torch.profiler";
  }

  std::int64_t rank_of(const FolderFile& device) const {
    if (device.rank() >= 0) return device.rank();
    if (devices_.size() == 1) return 0;
    fail("nothing tells the rank of " + device.name, kGivePattern);
  }

  /// Process ids are told apart only within a machine, so one that several share tells nothing.
  const FolderFile& device_of(const FolderFile& host) const {
    const auto only = [&](auto fits) -> const FolderFile* {
      const auto first = std::find_if(devices_.begin(), devices_.end(), fits);
      if (first == devices_.end()) return nullptr;
      return std::find_if(first + 1, devices_.end(), fits) == devices_.end() ? *first : nullptr;
    };
    const auto hosts_of_process =
        std::count_if(hosts_.begin(), hosts_.end(),
                      [&](const FolderFile* h) { return h->peek.pid == host.peek.pid; });
    if (!host.by_pattern && host.peek.pid >= 0 && hosts_of_process == 1)
      if (const FolderFile* device =
              only([&](const FolderFile* d) { return d->peek.pid == host.peek.pid; }))
        return *device;
    if (host.number >= 0) {
      if (const FolderFile* device =
              only([&](const FolderFile* d) { return d->number == host.number; }))
        return *device;
      if (const FolderFile* device =
              only([&](const FolderFile* d) { return d->rank() == host.number; }))
        return *device;
    }
    if (devices_.size() == 1 && hosts_.size() == 1) return *devices_.front();
    fail("nothing tells which device trace belongs to " + host.name, kGivePattern);
  }

  const std::string& folder_;
  const std::vector<FolderFile> found_;
  const Ignored ignored_;
  std::vector<const FolderFile*> hosts_, devices_;
};

}  // namespace

std::int64_t rank_in_name(std::string_view name) {
  const std::string_view stem = without_extensions(name);
  for (std::size_t at = stem.find("rank"); at != std::string_view::npos;
       at = stem.find("rank", at + 1)) {
    std::size_t digits = at + 4;
    if (digits < stem.size() && !is_digit(stem[digits])) ++digits;
    if (digits < stem.size() && is_digit(stem[digits]))
      return number_in(digits_from(stem.substr(digits)));
  }
  for (std::size_t end = stem.size(); end > 0; --end) {
    if (!is_digit(stem[end - 1])) continue;
    std::size_t begin = end;
    while (begin > 0 && is_digit(stem[begin - 1])) --begin;
    return number_in(stem.substr(begin, end - begin));
  }
  return -1;
}

std::int64_t rank_by_pattern(std::string_view name, std::string_view pattern) {
  constexpr std::string_view kRank = "{rank}";
  const std::size_t place = pattern.find(kRank);
  if (place == std::string_view::npos)
    throw Error(ErrorCode::kUsage, "`pattern` " + std::string(pattern), "has no {rank}",
                "Pass for example 'trace.{rank}.json.gz'");
  const std::string_view before = pattern.substr(0, place);
  const std::string_view behind = pattern.substr(place + kRank.size());
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool starts_number = is_digit(name[at]) && (at == 0 || !is_digit(name[at - 1]));
    if (!starts_number) continue;
    const std::string_view digits = digits_from(name.substr(at));
    if (fits_glob(name.substr(0, at), before) && fits_glob(name.substr(at + digits.size()), behind))
      return number_in(digits);
  }
  return -1;
}

std::vector<RankTraces> pair_ranks(const std::string& folder, const std::string& pattern,
                                   Diagnostics& diagnostics) {
  Ignored ignored;
  std::vector<FolderFile> found = look_at_folder(folder, pattern, ignored, diagnostics);
  return Pairing(folder, std::move(found), std::move(ignored)).pair();
}

}  // namespace nadi
