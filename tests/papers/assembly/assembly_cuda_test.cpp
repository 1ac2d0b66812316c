#include "papers/assembly/assembly.h"
#include "papers/assembly/block_product.h"
#include "papers/assembly/device_assembly.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/papers/assembly/body.h"

namespace thinwire {
namespace {

using namespace testing;

class AssemblyOnDevice : public OnDevice {
 protected:
  explicit AssemblyOnDevice(HexahedralMesh mesh = shuffled(shaken_cube(9)))
      : body_{std::move(mesh), steel_like},
        connectivity_(connect(body_.mesh)),
        twin_(zeros(connectivity_.pattern)) {
    assemble_rows(body_, connectivity_, 0, body_.mesh.nodes(), twin_);
  }

  /// Sums of a few terms, in this order or in another.
  void expect_twin(const std::vector<double>& value) const {
    ASSERT_EQ(value.size(), twin_.size());
    const double largest = *std::max_element(twin_.begin(), twin_.end());
    for (std::size_t i = 0; i < value.size(); ++i)
      ASSERT_NEAR(value[i], twin_[i], 1e-14 * largest) << i;
  }

  std::vector<double> rows(std::size_t first, std::size_t last) const {
    const auto& row_ptr = connectivity_.pattern.row_ptr;
    const DeviceAssembly assembly(body_, connectivity_);
    const DeviceStream stream;
    DeviceBuffer<double> value(9 * (row_ptr[last] - row_ptr[first]), "blocks");
    set_bytes(value.data(), poison, value.bytes(), stream);
    assembly.rows(first, last, value.data(), stream);
    std::vector<double> result(value.size());
    value.download(result, stream);
    return result;
  }

  std::vector<double> scattered(AssemblyMethod method, std::size_t colours) const {
    const Colouring colouring =
        colour_elements(body_.mesh, connectivity_.at_node, colours);
    const DeviceAssembly assembly(body_, connectivity_);
    DeviceScatter scatter(assembly, colouring, method);
    const DeviceStream stream;
    DeviceBuffer<double> value(twin_.size(), "blocks");
    value.clear(stream);
    scatter.add(0, colouring.colours() / 2, value.data(), stream);
    scatter.add(colouring.colours() / 2, colouring.colours(), value.data(), stream);
    std::vector<double> result(value.size());
    value.download(result, stream);
    return result;
  }

  ElasticBody body_;
  Connectivity connectivity_;
  std::vector<double> twin_;
};

TEST_F(AssemblyOnDevice, RowsAreTheTwins) {
  const std::vector<double> value = rows(0, body_.mesh.nodes());
  expect_twin(value);
  EXPECT_TRUE(is_symmetric(to_csr(connectivity_.pattern, value)));
  EXPECT_EQ(rows(0, body_.mesh.nodes()), value);
}

TEST_F(AssemblyOnDevice, SomeRowsAreThoseOfTheWhole) {
  const std::vector<double> whole = rows(0, body_.mesh.nodes()), some = rows(33, 770);
  const auto first =
      whole.begin() + static_cast<std::ptrdiff_t>(9 * connectivity_.pattern.row_ptr[33]);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), first));
}

TEST_F(AssemblyOnDevice, EveryScatterGivesTheSameMatrix) {
  for (const AssemblyMethod method :
       {AssemblyMethod::fused, AssemblyMethod::search_on_cpu, AssemblyMethod::split})
    for (const std::size_t colours : {8u, 100u}) {
      const std::vector<double> value = scattered(method, colours);
      expect_twin(value);
      EXPECT_EQ(scattered(method, colours), value);
    }
}

/// A wheel of slices around one edge: rows of many elements and many blocks.
HexahedralMesh wheel(std::size_t slices) {
  HexahedralMesh mesh;
  for (const double z : {0.0, 1.0}) {
    mesh.node.push_back({0, 0, z});
    for (std::size_t s = 0; s < 2 * slices; ++s) {
      const double turn = M_PI * static_cast<double>(s) / static_cast<double>(slices);
      mesh.node.push_back({std::cos(turn), std::sin(turn), z});
    }
  }
  const auto layer = static_cast<std::uint32_t>(2 * slices + 1);
  for (std::uint32_t s = 0; s < slices; ++s) {
    const std::uint32_t a = 1 + 2 * s, b = a + 1, c = s + 1 < slices ? a + 2 : 1;
    // Corners 0, 1, 2, 3 of a slice: axis, first, last, middle of its rim.
    mesh.element.push_back({0, a, c, b, layer, a + layer, c + layer, b + layer});
  }
  return mesh;
}

class WheelOnDevice : public AssemblyOnDevice {
 protected:
  WheelOnDevice() : AssemblyOnDevice(wheel(23)) {}
};

TEST_F(WheelOnDevice, RowsLongerThanAWarpAreTheTwins) {
  EXPECT_EQ(longest_row(connectivity_.pattern), 94u);
  expect_twin(rows(0, body_.mesh.nodes()));
  expect_twin(scattered(AssemblyMethod::fused, 1));
}

TEST_F(AssemblyOnDevice, HeldProductIsTheTwins) {
  const std::size_t nodes = body_.mesh.nodes();
  std::vector<char> held(nodes);
  for (std::size_t i = 0; i < nodes; i += 7) held[i] = 1;
  const BlockPattern& pattern = connectivity_.pattern;
  std::vector<double> value = twin_;
  hold_nodes(pattern, held, value);
  const std::vector<Complex> x = random_vector(3 * nodes, 4);
  std::vector<Complex> expected(3 * nodes), y(3 * nodes);
  multiply_blocks({nodes, pattern.row_ptr.data(), pattern.column.data(), value.data()}, x,
                  expected);

  const DeviceStream stream;
  const auto row_ptr = uploaded(pattern.row_ptr, "rows", stream);
  const auto column = uploaded(pattern.column, "columns", stream);
  const auto device_value = uploaded(twin_, "blocks", stream);
  const auto device_held = uploaded(held, "held nodes", stream);
  const auto device_x = uploaded(x, "x", stream);
  DeviceBuffer<Complex> device_y(y.size(), "y");
  set_bytes(device_y.data(), poison, device_y.bytes(), stream);
  const BlockMatrixView matrix = {nodes, row_ptr.data(), column.data(),
                                  device_value.data()};
  hold_nodes(matrix, device_held.data(), device_value.data(), stream);
  multiply_blocks(matrix, device_x.data(), device_y.data(), stream);
  device_y.download(y, stream);
  EXPECT_LT(relative_difference(y, expected), sum_tolerance(81));
}

}  // namespace
}  // namespace thinwire
