#include "kernels/ground/box_fitter.h"

#include <deque>

#include "kernels/ground/buried_kernels.h"

namespace thinwire {
namespace {

class CpuBoxFitter final : public BoxFitter {
 public:
  CpuBoxFitter(Complex eps, GroundSide side) : eps_(eps), beside_image_(eps, side) {}

  std::vector<LeftOut> fit(std::span<const ReflectionRange> boxes) override {
    const std::size_t first = grids_.size(), count = boxes.size();
    grids_.resize(first + count);
    std::vector<LeftOut> left(count);
    // The largest boxes first: their paths are longest.
#pragma omp parallel for schedule(dynamic)
    for (std::size_t behind = 0; behind < count; ++behind) {
      const std::size_t box = count - 1 - behind;
      BoxGrid& grid = grids_[first + box];
      fit(boxes[box], grid);
      for (int n = 0; n < 8; n += 2) {
        const LeftOut tail = highest_degrees([&](int i, int j) {
          return grid[i][j][n] * grid[i][j][n] + grid[i][j][n + 1] * grid[i][j][n + 1];
        });
        left[box] = {std::max(left[box].rho, tail.rho),
                     std::max(left[box].zeta, tail.zeta)};
      }
    }
    return left;
  }

  std::vector<CellCounts> cut(std::span<const std::uint32_t> boxes,
                              double tolerance) override {
    cells_.resize(boxes.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < boxes.size(); ++b)
      cells_[b] = cut_into_cells(grids_[boxes[b]], tolerance);
    std::vector<CellCounts> counts;
    for (const BoxCells& cells : cells_)
      counts.push_back({static_cast<std::uint8_t>(cells.rho_cells),
                        static_cast<std::uint8_t>(cells.zeta_cells)});
    return counts;
  }

  void write(std::span<double> coefficients) override {
    double* to = coefficients.data();
    const HdComplex of_charges = beside_image_.of_charges();
    for (BoxCells& cells : cells_) {
      for (std::size_t n = 0; n < cells.coefficients.size(); n += 8) {
        double* phi = cells.coefficients.data() + n + 2;
        const HdComplex scaled = of_charges * HdComplex{phi[0], phi[1]};
        phi[0] = scaled.re;
        phi[1] = scaled.im;
      }
      to = std::copy(cells.coefficients.begin(), cells.coefficients.end(), to);
    }
  }

 private:
  void fit(const ReflectionRange& range, BoxGrid& coefficients) const {
    std::array<double, box_nodes> rho, zeta;
    const auto& rule = ChebyshevRule<box_nodes>::get();
    for (int a = 0; a < box_nodes; ++a) {
      rho[a] = box_node(rule, a, range.rho_0, range.rho_1);
      zeta[a] = box_node(rule, a, range.zeta_0, range.zeta_1);
    }
    std::array<ReflectedKernels, box_nodes * box_nodes> kernels;
    (beside_image_.side == GroundSide::above
         ? reflected_kernels_grid
         : below_kernels_grid)(eps_, range, rho, zeta, kernels);
    BoxGrid values;
    for (int a = 0; a < box_nodes; ++a)
      for (int b = 0; b < box_nodes; ++b) {
        HdComplex rest[4];
        beside_image_.over_g(rho[a], zeta[b], kernels[a * box_nodes + b], rest);
        for (int n = 0; n < 4; ++n) {
          values[a][b][2 * n] = rest[n].re;
          values[a][b][2 * n + 1] = rest[n].im;
        }
      }
    box_coefficients(values, coefficients);
  }

  Complex eps_;
  BesideImage beside_image_;
  std::deque<BoxGrid> grids_;  // of all boxes
  std::vector<BoxCells> cells_;
};

}  // namespace

std::unique_ptr<BoxFitter> cpu_box_fitter(Complex eps, GroundSide side) {
  return std::make_unique<CpuBoxFitter>(eps, side);
}

}  // namespace thinwire
