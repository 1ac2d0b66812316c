#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/fill/dipole_groups.h"

namespace thinwire {
namespace {

using namespace device;

/// A block for each tile of z; entries of a row side by side in its threads. Zeros on the
/// diagonal and beyond the last group.
__global__ void couple(DipoleCoupling<float> of, const PointDipole<float>* dipole,
                       const std::uint32_t* first, std::size_t groups, float factor,
                       float2* z) {
  constexpr unsigned tile = PackedTiles::tile;
  const auto [tile_row, tile_column] = PackedTiles::tile_at(blockIdx.x);
  for (unsigned e = threadIdx.x; e < tile * tile; e += pass_threads) {
    const std::size_t a = tile_row * tile + e / tile, b = tile_column * tile + e % tile;
    float re = 0, im = 0;
    if (a != b && a < groups && b < groups)
      for (std::uint32_t i = first[a]; i < first[a + 1]; ++i)
        for (std::uint32_t j = first[b]; j < first[b + 1]; ++j)
          add_reaction(of, dipole[i], dipole[j], re, im);
    z[std::size_t{blockIdx.x} * PackedTiles::tile_entries + e] = {-factor * im,
                                                                  factor * re};
  }
}

PointDipole<float> narrow(const PointDipole<double>& dipole) {
  PointDipole<float> narrowed;
  for (int c = 0; c < 3; ++c) {
    narrowed.at_m[c] = static_cast<float>(dipole.at_m[c]);
    narrowed.moment_re[c] = static_cast<float>(dipole.moment_re[c]);
    narrowed.moment_im[c] = static_cast<float>(dipole.moment_im[c]);
  }
  return narrowed;
}

}  // namespace

void group_couplings(const DipoleGroups& groups, double k_rad_per_m, Medium medium,
                     DeviceTiles& z, const DeviceStream& stream) {
  const char* what = "coupling of modes";
  std::vector<PointDipole<float>> narrowed;
  narrowed.reserve(groups.dipole.size());
  for (const PointDipole<double>& dipole : groups.dipole)
    narrowed.push_back(narrow(dipole));
  const auto dipole = uploaded(narrowed, what, stream);
  const auto first = uploaded(groups.first, what, stream);
  const DipoleCoupling<float> of = {
      static_cast<float>(k_rad_per_m),
      static_cast<float>(groups.min_distance_m * groups.min_distance_m), medium};
  couple<<<static_cast<unsigned>(z.layout().tiles()), pass_threads, 0, stream.get()>>>(
      of, dipole.data(), first.data(), groups.size(),
      static_cast<float>(k_rad_per_m * eta0_ohm / (4 * pi)),
      static_cast<float2*>(z.data()));
  check_launch("coupling of modes");
  stream.synchronize();
}

}  // namespace thinwire
