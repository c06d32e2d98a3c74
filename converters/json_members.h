// Members of JSON objects: null for what is not known, objects inside others by names with dots.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace nadi {

/// Null where there is no value.
template <class T>
nlohmann::ordered_json optional_json(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// Sets a member; "path.ns" is `ns` of the object `path`, which is made where there is none.
template <class T>
void set_member(nlohmann::ordered_json& object, const std::string& name, const T& value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos)
    object[name] = value;
  else
    object[name.substr(0, dot)][name.substr(dot + 1)] = value;
}
template <class T>
void set_member(nlohmann::ordered_json& object, const std::string& name,
                const std::optional<T>& value) {
  set_member(object, name, optional_json(value));
}

}  // namespace nadi
