#include "cg/precondition/device_modes.h"
#include "cg/precondition/two_level.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/operators/mode_coupling_samples.h"

namespace thinwire {
namespace {

using namespace testing;
using ModesOnDevice = OnDevice;

/// Error of factors in TF32.
constexpr double tf32 = 5e-3;

void expect_the_cpu_s(const Structure& structure, Medium medium) {
  const test::MeshedStructure what("antennas", structure);
  const test::CoupledModes host(what, medium);
  const std::size_t n = host.modes.size();
  const DeviceStream stream;
  DeviceTiles coarse({n}, Storage::complex_single);
  group_couplings(host.coupling.groups, host.exact.k_rad_per_m, medium, coarse, stream);
  add_updates(coarse, host.coupling.near, stream);
  stream.synchronize();
  const DeviceModePreconditioner device(host.modes, coarse);
  const TwoLevelPreconditioner clone(host.modes,
                                     coarse_matrix(host.coupling, host.exact));
  ASSERT_EQ(device.size(), clone.size());
  const auto r = random_vector(clone.size(), 5);
  std::vector<Complex> expected(r.size()), z(r.size()), again(r.size());
  clone.apply(r, expected);
  device.apply(r, z);
  device.apply(r, again);
  EXPECT_LE(relative_difference(z, expected), tf32);
  EXPECT_EQ(z, again);
}

TEST_F(ModesOnDevice, PreconditionAsOnTheCpu) {
  // One tile of modes, several, and a remainder.
  expect_the_cpu_s(test::random_dipoles(3, 2), {});
  expect_the_cpu_s(test::random_dipoles(150, 5), {});
  expect_the_cpu_s(test::small_loops(12), {});
  expect_the_cpu_s(test::yagis(3, 4), Medium::free_space());
}

TEST_F(ModesOnDevice, ReadsBlocksInBatches) {
  const std::vector<BlockPreconditioner::IndexSet> sets = {{0, 2}, {1, 3, 4}, {5}};
  const auto blocks = read_blocks(sets, [](const DeviceBlocks& of,
                                           const DeviceStream& stream) {
    // Each entry tells its row and column.
    std::vector<std::complex<float>> entries(of.count * of.leading * of.leading);
    for (std::size_t b = 0; b < of.count; ++b)
      for (std::size_t i = 0; i < of.leading; ++i)
        for (std::size_t j = 0; j < of.leading; ++j)
          entries[(b * of.leading + i) * of.leading + j] = {
              static_cast<float>(of.functions[b * of.leading + i] +
                                 of.functions[b * of.leading + j]),
              1};
    copy_bytes(of.entries, entries.data(), entries.size() * sizeof(entries[0]), stream);
    stream.synchronize();
  });
  ASSERT_EQ(blocks.size(), sets.size());
  for (std::size_t b = 0; b < sets.size(); ++b) {
    const std::size_t m = sets[b].size();
    ASSERT_EQ(blocks[b].size(), m * m);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < m; ++i)
        EXPECT_EQ(blocks[b][i + j * m], Complex(sets[b][i] + sets[b][j], 1));
  }
}

}  // namespace
}  // namespace thinwire
