#include "nadi/converters/cli/settings_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/base/json_document.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/settings_file.h"
#include "nadi/converters/cli/suggestion.h"

namespace nadi::cli {

SettingsReader::SettingsReader(const std::string& path, const char* remedy)
    : path_(path), remedy_(remedy) {
  try {
    json_ = parse_json(read_as_json(path));
  } catch (const Error& error) {
    throw Error(ErrorCode::kInput, path, error.problem(), remedy);
  }
  if (!json_.is_object()) fail("", "holds no names and values");
}

std::vector<double> SettingsReader::numbers(const std::string& name) const {
  std::vector<double> numbers;
  for (const auto& element : list(name)) numbers.push_back(number_of(name, element));
  return numbers;
}

std::vector<std::int64_t> SettingsReader::whole_numbers(const std::string& name) const {
  std::vector<std::int64_t> numbers;
  for (const auto& element : list(name)) numbers.push_back(whole_number_of(name, element));
  return numbers;
}

std::vector<std::string> SettingsReader::texts(const std::string& name) const {
  std::vector<std::string> texts;
  for (const auto& element : list(name)) {
    if (!element.is_string()) fail(name, "is no list of names");
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

bool SettingsReader::is_set(const std::string& name, const std::string& usual) const {
  const auto found = json_.find(name);
  if (found == json_.end() || found->is_null()) return false;
  const std::string text = found->is_string() ? found->get<std::string>() : found->dump();
  return text != "0" && text != "false" && text != usual;
}

void SettingsReader::require_known(const std::vector<std::string>& known) const {
  for_each_name([&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string meant = suggestion(name, known);
    fail(name, "is none of the settings of this file",
         fmt::format("{}{}Known are {}", meant.empty() ? "" : meant.substr(1),
                     meant.empty() ? "" : " ", fmt::join(known, ", ")));
  });
}

void SettingsReader::fail(const std::string& name, const std::string& problem,
                          const std::string& remedy) const {
  throw Error(ErrorCode::kInput, name.empty() ? path_ : path_ + ", " + name, problem, remedy);
}

const nlohmann::json& SettingsReader::value(const std::string& name) const {
  const auto found = json_.find(name);
  if (found == json_.end()) fail(name, "is missing");
  return *found;
}

const nlohmann::json& SettingsReader::list(const std::string& name) const {
  const nlohmann::json& values = value(name);
  if (!values.is_array() || values.empty()) fail(name, "is no list of a value per dimension");
  return values;
}

double SettingsReader::number_of(const std::string& name, const nlohmann::json& value) const {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = number_of_text<double>(value.get<std::string>());
  if (!number || !std::isfinite(*number)) fail(name, "is no number");
  return *number;
}

std::int64_t SettingsReader::whole_number_of(const std::string& name,
                                             const nlohmann::json& value) const {
  const double number = number_of(name, value);
  if (number != std::floor(number) || std::abs(number) > 1e15) fail(name, "is no whole number");
  return static_cast<std::int64_t>(number);
}

}  // namespace nadi::cli
