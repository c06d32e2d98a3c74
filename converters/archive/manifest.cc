#include "nadi/converters/archive/manifest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "nadi/base/error.h"
#include "nadi/base/json_document.h"
#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"
#include "nadi/converters/report_json.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKindNames[] = {"host", "device"};

/// JSON has no bytes that are no UTF-8: a path that has them stands in hexadecimal digits beside.
Json file_json(const FileRecord& file) {
  Json json = {{"path", file.path},
               {"size", file.size},
               {"modified_ns", file.modified_ns},
               {"xxh128", file.checksum}};
  if (!is_utf8(file.path)) {
    std::string digits;
    for (const char c : file.path) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
    json["path_bytes"] = digits;
  }
  return json;
}

std::string path_of(const Json& json) {
  const auto digits = json.find("path_bytes");
  if (digits == json.end()) return json.at("path").get<std::string>();
  const auto text = digits->get<std::string>();
  std::string path;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    path += static_cast<char>(byte);
  }
  return path;
}

FileRecord file_of(const Json& json) {
  return {path_of(json), json.at("size").get<std::uint64_t>(),
          json.at("modified_ns").get<std::int64_t>(), json.at("xxh128").get<std::string>()};
}

Json input_json(const InputRecord& input) {
  Json json = file_json(input.file);
  json["type"] = kKindNames[input.peek.type == TraceType::kDeviceTrace];
  json["rank"] = input.peek.rank;
  json["pid"] = input.peek.pid;
  if (input.peek.first_us >= 0) json["first_us"] = input.peek.first_us;
  if (input.peek.activity == DeviceActivity::kNone) json["has_device_rows"] = false;
  json["rows_per_byte"] = input.peek.rows_per_byte;
  return json;
}

InputRecord input_of(const Json& json) {
  InputRecord input{file_of(json), {}};
  const bool is_device = json.at("type").get<std::string>() == kKindNames[1];
  input.peek.type = is_device ? TraceType::kDeviceTrace : TraceType::kHostTrace;
  input.peek.rank = json.at("rank").get<std::int64_t>();
  input.peek.pid = json.at("pid").get<std::int64_t>();
  input.peek.first_us = json.value("first_us", std::int64_t{-1});
  if (!json.value("has_device_rows", true)) input.peek.activity = DeviceActivity::kNone;
  input.peek.rows_per_byte = json.at("rows_per_byte").get<double>();
  return input;
}

RankRecord record_of(const Json& json, WithReport with_report) {
  RankRecord record;
  record.rank = json.at("rank").get<std::int64_t>();
  record.version = json.at("nadi").get<std::string>();
  record.options = json.at("options").get<std::string>();
  for (const Json& input : json.at("inputs")) record.inputs.push_back(input_of(input));
  if (const auto error = json.find("error"); error != json.end()) {
    record.error = error->get<std::string>();
    return record;
  }
  record.output = file_of(json.at("output"));
  if (with_report == WithReport::kYes) record.report = parse_report_json(json.at("report"));
  record.report.seconds = json.at("seconds").get<double>();
  return record;
}

/// Gives the lines of a file without their ends; the last may have none.
void visit_lines(int file,
                 const std::function<void(const std::string& line, bool is_whole)>& take) {
  std::string line, piece(1 << 18, '\0');
  off_t at = 0;
  for (ssize_t got; (got = ::pread(file, piece.data(), piece.size(), at)) > 0; at += got) {
    const std::string_view read(piece.data(), static_cast<std::size_t>(got));
    for (std::size_t begin = 0; begin < read.size();) {
      const std::size_t end = std::min(read.find('\n', begin), read.size());
      line += read.substr(begin, end - begin);
      begin = end + 1;
      if (end == read.size()) break;
      take(line, true);
      line.clear();
    }
  }
  if (!line.empty()) take(line, false);
}

/// The rank of a line, which stands first.
std::optional<std::int64_t> rank_of_line(std::string_view line) {
  constexpr std::string_view kBegin = "{\"rank\":";
  if (!line.starts_with(kBegin) || !line.ends_with('}')) return std::nullopt;
  line.remove_prefix(kBegin.size());
  const auto rank = number_at_front<std::int64_t>(line);
  return line.starts_with(',') ? rank : std::nullopt;
}

/// True where the open file lies at the path.
bool is_at(int file, const std::string& path) {
  struct stat opened {
  }, there{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

[[noreturn]] void fail(const std::string& path, const char* doing, int error) {
  throw Error(ErrorCode::kInput, path,
              std::string("cannot be ") + doing + " (" + std::strerror(error) + ")",
              error == ENOSPC ? "Make room and run the same command again: what is done stays done"
                              : "Check the folder");
}

}  // namespace

std::string manifest_line(const RankRecord& record) {
  Json json = {{"rank", record.rank}, {"nadi", record.version}, {"options", record.options}};
  json["inputs"] = Json::array();
  for (const InputRecord& input : record.inputs) json["inputs"].push_back(input_json(input));
  if (!record.error.empty()) {
    json["error"] = record.error;
  } else {
    json["output"] = file_json(record.output);
    json["seconds"] = record.report.seconds;
    json["report"] = report_json(record.report);
  }
  return document_text(json) + "\n";
}

std::optional<RankRecord> parse_manifest_line(std::string_view line, WithReport with_report) {
  try {
    if (with_report == WithReport::kYes) return record_of(parse_ordered_json(line), with_report);
    if (line.find('\0') != std::string_view::npos) return std::nullopt;  // of a disk that lost it
    // The report is last; inside of strings its quotes would be escaped.
    const std::size_t report = line.find(",\"report\":{");
    const bool is_there = report != std::string_view::npos;
    return record_of(is_there ? parse_ordered_json(std::string(line.substr(0, report)) + "}")
                              : parse_ordered_json(line),
                     with_report);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Manifest::Manifest(std::string path) : path_(std::move(path)) { read(); }

Manifest::~Manifest() {
  if (file_ >= 0) ::close(file_);
  if (lock_ < 0) return;
  struct stat status {};
  if (is_at(lock_, path_) && ::fstat(lock_, &status) == 0 && status.st_size == 0)
    ::unlink(path_.c_str());
  ::close(lock_);
}

Manifest::Locking Manifest::open_and_lock() {
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path_, "written", errno);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file);
    return Locking::kHeld;
  }
  if (is_at(file, path_)) {
    lock_ = file;
    return Locking::kDone;
  }
  ::close(file);
  return Locking::kReplaced;
}

bool Manifest::try_lock() {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code ignored;  // who opens the file says what is wrong
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  Locking locking = open_and_lock();
  while (locking == Locking::kReplaced) locking = open_and_lock();
  if (locking == Locking::kHeld) return false;
  read();
  return true;
}

void Manifest::lock() {
  if (!try_lock())
    throw Error(ErrorCode::kInput, path_, "is being written by another run",
                "Wait until that has ended, or write to another prefix");
}

void Manifest::read() {
  lines_.clear();
  end_ = 0;
  is_in_order_ = true;
  ends_in_line_ = false;
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  std::int64_t last_rank = -1;
  visit_lines(file_, [&](const std::string& line, bool is_whole) {
    const LineSpan span{end_, line.size()};
    end_ += line.size() + (is_whole ? 1 : 0);
    ends_in_line_ = !is_whole;
    const auto rank = is_whole ? rank_of_line(line) : std::nullopt;
    is_in_order_ = is_in_order_ && rank && *rank > last_rank;
    if (!rank) return;
    last_rank = *rank;
    lines_[*rank] = span;
  });
}

std::string Manifest::line_at(const LineSpan& span) const {
  std::string line(span.size, '\0');
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t got =
        ::pread(file_, line.data() + at, line.size() - at, static_cast<off_t>(span.offset + at));
    if (got <= 0) fail(path_, "read", got < 0 ? errno : EIO);
    at += static_cast<std::size_t>(got);
  }
  return line;
}

std::optional<RankRecord> Manifest::find(std::int64_t rank) const {
  const auto line = lines_.find(rank);
  return line == lines_.end() ? std::nullopt : parse_manifest_line(line_at(line->second));
}

void Manifest::visit(const std::function<void(RankRecord)>& take, WithReport with_report) const {
  for (const auto& [rank, span] : lines_)
    if (auto record = parse_manifest_line(line_at(span), with_report)) take(std::move(*record));
}

void Manifest::visit_converted(const std::function<void(RankRecord)>& take,
                               WithReport with_report) const {
  visit(
      [&](RankRecord record) {
        if (record.error.empty()) take(std::move(record));
      },
      with_report);
}

void Manifest::append(const RankRecord& record) { append_line(record.rank, manifest_line(record)); }

void Manifest::append_from(const Manifest& other, std::int64_t rank) {
  const std::string line = other.line_at(other.lines_.at(rank));
  const auto own = lines_.find(rank);
  if (own != lines_.end() && own->second.size == line.size() && line_at(own->second) == line)
    return;
  append_line(rank, line + "\n");
}

void Manifest::append_line(std::int64_t rank, const std::string& line) {
  const std::string text = (ends_in_line_ ? "\n" : "") + line;
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path_, "written", errno);
  const ssize_t written = ::write(file, text.data(), text.size());
  const int error = errno;
  ::close(file);
  if (written != static_cast<ssize_t>(text.size())) {
    ends_in_line_ = written > 0;
    if (written > 0) end_ += static_cast<std::uint64_t>(written);
    fail(path_, "written", written < 0 ? error : ENOSPC);
  }
  const std::uint64_t before = ends_in_line_ ? 1 : 0;
  is_in_order_ =
      is_in_order_ && !ends_in_line_ && (lines_.empty() || lines_.rbegin()->first < rank);
  ends_in_line_ = false;
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  lines_[rank] = {end_ + before, text.size() - before - 1};
  end_ += text.size();
}

void Manifest::finish() {
  if (lines_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return read();
  }
  if (is_in_order_) return;
  AtomicFile file(path_);
  for (const auto& [rank, span] : lines_) file.write(line_at(span) + "\n");
  file.commit();
  read();
}

}  // namespace nadi
