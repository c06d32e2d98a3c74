#include "nadi/converters/archive/manifest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nadi/base/error.h"
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
  return json;
}

InputRecord input_of(const Json& json) {
  InputRecord input{file_of(json), {}};
  const bool is_device = json.at("type").get<std::string>() == kKindNames[1];
  input.peek.type = is_device ? TraceType::kDeviceTrace : TraceType::kHostTrace;
  input.peek.rank = json.at("rank").get<std::int64_t>();
  input.peek.pid = json.at("pid").get<std::int64_t>();
  return input;
}

RankRecord record_of(const Json& json) {
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
  record.report = parse_report_json(json.at("report"));
  record.report.seconds = json.at("seconds").get<double>();
  return record;
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<RankRecord> parse_manifest_line(std::string_view line) {
  try {
    return record_of(Json::parse(line));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Manifest::Manifest(std::string path) : path_(std::move(path)) { read(); }

Manifest::~Manifest() {
  if (lock_ < 0) return;
  struct stat status {};
  if (::fstat(lock_, &status) == 0 && status.st_size == 0 && place_of_.empty())
    ::unlink(path_.c_str());
  ::close(lock_);
}

/// False where the file was replaced in between.
bool Manifest::open_and_lock() {
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path_, "written", errno);
  struct stat of_lock {
  }, of_path{};
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    throw Error(ErrorCode::kInput, path_, "is being written by another run",
                "Wait until that has ended, or write to another prefix");
  }
  ::fstat(file, &of_lock);
  if (::stat(path_.c_str(), &of_path) == 0 && of_lock.st_ino == of_path.st_ino) {
    lock_ = file;
    return true;
  }
  ::close(file);
  return false;
}

void Manifest::lock() {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code ignored;  // who opens the file says what is wrong
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  while (!open_and_lock()) {
  }
  read();
}

void Manifest::read() {
  place_of_.clear();
  end_ = 0;
  is_in_order_ = true;
  ends_in_line_ = false;
  std::ifstream file(path_, std::ios::binary);
  if (!file) return;
  std::int64_t last_rank = -1;
  for (std::string line; std::getline(file, line);) {
    const bool is_whole = !file.eof();
    const Place place{end_, line.size()};
    end_ += line.size() + (is_whole ? 1 : 0);
    ends_in_line_ = !is_whole;
    const auto record = is_whole ? parse_manifest_line(line) : std::nullopt;
    is_in_order_ = is_in_order_ && record && record->rank > last_rank;
    if (!record) continue;
    last_rank = record->rank;
    place_of_[record->rank] = place;
  }
}

std::string Manifest::line_at(const Place& place) const {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  std::string line(place.size, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (!file) fail(path_, "read", EIO);
  return line;
}

std::optional<RankRecord> Manifest::find(std::int64_t rank) const {
  const auto place = place_of_.find(rank);
  return place == place_of_.end() ? std::nullopt : parse_manifest_line(line_at(place->second));
}

void Manifest::visit(const std::function<void(const RankRecord&)>& take) const {
  for (const auto& [rank, place] : place_of_)
    if (const auto record = parse_manifest_line(line_at(place))) take(*record);
}

void Manifest::append(const RankRecord& record) {
  const std::string text = (ends_in_line_ ? "\n" : "") + manifest_line(record);
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
  is_in_order_ = is_in_order_ && !ends_in_line_ &&
                 (place_of_.empty() || place_of_.rbegin()->first < record.rank);
  ends_in_line_ = false;
  place_of_[record.rank] = {end_ + before, text.size() - before - 1};
  end_ += text.size();
}

void Manifest::finish() {
  if (place_of_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return;
  }
  if (is_in_order_) return;
  AtomicFile file(path_);
  std::ifstream lines(path_, std::ios::binary);
  std::string line;
  std::map<std::int64_t, Place> places;
  std::uint64_t end = 0;
  for (const auto& [rank, place] : place_of_) {
    lines.seekg(static_cast<std::streamoff>(place.offset));
    line.resize(place.size);
    lines.read(line.data(), static_cast<std::streamsize>(line.size()));
    if (!lines) fail(path_, "read", EIO);
    file.write(line + "\n");
    places[rank] = {end, place.size};
    end += place.size + 1;
  }
  file.commit();
  is_in_order_ = true;
  place_of_ = std::move(places);
  end_ = end;
  ends_in_line_ = false;
}

}  // namespace nadi
