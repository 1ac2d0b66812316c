#pragma once

#include <vector>

#include "kernels/device/launch.cuh"
#include "kernels/fill/fill.h"
#include "kernels/fill/fill_tile.cuh"

namespace thinwire {

struct DeviceFunctionLists::Parts {
  DeviceBuffer<device::Side> sides;
};

namespace device {

/// Makes the sides of the tiles' functions, `count` in all. basis: on the GPU.
DeviceBuffer<Side> lists_of_tiles(const BasisFunction* basis, std::size_t count,
                                  const DeviceStream& stream);
/// Makes the sides of these lists of functions, see DeviceFill::make_function_lists.
/// basis: on the GPU. Waits.
DeviceBuffer<Side> lists_of(const BasisFunction* basis,
                            std::span<const std::uint32_t> functions,
                            std::span<const std::size_t> first,
                            const DeviceStream& stream);

}  // namespace device

/// A real ground on the GPU.
struct DeviceGround {
  DeviceGround() = default;
  /// near: null: near pairs give nothing. run: straight_runs of the elements; null: each
  /// is one. Waits.
  DeviceGround(const GroundTable& table, const NearGroundPairs* near, Storage storage,
               double k_rad_per_m, const std::uint32_t* run, const DeviceStream& stream);

  DeviceBuffer<GroundTableView::Box> boxes;
  DeviceBuffer<double> coefficients;  // either these
  DeviceBuffer<float> single;         // or these
  DeviceBuffer<std::uint64_t> row;
  DeviceBuffer<std::uint32_t> second, of_pair;
  DeviceBuffer<ElementMatrix> matrix;
  device::GroundMesh view;

  std::size_t bytes() const {
    return boxes.bytes() + coefficients.bytes() + single.bytes() + row.bytes() +
           second.bytes() + of_pair.bytes() + matrix.bytes();
  }
};

struct DeviceFill::Parts {
  PackedTiles layout;
  GreensKernel kernel;
  PairLimit limit;
  DeviceStream stream;
  double k = 0;
  std::size_t count;
  DeviceBuffer<Element> elements;
  DeviceBuffer<BasisFunction> basis;
  DeviceBuffer<double> geometry, shapes;
  DeviceBuffer<std::uint32_t> run;  // straight_runs of the elements, for real ground
  DeviceBuffer<device::Side> sides;
  std::vector<DeviceNearPairs> near;  // of each source of the medium
  DeviceGround ground;

  // As Mesh has them.
  double* value() const { return shapes.data(); }
  double* derivative() const { return value() + device::shape_points * count; }

  device::Mesh mesh(Medium medium) const {
    if (k == 0 || static_cast<std::size_t>(medium.sources()) > near.size())
      throw Error(ErrorKind::device,
                  "fill on the GPU: set_wavenumber has not been called, or images were "
                  "not asked for.");
    device::Mesh mesh = {geometry.data(),
                         value(),
                         derivative(),
                         count,
                         sides.data(),
                         {},
                         k,
                         limit,
                         kernel == GreensKernel::exact,
                         medium,
                         ground.view};
    for (int s = 0; s < medium.sources(); ++s) mesh.near[s] = near[s].view();
    return mesh;
  }
  device::Mesh mesh_over_ground() const {
    if (ground.view.table.boxes == nullptr)
      throw Error(ErrorKind::device,
                  "fill on the GPU over real ground: set_ground has not been called.");
    return mesh(Medium::free_space());
  }
};

}  // namespace thinwire
