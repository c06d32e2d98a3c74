#include "nadi/converters/cli/settings_file.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "nadi/base/error.h"
#include "nadi/base/json_document.h"
#include "nadi/input/byte_source.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostLevels = 32;
constexpr std::size_t kMostValues = 10'000;  // a file may name a part of itself many times

std::string read_text(const std::string& path) {
  std::string text = ByteSource::open(path).read_up_to(kMostBytes + 1);
  if (text.size() > kMostBytes)
    throw Error(ErrorCode::kUsage, path, "is beyond 1 MiB", "Pass a file of settings");
  return text;
}

[[noreturn]] void refuse_size(const std::string& path) {
  throw Error(ErrorCode::kUsage, path, "is nested too deep or too large",
              "Pass a file of settings");
}

class Translation {
 public:
  explicit Translation(const std::string& path) : path_(path) {}

  nlohmann::json translate(const YAML::Node& node, int level = 0) {
    if (level > kMostLevels || ++values_ > kMostValues) refuse_size(path_);
    auto json = nlohmann::json();
    if (node.IsScalar()) json = node.Scalar();
    if (node.IsSequence()) {
      json = nlohmann::json::array();
      for (const YAML::Node& element : node) json.push_back(translate(element, level + 1));
    }
    if (node.IsMap()) {
      json = nlohmann::json::object();
      for (const auto& entry : node)
        json[entry.first.as<std::string>()] = translate(entry.second, level + 1);
    }
    return json;
  }

 private:
  const std::string& path_;
  std::size_t values_ = 0;
};

nlohmann::json read_json(const std::string& path) {
  const std::string text = read_text(path);
  std::size_t values = 0;
  const auto bound = [&](int level, nlohmann::json::parse_event_t, const nlohmann::json&) {
    if (level > kMostLevels || ++values > kMostValues) refuse_size(path);
    return true;
  };
  nlohmann::json json = nlohmann::json::parse(text, bound, false);
  if (!json.is_discarded()) return json;
  try {
    return Translation(path).translate(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw Error(ErrorCode::kUsage, path,
                std::string("is neither JSON nor YAML (") + error.what() + ")",
                "Write names and values: args: [default, bandwidth]");
  }
}

std::string text_of(const nlohmann::json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return document_text(value);
  throw Error(ErrorCode::kUsage, where, "is neither a value nor a list of values",
              "Write names and values: args: [default, bandwidth]");
}

}  // namespace

Settings read_settings(const std::string& path) {
  const auto json = read_json(path);
  if (!json.is_object())
    throw Error(ErrorCode::kUsage, path, "holds no names of options",
                "Write names and values: args: [default, bandwidth]");
  Settings settings;
  for (const auto& [name, value] : json.items()) {
    const std::string where = path + ", " + name;
    std::vector<std::string>& texts = settings[name];
    if (value.is_array())
      for (const auto& element : value) texts.push_back(text_of(element, where));
    else
      texts.push_back(text_of(value, where));
  }
  return settings;
}

std::string read_as_json(const std::string& path) { return document_text(read_json(path)); }

}  // namespace nadi::cli
