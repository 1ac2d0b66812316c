#include "mom/loads/loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/element/internal_impedance.h"
#include "mom/loads/sheaths.h"
#include "mom/media/medium.h"
#include "mom/problem/lumped_impedance.h"

namespace thinwire {
namespace {

/// Impedances of Z are 10 to 1e4 ohm as a rule: with a load of 1e14 ohm on a dipole the
/// reciprocal condition falls below 1e-12, from 1e16 ohm on the residual misses 1e-6.
constexpr double largest_load_ohm = 1e12;

/// Voltage of the wire below a sheath e times as thick, beyond that without it, for each
/// ampere per metre that flows off, ohm m. outside: relative permittivity of what is
/// around the sheath.
Complex sheath_elastance(const double value[3], double omega, Complex outside) {
  const Complex eps(value[0], -value[1] / (omega * eps0_f_per_m));
  return Complex(0, 1) * (1.0 / outside - 1.0 / eps) / (2 * pi * omega * eps0_f_per_m);
}

/// Integrals of two shape functions over an element of length L, the same for both ends
/// and mixed: of u_i u_j, m, and of u_i' u_j', 1/m.
struct Overlap {
  double same, mixed;
};

Overlap shape_overlap(double k, double length) {
  const double x = k * length;
  if (x < 0.05) {
    // Series of the closed forms below, which cancel here; the next terms are below
    // 2e-11.
    const double x2 = x * x;
    return {length * (1.0 / 3 + x2 * (2.0 / 45 + x2 * 2 / 315)),
            length * (1.0 / 6 + x2 * (7.0 / 180 + x2 * 31 / 5040))};
  }
  const double s = std::sin(x), c = std::cos(x);
  return {(x - s * c) / (2 * k * s * s), (s - x * c) / (2 * k * s * s)};
}

Overlap derivative_overlap(double k, double length) {
  const double x = k * length, s = std::sin(x), c = std::cos(x);
  return {k * (x + s * c) / (2 * s * s), -k * (s + x * c) / (2 * s * s)};
}

/// Adds entries that are ordered by row and column to others, and orders these.
std::vector<MatrixUpdate> ordered_sum(std::vector<MatrixUpdate> sum,
                                      const std::vector<MatrixUpdate>& ordered) {
  const auto place = [](const MatrixUpdate& u) { return std::pair(u.row, u.column); };
  const auto before = [&](const MatrixUpdate& x, const MatrixUpdate& y) {
    return place(x) < place(y);
  };
  std::stable_sort(sum.begin(), sum.end(), before);
  const auto middle = static_cast<std::ptrdiff_t>(sum.size());
  sum.insert(sum.end(), ordered.begin(), ordered.end());
  std::inplace_merge(sum.begin(), sum.begin() + middle, sum.end(), before);
  std::size_t count = 0;
  for (const MatrixUpdate& u : sum)
    if (count > 0 && place(sum[count - 1]) == place(u))
      sum[count - 1].value += u.value;
    else
      sum[count++] = u;
  sum.resize(count);
  return sum;
}

}  // namespace

std::vector<WireMaterial> wire_materials(const Discretization& discretization,
                                         std::span<const Load> loads) {
  std::vector<WireMaterial> materials;
  const WireMesh& mesh = discretization.mesh();
  for (const Load& load : loads) {
    if (load.kind != Load::Kind::conductivity && load.kind != Load::Kind::insulation)
      continue;
    materials.resize(discretization.elements().size());
    for (std::size_t named = load.first; named <= load.last; ++named) {
      const std::size_t s = mesh.original(named);
      for (std::size_t e = mesh.first_element(s); e < mesh.first_element(s + 1); ++e) {
        WireMaterial& m = materials[e];
        if (load.kind == Load::Kind::conductivity) {
          m.conductivity_s_per_m = load.value[0];
          m.relative_permeability = load.value[1] == 0 ? 1 : load.value[1];
        } else {
          m.sheath_permittivity = load.value[0];
          m.sheath_radius_m = load.value[2];
        }
      }
    }
  }
  return materials;
}

LoadModel::LoadModel(const Discretization& discretization, std::span<const Load> loads,
                     double frequency_hz, const Ground& ground)
    : discretization_(discretization),
      frequency_hz_(frequency_hz),
      k_rad_per_m_(wavenumber_rad_per_m(frequency_hz)),
      proximity_(discretization.proximity(medium_of(ground),
                                          wire_materials(discretization, loads))) {
  if (proximity_ && proximity_->has_losses())
    lossy_ = proximity_->updates_of_currents(k_rad_per_m_);
  const double omega = 2 * pi * frequency_hz;
  const auto around = [&](const Element& e) {
    return ground.takes_wires() && is_below(e) ? ground.permittivity(k_rad_per_m_) : 1.0;
  };
  const WireMesh& mesh = discretization.mesh();
  std::vector<Sheath> sheaths;
  const auto loads_too = [&](const Load& load, std::size_t s) {
    return std::any_of(loads.begin(), loads.end(), [&](const Load& other) {
      return other.first <= s && s <= other.last && load.does_the_same(other);
    });
  };
  for (const Load& load : loads)
    for (std::size_t named = load.first; named <= load.last; ++named) {
      // Both of two segments in one place have a load together.
      const std::size_t s = mesh.original(named);
      if (s != named && loads_too(load, s)) continue;
      const Segment& segment = discretization.structure().segments()[s];
      Complex z;
      const bool per_metre = !load.is_lumped();
      // Loads per metre: what the card gives, times the length of the segment, as in
      // NEC-2. So a series capacitance depends on how many segments there are.
      const double length = norm(segment.end_m - segment.start_m);
      const double of_segment[] = {length * load.value[0], length * load.value[1],
                                   length * load.value[2]};
      switch (load.kind) {
        case Load::Kind::series_rlc_per_metre:
          z = lumped_impedance(Load::Kind::series_rlc, of_segment, omega) / length;
          break;
        case Load::Kind::parallel_rlc_per_metre:
          z = lumped_impedance(Load::Kind::parallel_rlc, of_segment, omega) / length;
          break;
        case Load::Kind::conductivity:
          z = internal_impedance_ohm_per_m(frequency_hz, segment.radius_m, load.value[0],
                                           load.value[1] == 0 ? 1.0 : load.value[1]);
          break;
        case Load::Kind::insulation:
          break;
        default:
          z = lumped_impedance(load.kind, load.value, omega);
      }
      if (!std::isfinite(z.real()) || !std::isfinite(z.imag()))
        throw Error(
            ErrorKind::numeric,
            fmt::format(
                "{}: load on tag {} segment {}: its impedance is not finite at {:g} MHz. "
                "Check the values of its LD card.",
                discretization.structure().origin(s, load.line), segment.tag,
                discretization.structure().within_tag(s), frequency_hz * 1e-6));
      if (per_metre) {
        for (std::size_t e = mesh.first_element(s); e < mesh.first_element(s + 1); ++e) {
          Complex elastance_ohm_m = 0;
          if (load.kind == Load::Kind::insulation) {
            sheaths.push_back({static_cast<std::uint32_t>(e), load.value[2],
                               sheath_elastance(load.value, omega,
                                                around(discretization.elements()[e]))});
            elastance_ohm_m = sheaths.back().elastance_ohm_m *
                              std::log(load.value[2] / segment.radius_m);
          }
          distributed_.push_back({e, z, elastance_ohm_m});
        }
      } else {
        lumped_.push_back({s, discretization.gap_current(s, load.gap, k_rad_per_m_), z});
      }
    }
  sheaths_ = spread_sheaths(discretization, sheaths, k_rad_per_m_);
}

void LoadModel::add_to(ImpedanceMatrix& z) const {
  for (const MatrixUpdate& u : updates()) z.add(u.row, u.column, u.value);
}

std::vector<MatrixUpdate> LoadModel::updates(bool of_charges) const {
  std::vector<MatrixUpdate> list;
  if (of_charges) list = sheaths_;
  const auto add = [&list](const BasisWeight& m, const BasisWeight& n, Complex value) {
    if (n.function <= m.function)
      list.push_back({static_cast<std::uint32_t>(m.function),
                      static_cast<std::uint32_t>(n.function), value});
  };
  for (const Lumped& load : lumped_)
    for (const BasisWeight& m : load.current)
      for (const BasisWeight& n : load.current)
        add(m, n, load.impedance_ohm * m.weight * n.weight);
  for (const Distributed& load : distributed_) {
    const double length = discretization_.elements()[load.element].length_m;
    const Overlap current = shape_overlap(k_rad_per_m_, length),
                  derivative = derivative_overlap(k_rad_per_m_, length);
    const Complex elastance_ohm_m = of_charges ? load.elastance_ohm_m : 0;
    const Complex same = load.impedance_ohm_per_m * current.same +
                         elastance_ohm_m * derivative.same,
                  mixed = load.impedance_ohm_per_m * current.mixed +
                          elastance_ohm_m * derivative.mixed;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (const BasisWeight& m : discretization_.basis().at(load.element, i))
          for (const BasisWeight& n : discretization_.basis().at(load.element, j))
            add(m, n, m.weight * n.weight * (i == j ? same : mixed));
  }
  std::vector<MatrixUpdate> close;
  if (proximity_)
    close = of_charges ? proximity_->updates(k_rad_per_m_)
                       : proximity_->updates_of_currents(k_rad_per_m_);
  return ordered_sum(std::move(list), close);
}

std::string LoadModel::too_large() const {
  const auto tell = [this](std::size_t segment, Complex z) {
    return fmt::format(
        "load on tag {} segment {} is {:.2g} ohm at {:g} MHz, as good as an open end: "
        "results lose digits beside it. Use at most {:g} ohm, or leave the segment out",
        discretization_.structure().segments()[segment].tag,
        discretization_.structure().within_tag(segment), std::abs(z),
        frequency_hz_ * 1e-6, 1e-3 * largest_load_ohm);
  };
  for (const Lumped& load : lumped_)
    if (std::abs(load.impedance_ohm) > largest_load_ohm)
      return tell(load.segment, load.impedance_ohm);
  for (const Distributed& load : distributed_) {
    const Complex z =
        load.impedance_ohm_per_m * discretization_.elements()[load.element].length_m;
    if (std::abs(z) > largest_load_ohm)
      return tell(discretization_.mesh().elements()[load.element].segment, z);
  }
  return "";
}

double LoadModel::loss_power_w(std::span<const Complex> coefficients) const {
  double power = 0;
  for (const Lumped& load : lumped_) {
    Complex current = 0;
    for (const BasisWeight& w : load.current)
      current += w.weight * coefficients[w.function];
    power += 0.5 * load.impedance_ohm.real() * std::norm(current);
  }
  for (const Distributed& load : distributed_) {
    const double length = discretization_.elements()[load.element].length_m;
    const Complex a = discretization_.basis().end_current(coefficients, load.element, 0);
    const Complex b = discretization_.basis().end_current(coefficients, load.element, 1);
    const auto squares = [&](const Overlap& overlap) {
      return overlap.same * (std::norm(a) + std::norm(b)) +
             2 * overlap.mixed * (a * std::conj(b)).real();
    };
    power +=
        0.5 *
        (load.impedance_ohm_per_m.real() * squares(shape_overlap(k_rad_per_m_, length)) +
         load.elastance_ohm_m.real() * squares(derivative_overlap(k_rad_per_m_, length)));
  }
  for (const std::vector<MatrixUpdate>* updates : {&lossy_, &sheaths_})
    for (const MatrixUpdate& u : *updates)
      power += (u.row == u.column ? 0.5 : 1.0) * u.value.real() *
               (coefficients[u.row] * std::conj(coefficients[u.column])).real();
  return power;
}

}  // namespace thinwire
