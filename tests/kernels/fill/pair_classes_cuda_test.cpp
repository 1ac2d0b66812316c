#include "kernels/element/pair_shape.h"
#include "kernels/fill/pair_classes.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/kernels/element/test_mesh.h"
#include "tests/kernels/fill/pair_lists.h"

namespace thinwire {
namespace {

using namespace testing;
using PairClassesOnDevice = OnDevice;

/// Classes of pairs on the GPU, and their first pairs as numbers.
struct Classes {
  std::vector<std::uint32_t> of_pair, p, q;
};

Classes on_device(const TestMesh& mesh, Medium medium, int s, const ElementPairs& pairs) {
  const DeviceStream stream;
  std::vector<std::uint32_t> first;
  for (std::uint32_t p = 0; p < mesh.elements.size(); ++p)
    first.insert(first.end(), pairs.row[p + 1] - pairs.row[p], p);
  const auto elements = uploaded(mesh.elements, "elements", stream);
  const auto device_first = uploaded(first, "p", stream);
  const auto device_second = uploaded(pairs.second, "q", stream);
  const DevicePairClasses classes =
      classify_pairs(elements.data(), medium, s, device_first, device_second, stream);
  const auto numbers = [&](const DeviceBuffer<std::uint32_t>& from) {
    std::vector<std::uint32_t> to(from.size());
    from.download(to, stream);
    return to;
  };
  return {numbers(classes.of_pair), numbers(classes.p), numbers(classes.q)};
}

TEST_F(PairClassesOnDevice, AreThoseOfTheCpu) {
  const Medium ground = Medium::perfect_ground();
  for (const TestMesh& mesh : {dipole_array(3, 2, 21), every_feature()})
    for (int s = 0; s < 2; ++s) {
      const ElementPairs pairs = pairs_within(mesh.elements, 0.2);
      const PairClasses cpu = classify_pairs(mesh.elements, ground, s, pairs);
      const Classes gpu = on_device(mesh, ground, s, pairs);
      ASSERT_EQ(gpu.of_pair.size(), cpu.of_pair.size());
      // Products are contracted there, so that a few shapes may be rounded otherwise.
      EXPECT_NEAR(static_cast<double>(gpu.p.size()), static_cast<double>(cpu.size()),
                  0.05 * static_cast<double>(cpu.size()) + 2);
      std::size_t others = 0;
      for (std::size_t i = 0; i < gpu.of_pair.size(); ++i) {
        const std::uint32_t a = gpu.of_pair[i], b = cpu.of_pair[i];
        ASSERT_LT(a, gpu.p.size());
        others += gpu.p[a] != cpu.p[b] || gpu.q[a] != cpu.q[b];
      }
      EXPECT_LE(others, gpu.of_pair.size() / 20);
    }
}

TEST_F(PairClassesOnDevice, AreTheSameEveryTime) {
  const TestMesh mesh = every_feature();
  const ElementPairs pairs = pairs_within(mesh.elements, 0.3);
  const Classes once = on_device(mesh, {}, 0, pairs),
                again = on_device(mesh, {}, 0, pairs);
  EXPECT_EQ(once.of_pair, again.of_pair);
  EXPECT_EQ(once.p, again.p);
  EXPECT_EQ(once.q, again.q);
}

}  // namespace
}  // namespace thinwire
