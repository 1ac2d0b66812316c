#pragma once

#include <gtest/gtest.h>

#include "kernels/device/device.h"

namespace thinwire::testing {

/// Tests on a GPU derive from this: they say why they are skipped where there is none.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const DeviceReport report = device_report();
    if (!report.problem.empty()) GTEST_SKIP() << report.problem;
    use_device(0);
  }
};

}  // namespace thinwire::testing
