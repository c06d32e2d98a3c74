// Reads the values of a file of settings one by one, and says of a bad one which it is.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nadi::cli {

/// A JSON or YAML file of names and values; values of YAML are strings. All functions throw
/// Error(kInput) that names the file and the setting, and ends with the remedy.
class SettingsReader {
 public:
  /// Both must outlive it.
  SettingsReader(const std::string& path, const char* remedy);

  double number(const std::string& name) const { return number_of(name, value(name)); }
  std::int64_t whole_number(const std::string& name) const {
    return whole_number_of(name, value(name));
  }
  std::vector<double> numbers(const std::string& name) const;
  std::vector<std::int64_t> whole_numbers(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

  bool has(const std::string& name) const { return json_.contains(name); }
  /// Whether it is there and something else than 0, false or `usual`.
  bool is_set(const std::string& name, const std::string& usual = "") const;

  template <class Visit>
  void for_each_name(const Visit& visit) const {
    for (const auto& [name, value] : json_.items()) visit(name);
  }

  /// Refuses names that are none of these, with the nearest of them.
  void require_known(const std::vector<std::string>& known) const;

  [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
    fail(name, problem, remedy_);
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& problem,
                         const std::string& remedy) const;
  const nlohmann::json& value(const std::string& name) const;
  const nlohmann::json& list(const std::string& name) const;
  double number_of(const std::string& name, const nlohmann::json& value) const;
  std::int64_t whole_number_of(const std::string& name, const nlohmann::json& value) const;

  const std::string& path_;
  const char* remedy_;
  nlohmann::json json_;
};

}  // namespace nadi::cli
