#include "mom/operators/fft_operator.h"

#include <limits>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/fill/matrix_entries.h"

namespace thinwire {

FftOperator::FftOperator(const FillInput& exact, const FftPlan& plan,
                         std::vector<MatrixUpdate> loads, const Monitor& monitor,
                         MakePreconditioner make_preconditioner, NearField near_field,
                         std::shared_ptr<const Order> given)
    : exact_(exact),
      make_preconditioner_(std::move(make_preconditioner)),
      plan_(plan),
      order_(std::move(given)),
      loads_(std::move(loads)) {
  if (!order_) {
    CurveOrder curve(exact.elements, exact.basis, plan.near_radius_m);
    EndTerms terms(curve.elements.size(), curve.basis);
    order_ = std::make_shared<const Order>(Order{std::move(curve), std::move(terms)});
  }
  if (exact.kernel != GreensKernel::exact)
    throw Error(ErrorKind::usage,
                "operator fft: --kernel reduced cannot be computed on a grid (its radius "
                "adds to distances of any direction). Use --kernel exact or "
                "--operator dense.");
  const double k = exact.k_rad_per_m;
  grid_ = std::make_unique<GridOperator>(
      GridInput{order().elements, k, exact.medium, plan.grid_class, plan.spacing_m,
                exact.ground, exact.surface, near_field == NearField::whole},
      monitor);
  monitor.report("fill", 0.1);
  if (grid_->reflection()) {
    const ElementPairs images = near_image_pairs(order().elements, *grid_, monitor);
    const bool any = !images.second.empty();
    // On the CPU the blocks of a preconditioner are read as well.
    if (exact.ground && (any || near_field == NearField::whole))
      near_ground_ = std::make_unique<NearGroundPairs>(order().elements, *exact.ground,
                                                       exact.kernel, monitor);
    if (any)
      reflected_ = near_reflections(exact_in_order(), *grid_, images, monitor.silent());
  }
  if (near_field == NearField::left_out) return;
  const auto pairs =
      near_element_pairs(order().elements, exact.medium, plan.near_radius_m, monitor);
  near_pairs_ = std::make_unique<NearPairTable>(
      order().elements, WavenumberRange{k, k, 1}, exact.kernel, exact.medium,
      std::numeric_limits<std::size_t>::max(), monitor.part(0.1, 0.2),
      plan.grid_class.pair_radii, plan.grid_class.pair_nats);
  monitor.report("fill", 0.2);
  near_pairs_->set_wavenumber(k, monitor.part(0.2, 0.4));
  monitor.report("fill", 0.4);
  near_ = near_matrix(exact_in_order(), *grid_, pairs, monitor.part(0.4, 1));
}

void FftOperator::apply(std::span<const Complex> x, std::span<Complex> y) const {
  const std::size_t n = size(), elements = order().elements.size();
  std::vector<Complex> in(n), out(n), current(2 * elements), field(2 * elements);
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < n; ++m) in[m] = x[order().function[m]];
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < elements; ++e)
    for (int end = 0; end < 2; ++end)
      for (const EndTerm& term : terms().of(e, end))
        current[2 * e + end] += term.sign * in[term.function];
  grid_->apply(current, field);
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < n; ++m) {
    const BasisFunction& f = order().basis[m];
    for (int t = 0; t < 2; ++t)
      out[m] += static_cast<double>(f.sign[t]) * field[2 * f.element[t] + f.end[t]];
  }
  add_product(near_.x, {0, 1}, in, out);
  add_product(near_.r, 1, in, out);
  if (!reflected_.x.value.empty()) {
    add_product(reflected_.x, {0, 1}, in, out);
    add_product(reflected_.r, 1, in, out);
  }
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < n; ++m) y[order().function[m]] = out[m];
  add_updates(loads_, x, y);
}

std::unique_ptr<Preconditioner> FftOperator::make_preconditioner(
    PreconditionerChoice choice, const Monitor& monitor) const {
  if (choice == PreconditionerChoice::none) return nullptr;
  return make_preconditioner_(choice, *this, entries(), monitor);
}

std::vector<std::uint32_t> FftOperator::places() const {
  std::vector<std::uint32_t> place(size());
  for (std::uint32_t m = 0; m < size(); ++m) place[order().function[m]] = m;
  return place;
}

EntryReader FftOperator::entries() const {
  return [this, place = places()](std::span<const std::uint32_t> rows,
                                  std::span<const std::uint32_t> columns,
                                  std::span<Complex> entries) {
    std::vector<std::uint32_t> places[2];
    for (const std::uint32_t row : rows) places[0].push_back(place[row]);
    for (const std::uint32_t column : columns) places[1].push_back(place[column]);
    read_entries(exact_in_order(), places[0], places[1], entries);
    add_updates(loads_, rows, columns, entries);
  };
}

FillInput FftOperator::exact_in_order() const {
  FillInput exact = exact_;
  exact.elements = order().elements;
  exact.basis = order().basis;
  exact.near = near_pairs_.get();
  exact.near_ground = near_ground_.get();
  return exact;
}

std::size_t FftOperator::bytes() const {
  return grid_->bytes() + near_.x.bytes() + near_.r.bytes() + reflected_.x.bytes() +
         reflected_.r.bytes();
}

}  // namespace thinwire
