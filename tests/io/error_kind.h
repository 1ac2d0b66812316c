#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "kernels/base/error.h"

namespace thinwire::test {

/// Kind of the Error that `action` throws; fails the test if there is none.
inline ErrorKind error_kind(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::numeric;
}

}  // namespace thinwire::test
