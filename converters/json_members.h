// Members of JSON objects: null for what is not known, objects inside others by names with dots.
#pragma once

#include <functional>
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

/// Takes fields of a row, add(name, value_of), as members of an object.
template <class Row>
class JsonMembers {
 public:
  JsonMembers(const Row& row, nlohmann::ordered_json& object) : row_(row), object_(object) {}

  template <class ValueOf>
  void operator()(const std::string& name, const ValueOf& value_of) const {
    set_member(object_, name, std::invoke(value_of, row_));
  }

 private:
  const Row& row_;
  nlohmann::ordered_json& object_;
};

}  // namespace nadi
