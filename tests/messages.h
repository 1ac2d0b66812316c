#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kernels/base/error.h"

namespace thinwire {

/// Tests whether `part` occurs in `text`, and shows the text where the test fails.
inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != text.npos;
  return ::testing::AssertionResult(found)
         << (found ? "has \"" : "lacks \"") << part << "\": " << text;
}

namespace test {

/// Returns the kind of the Error that `action` throws; fails the test if there is none.
ErrorKind error_kind(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::numeric;
}

/// Returns the message of the Error that `action` throws, "" if there is none.
std::string error_message(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Returns that message; fails the test if the Error is not of `kind`.
std::string error_message(ErrorKind kind, auto&& action) {
  return error_message([&] {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      throw;
    }
  });
}

}  // namespace test
}  // namespace thinwire
