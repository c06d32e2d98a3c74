// The one exception of the library: there can be no result, and this says where, what and what to
// do.
#pragma once

#include <stdexcept>
#include <string>

namespace nadi {

enum class ErrorCode {
  kUsage,     ///< the caller asked for something that cannot be (exit 2)
  kInput,     ///< a file is missing, unreadable, or not what it should be (exit 3)
  kCheck,     ///< a check or --strict failed (exit 1)
  kInternal,  ///< our bug (exit 4)
};

/// Thrown where a function cannot give a result. what() is the whole message:
/// "WHERE: WHAT. REMEDY". Settings stand in it as `match=order`, by the names of the tool's
/// options.
class Error : public std::runtime_error {
 public:
  /// where: file, member, byte or event; what: one clause; remedy: what to do (may be empty).
  Error(ErrorCode code, std::string where, std::string what, std::string remedy = {})
      : std::runtime_error(where + (where.empty() ? "" : ": ") + what +
                           (remedy.empty() ? "" : ". " + remedy)),
        code_(code),
        where_(std::move(where)),
        what_(std::move(what)),
        remedy_(std::move(remedy)) {}

  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }
  const std::string& problem() const { return what_; }
  const std::string& remedy() const { return remedy_; }

 private:
  ErrorCode code_;
  std::string where_, what_, remedy_;
};

}  // namespace nadi
