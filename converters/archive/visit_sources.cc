#include "nadi/converters/archive/visit_sources.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "nadi/base/error.h"
#include "nadi/converters/archive/peek_trace.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

using Visit = std::function<bool(const SourceFile&, const SourceProgress&)>;

/// False for folders, pipes, devices and what is missing; links are followed.
bool describe_file(SourceFile& file) {
  struct stat status {};
  if (::stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  file.size = static_cast<std::uint64_t>(status.st_size);
  file.modified_ns = status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec;
  return true;
}

/// Adds the names of a folder's files, those in its folders behind them, without following links to
/// folders.
void list_folder(const fs::path& folder, const std::string& inside, bool is_recursive,
                 std::vector<std::string>& names) {
  std::error_code error;
  std::vector<std::string> folders;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code is_gone;
    if (name.starts_with('.')) continue;
    if (!entry->is_directory(is_gone))
      names.push_back(inside + name);
    else if (is_recursive && !entry->is_symlink(is_gone))
      folders.push_back(std::move(name));
  }
  if (error)
    throw Error(ErrorCode::kInput, folder.string(), "cannot be listed (" + error.message() + ")",
                "Pass the folder that holds the traces");
  for (const std::string& name : folders)
    list_folder(folder / name, inside + name + "/", true, names);
}

/// This, and the two below, return false where visit did.
bool visit_folder(const std::string& folder, bool is_recursive, const Visit& visit,
                  Diagnostics& diagnostics) {
  std::vector<std::string> names;
  list_folder(folder, "", is_recursive, names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    SourceFile file{name, (fs::path(folder) / name).string()};
    if (!describe_file(file))
      diagnostics.report(Finding::kFileIgnored, file.path + ": no regular file");
    else if (!visit(file, {}))
      return false;
  }
  return true;
}

bool visit_archive(const std::string& path, ArchiveWalk& archive, const Visit& visit,
                   Diagnostics& diagnostics) {
  while (auto member = archive.next()) {
    const SourceFile file{member->name, path + ":" + member->name, member->size,
                          member->modified_ns, &archive};
    if (!visit(file, {archive.consumed(), archive.total()})) return false;
  }
  if (!archive.damage().empty())
    diagnostics.report(Finding::kArchiveEndedEarly, path + ": " + archive.damage());
  return true;
}

std::string read_whole(const std::string& path, std::size_t most_bytes) {
  ByteSource file = ByteSource::open(path);
  std::string text, piece(1 << 16, '\0');
  while (const std::size_t count = file.read(piece)) {
    text.append(piece, 0, count);
    if (text.size() > most_bytes)
      throw Error(ErrorCode::kInput, path, "is too long for a list of sources",
                  "Write one folder or archive per line");
  }
  return text;
}

std::string_view without_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

/// The lines of "@FILE" as sources, but for empty ones and those that begin with #; all others as
/// they are.
std::vector<std::string> with_lists_read(const std::vector<std::string>& sources) {
  constexpr std::size_t kMostListBytes = 256 << 20;
  std::vector<std::string> all;
  for (const std::string& source : sources) {
    if (!source.starts_with('@')) {
      all.push_back(source);
      continue;
    }
    const std::string text = read_whole(source.substr(1), kMostListBytes);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const auto line = without_blanks(std::string_view(text).substr(begin, end - begin));
      if (line == "-")
        throw Error(ErrorCode::kInput, source.substr(1), "names standard input",
                    "Pass - beside the list");
      if (!line.empty() && !line.starts_with('#')) all.emplace_back(line);
      begin = end + 1;
    }
  }
  return all;
}

bool visit_file(const std::string& path, const SourceOptions& options, const Visit& visit,
                Diagnostics& diagnostics) {
  SourceFile file{fs::path(path).filename().string(), path};
  const bool may_be_trace = path != "-" && describe_file(file) && !begins_as_archive(path);
  if (may_be_trace && peek_trace(path).is_trace()) return visit(file, {});
  ArchiveWalk archive(path, options.limits, diagnostics);
  return visit_archive(path, archive, visit, diagnostics);
}

}  // namespace

bool has_standard_input(const SourceOptions& options) {
  const auto& sources = options.sources;
  return std::any_of(sources.begin(), sources.end(),
                     [](const std::string& source) { return source == "-" || source == "@-"; });
}

void visit_sources(const SourceOptions& options, const Visit& visit, Diagnostics& diagnostics) {
  const std::vector<std::string> sources = with_lists_read(options.sources);
  std::vector<std::string> files;
  for (const std::string& source : sources) {
    std::error_code error;
    if (source != "-" && !fs::exists(source, error))
      throw Error(ErrorCode::kInput, source, "is missing",
                  "Pass folders, archives (tar, zip), @LIST or -");
    if (!fs::is_directory(source, error)) files.push_back(source);
  }
  for (const std::string& source : sources) {
    std::error_code error;
    if (fs::is_directory(source, error) &&
        !visit_folder(source, options.is_recursive, visit, diagnostics))
      return;
  }
  for (const std::string& file : files)
    if (!visit_file(file, options, visit, diagnostics)) return;
}

}  // namespace nadi
