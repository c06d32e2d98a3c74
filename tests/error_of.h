// The error of what must fail.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "nadi/base/error.h"

namespace nadi {

/// Returns the error that `run` throws. The test fails where it throws none.
inline Error error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::kInternal, "", "no error"};
}

/// Returns what that error says.
inline std::string message_of(const std::function<void()>& run) { return error_of(run).what(); }

}  // namespace nadi
