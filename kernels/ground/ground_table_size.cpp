#include "kernels/ground/ground_table_size.h"

#include <algorithm>
#include <cmath>

#include "kernels/ground/ground_order.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {
namespace {

/// Cells that a box is cut into, for its widths over its octave: measured over soil, dry
/// ground, fresh water and the sea.
constexpr double cells_across = 8, cells_up = 12;

class SizeOfBoxes {
 public:
  SizeOfBoxes(Complex eps, const ReflectionPlaces& places)
      : places_(places), k2_(std::sqrt(eps)), steep_(std::sqrt(eps - 1.0).real()) {}

  GroundTableSize size() {
    for (std::int32_t root = 0; root < 3 * places_.octaves(); ++root)
      add(root, places_.box(root));
    return size_;
  }

 private:
  /// Cut as the table's boxes are where the wave in the ground lives; there fits ask for
  /// more than is told without looking.
  void add(std::int32_t root, const ReflectionRange& part) {
    const std::optional<ReflectionRange> used = places_.in_use(root, part);
    if (!used) return;
    const double past = std::max(-k2_.imag() * used->rho_0, steep_ * used->zeta_0),
                 phase = (k2_.real() - 1) * (used->rho_1 - used->rho_0),
                 nats = steep_ * (used->zeta_1 - used->zeta_0);
    if (past < GroundWaves::dead_nats && phase > 4.5 + 0.6 * past) {
      ReflectionRange lower = *used, upper = *used;
      if (nats > 6)
        lower.zeta_1 = upper.zeta_0 = 0.5 * (used->zeta_0 + used->zeta_1);
      else
        lower.rho_1 = upper.rho_0 = 0.5 * (used->rho_0 + used->rho_1);
      add(root, lower);
      add(root, upper);
      return;
    }
    ++size_.boxes;
    const ReflectionRange whole = places_.box(root);
    const double waves = 3 * phase * std::exp(-0.2 * past);
    size_.cells += cells(std::max(waves, cells_across * (used->rho_1 - used->rho_0) /
                                             (whole.rho_1 - whole.rho_0))) *
                   cells(std::max(past < 2 ? std::min(1.5 * nats, 8.0) : 0.0,
                                  cells_up * (used->zeta_1 - used->zeta_0) /
                                      (whole.zeta_1 - whole.zeta_0)));
  }

  /// The nearest power of two.
  static std::size_t cells(double wanted) {
    return std::size_t{1} << std::lround(std::log2(std::clamp(wanted, 1.0, 32.0)));
  }

  const ReflectionPlaces& places_;
  Complex k2_;
  double steep_;
  GroundTableSize size_;
};

}  // namespace

std::size_t GroundTableSize::bytes() const {
  return cells * (8 * GroundTableView::terms * sizeof(double)) +
         2 * boxes * sizeof(GroundTableView::Box);
}

GroundTableSize ground_table_size(Complex eps, const ReflectionPlaces& places) {
  return SizeOfBoxes(eps, places).size();
}

}  // namespace thinwire
