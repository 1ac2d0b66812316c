#include "kernels/device/device.h"

#include "kernels/base/error.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(Device, TheReportSaysWhatThereIs) {
  const DeviceReport report = device_report();
  EXPECT_TRUE(report.module);
  EXPECT_GT(report.runtime_version, 0);
  EXPECT_EQ(report.problem.empty(), !report.devices.empty());
}

TEST(Device, AskingForOneThatIsNotThereIsAnError) {
  const std::string error =
      test::error_message(ErrorKind::device, [&] { use_device(999); });
  EXPECT_EQ(error.find("cuda"), 0u) << error;
}

using Buffers = OnDevice;

TEST_F(Buffers, ValuesComeBackAndMovesLeaveNothingBehind) {
  const DeviceStream stream;
  const std::vector<Complex> values = random_vector(1000, 1);
  DeviceBuffer<Complex> buffer(1000, "test values");
  buffer.upload(values, stream);
  DeviceBuffer<Complex> moved = std::move(buffer);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0u);
  std::vector<Complex> back(1000);
  moved.download(back, stream);
  EXPECT_EQ(back, values);
  moved.clear(stream);
  moved.download(back, stream);
  EXPECT_EQ(back, std::vector<Complex>(1000));
}

TEST_F(Buffers, TooManyBytesNameTheContents) {
  EXPECT_EQ(
      test::error_message(
          ErrorKind::memory,
          [&] { const DeviceBuffer<double> buffer(std::size_t{1} << 45, "test values"); })
          .find("test values: cudaMalloc failed"),
      0u);
}

TEST_F(Buffers, EventsMeasureWork) {
  const DeviceStream stream;
  DeviceBuffer<std::byte> buffer(std::size_t{1} << 28, "test values");
  DeviceEvent start, stop;
  start.record(stream);
  buffer.clear(stream);
  stop.record(stream);
  EXPECT_GT(stop.seconds_since(start), 1e-6);
  EXPECT_TRUE(stream.idle());
}

}  // namespace
}  // namespace thinwire
