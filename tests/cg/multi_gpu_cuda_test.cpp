#include "kernels/device/multi_gpu.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/base/error.h"
#include "tests/cg/device_owners.h"

namespace thinwire {
namespace {

using namespace testing;

using MultiGpus = testing::OnMultiGpu;

/// The sum over the owners in their order.
std::vector<Complex> summed(std::size_t count, int owners) {
  std::vector<Complex> total(count);
  for (int owner = 0; owner < owners; ++owner) {
    const std::vector<Complex> part = random_vector(count, 40 + owner);
    for (std::size_t i = 0; i < count; ++i) total[i] += part[i];
  }
  return total;
}

TEST_F(MultiGpus, SumsInTheOrderOfTheOwnersToTheSameBitsOnAll) {
  for_teams([](std::vector<int> devices, Joined joined) {
    // In one piece and, with windows of 1,000 bytes, in many.
    for (const std::size_t window : {std::size_t{1} << 16, std::size_t{1008}})
      for (const std::size_t count : {1, 63, 1000}) {
        const std::vector<Complex> expected =
            summed(count, static_cast<int>(devices.size()));
        on_multi_gpu(devices, joined, window, [&](DeviceExchange& exchange) {
          const DeviceStream stream;
          DeviceBuffer<Complex> values(count, "values");
          // Often enough that windows take turns.
          for (int round = 0; round < 5; ++round) {
            values.upload(random_vector(count, 40 + exchange.owner()), stream);
            exchange.sum(values.data(), count, stream);
            std::vector<Complex> total(count);
            values.download(total, stream);
            EXPECT_EQ(total, expected) << "owner " << exchange.owner();
          }
        });
      }
  });
}

TEST_F(MultiGpus, SumsInSingle) {
  for_teams([](std::vector<int> devices, Joined joined) {
    on_multi_gpu(devices, joined, 256, [&](DeviceExchange& exchange) {
      const DeviceStream stream;
      std::vector<std::complex<float>> values(100);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = {static_cast<float>(i + 1), static_cast<float>(exchange.owner())};
      DeviceBuffer<std::complex<float>> on_gpu(values.size(), "values");
      on_gpu.upload(values, stream);
      exchange.sum(on_gpu.data(), values.size(), stream);
      on_gpu.download(values, stream);
      const int owners = exchange.owners();
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i].real(), static_cast<float>(owners * (i + 1)));
        EXPECT_EQ(values[i].imag(), static_cast<float>(owners * (owners - 1) / 2));
      }
    });
  });
}

TEST_F(MultiGpus, BroadcastsFromEachOwner) {
  for_teams([](std::vector<int> devices, Joined joined) {
    const std::size_t count = 500;
    on_multi_gpu(devices, joined, 1024, [&](DeviceExchange& exchange) {
      const DeviceStream stream;
      DeviceBuffer<Complex> values(count, "values");
      for (int root = 0; root < exchange.owners(); ++root) {
        values.upload(random_vector(count, 7 + exchange.owner()), stream);
        exchange.broadcast(root, values.data(), values.bytes(), stream);
        std::vector<Complex> got(count);
        values.download(got, stream);
        EXPECT_EQ(got, random_vector(count, 7 + root)) << "root " << root;
        // To one of them only: the others keep what they have.
        const int taker = (root + 1) % exchange.owners();
        values.upload(random_vector(count, 70 + exchange.owner()), stream);
        exchange.broadcast(root, values.data(), values.bytes(), stream, taker);
        values.download(got, stream);
        const int from = exchange.owner() == taker ? root : exchange.owner();
        EXPECT_EQ(got, random_vector(count, 70 + from)) << "root " << root;
      }
    });
  });
}

TEST_F(MultiGpus, FindTheLeast) {
  for_teams([](std::vector<int> devices, Joined joined) {
    on_multi_gpu(devices, joined, 64, [&](DeviceExchange& exchange) {
      const auto owner = static_cast<std::size_t>(exchange.owner());
      EXPECT_EQ(exchange.least(10 - owner), 11 - devices.size());
      EXPECT_EQ(exchange.least(3 + owner), 3u);
    });
  });
}

TEST_F(MultiGpus, NoneWaitsForAnOwnerThatFails) {
  EXPECT_THROW(on_multi_gpu({0, 0}, Joined::peers, 64,
                            [](DeviceExchange& exchange) {
                              if (exchange.owner() == 1)
                                throw std::runtime_error("fails");
                              exchange.least(1);
                            }),
               std::runtime_error);
}

TEST_F(MultiGpus, OwnersOutOfStepAreFound) {
  EXPECT_THROW(on_multi_gpu({0, 0}, Joined::peers, 1024,
                            [](DeviceExchange& exchange) {
                              const DeviceStream stream;
                              DeviceBuffer<Complex> values(20, "values");
                              values.clear(stream);
                              exchange.sum(
                                  values.data(),
                                  10 + static_cast<std::size_t>(exchange.owner()),
                                  stream);
                            }),
               Error);
}

TEST_F(MultiGpus, RefuseNoGpuAndTooMany) {
  EXPECT_THROW(MultiGpu(std::vector<int>{}), Error);
  EXPECT_THROW(MultiGpu(std::vector<int>(MultiGpu::max_owners + 1)), Error);
}

}  // namespace
}  // namespace thinwire
