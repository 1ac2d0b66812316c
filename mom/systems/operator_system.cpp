#include "mom/systems/operator_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <omp.h>

#include "cg/krylov/iteration.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/matrix_entries.h"
#include "kernels/matrix/packed_tiles.h"
#include "mom/operators/toeplitz_preconditioner.h"
#include "mom/systems/entry_preconditioner.h"

namespace thinwire {
namespace {

/// Rows of Z that operator_error() takes: enough of the many unknowns' for the first
/// number of entries, of few unknowns' for the second, within the limits.
constexpr std::size_t max_sampled_rows = 32, min_sampled_rows = 8,
                      sampled_entries = std::size_t{1} << 21,
                      few_entries = std::size_t{1} << 16;

/// v^T I below this fraction of the sum of its terms' moduli counts as cancelled.
constexpr double min_sum_of_terms = 0.5;

std::size_t sampled_count(std::size_t n) {
  return std::min(
      n, std::max(few_entries / n,
                  std::clamp(sampled_entries / n, min_sampled_rows, max_sampled_rows)));
}

/// Returns the standard error of a systematic sample's sum, from differences of
/// neighbours (Wolter 1984).
double standard_error(std::span<const Complex> terms) {
  if (terms.empty()) return 0;
  if (terms.size() == 1) return std::abs(terms[0]);
  double sum = 0;
  for (std::size_t i = 1; i < terms.size(); ++i)
    sum += std::norm(terms[i] - terms[i - 1]);
  const auto count = static_cast<double>(terms.size());
  return std::sqrt(0.5 * sum * count / (count - 1));
}

/// Calls body(columns) for columns begin .. end - 1, tile by tile, on all threads.
template <class Body>
void for_column_tiles(std::size_t begin, std::size_t end, const Body& body) {
  constexpr std::size_t tile = PackedTiles::tile;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t first = begin; first < end; first += tile) {
    std::vector<std::uint32_t> columns(std::min(tile, end - first));
    std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(first));
    body(columns);
  }
}

}  // namespace

std::unique_ptr<FftOperator> make_fft_operator(
    const SystemInput& input, const FillInput& exact,
    const std::vector<MatrixUpdate>& loads, SchwarzLevels levels, const Monitor& monitor,
    FftOperator::NearField near_field, const FftOperator* earlier) {
  const Complex eps = ground_eps_of(exact);
  const bool planned =
      input.grid &&
      input.grid->serves(exact.elements.size(), exact.k_rad_per_m, exact.medium, eps);
  const FftPlan plan = planned ? *input.grid
                               : plan_fft({exact.elements, exact.basis, exact.k_rad_per_m,
                                           exact.medium, input.options.operator_tolerance,
                                           static_cast<double>(host_memory().free), eps,
                                           input.grid ? input.grid->rates : GridRates()});
  const bool same_order = earlier && earlier->plan().near_radius_m == plan.near_radius_m;
  return std::make_unique<FftOperator>(
      exact, plan, loads, monitor,
      [&discretization = input.discretization, levels, exact, loads](
          PreconditionerChoice choice, const LinearOperator& z, const EntryReader& read,
          const Monitor& of_making) {
        if (choice != PreconditionerChoice::overlap)
          return preconditioner_from_entries(discretization, choice, exact, loads, read);
        return make_schwarz(
            {discretization, exact.k_rad_per_m, exact.medium, loads, read, z}, levels,
            of_making);
      },
      near_field, same_order ? earlier->shared_order() : nullptr);
}

std::unique_ptr<Operator> make_operator(const SystemInput& input, const FillInput& exact,
                                        const std::vector<MatrixUpdate>& loads,
                                        SchwarzLevels levels, const Monitor& monitor) {
  if (input.operator_choice == OperatorChoice::fft)
    return make_fft_operator(input, exact, loads, levels, monitor);
  return std::make_unique<ToeplitzOperator>(
      LatticeBasis(input.discretization, *input.discretization.lattice()),
      ToeplitzInput::of(exact), loads, monitor);
}

void OperatorSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                          const Monitor& monitor) {
  operator_.reset();
  take(parameters, monitor);
  operator_ = make_operator(input_, exact_, loads_, plan.levels(), monitor);
}

void OperatorSystem::make_preconditioner(const Monitor& monitor) {
  preconditioner_ = operator_->make_preconditioner(method_.preconditioner, monitor);
}

std::vector<SolveResult> OperatorSystem::iterate(std::span<const Complex> v,
                                                 std::span<Complex> current,
                                                 const SolverControl& control) {
  return solve_rhs(method_.solver, *operator_, preconditioner_.get(), v, current,
                   control_for(method_, control));
}

void MatrixFreeSystem::take(const FillParameters& parameters, const Monitor& monitor) {
  exact_ = {input_.discretization.elements(), input_.discretization.basis().functions(),
            parameters.k_rad_per_m,           input_.options.kernel,
            medium_of(parameters.ground),     nullptr};
  ground_.put_in(exact_, parameters.ground, monitor);
  loads_ = parameters.loads.updates();
  solved_ = 0;
  if (!parameters.only_frequency_differs) previous_ = {};
  // A lattice's preconditioner is made at once.
  reuses_ = parameters.only_frequency_differs && preconditioner() != nullptr &&
            input_.operator_choice == OperatorChoice::fft &&
            reuse_.serves(exact_.k_rad_per_m);
  if (!reuses_) drop_preconditioner();
}

void MatrixFreeSystem::drop_preconditioner() {
  reset_preconditioner();
  reuses_ = false;
}

void MatrixFreeSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  if (reuses_)
    preconditioner()->set_operator(z());
  else
    renew_preconditioner(monitor);
}

void MatrixFreeSystem::renew_preconditioner(const Monitor& monitor) {
  drop_preconditioner();
  make_preconditioner(monitor);
  reuse_.made(exact_.k_rad_per_m);
}

std::vector<SolveResult> MatrixFreeSystem::solve(std::span<const Complex> v,
                                                 std::span<Complex> current,
                                                 const SolverControl& control) {
  const double k = exact_.k_rad_per_m,
               rounding = std::max(0.1 * control.tolerance, 1e-12);
  const std::size_t n = z().size(), together = max_rhs_count * n, first_group = solved_;
  std::fill(current.begin(), current.end(), 0.0);
  // Kept solutions, and their products once they are combined.
  const bool keeps =
      input_.wavenumbers.count > 1 &&
      (2 * PreviousSolutions::capacity + 1) * v.size_bytes() < host_memory().free / 4;
  const auto for_groups = [&](const auto& work) {
    solved_ = first_group;
    for (std::size_t first = 0; keeps && first < v.size() && solved_ < previous_.size();
         first += together)
      work(previous_[solved_++], first, std::min(together, v.size() - first));
  };
  // A quarter of the products of a solve from nothing at most.
  const double products = (method_.coarse ? 2 : 1) * reuse_.whole_solve() / 4;
  for_groups(
      [&](const PreviousSolutions& previous, std::size_t first, std::size_t length) {
        previous.combine(z(), v.subspan(first, length), k,
                         static_cast<std::size_t>(products) * (length / n), rounding,
                         current.subspan(first, length));
      });
  SolverControl limits = control;
  if (reuses_) limits.max_iterations = reuse_.max_iterations(control);
  std::vector<SolveResult> results = iterate(v, current, limits);
  if (reuses_ && limits.max_iterations != control.max_iterations &&
      std::ranges::any_of(results, [](const SolveResult& result) {
        return result.status != SolveStatus::converged;
      }))
    iterate_anew(v, current, control, results);
  else
    reuse_.solved(results, control.tolerance, k);
  for_groups([&](PreviousSolutions& previous, std::size_t first, std::size_t length) {
    previous.keep(current.subspan(first, length), k);
  });
  return results;
}

/// Continues a solve that an earlier frequency's preconditioner does not end, with a new
/// one.
void MatrixFreeSystem::iterate_anew(std::span<const Complex> v,
                                    std::span<Complex> current, SolverControl control,
                                    std::vector<SolveResult>& results) {
  reuse_.failed(exact_.k_rad_per_m);
  renew_preconditioner(control.monitor.silent());
  if (control.max_iterations > 0)
    control.max_iterations -=
        std::ranges::max(results, {}, &SolveResult::iterations).iterations;
  std::vector<SolveResult> rest = iterate(v, current, control);
  reuse_.solved(rest, control.tolerance, exact_.k_rad_per_m);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    SolveResult& before = results[i];
    rest[i].iterations += before.iterations;
    before.residual_history.pop_back();
    std::vector<double>& history = rest[i].residual_history;
    history.insert(history.begin(), before.residual_history.begin(),
                   before.residual_history.end());
  }
  results = std::move(rest);
}

std::optional<OperatorError> MatrixFreeSystem::operator_error(
    std::span<const Complex> v, std::span<const Complex> current) const {
  std::vector<Complex> product(current.size()), of_rows;
  z().apply(current, product);
  const RowSample sample = sampled_rows(current);
  for (const std::uint32_t row : sample.rows) of_rows.push_back(product[row]);
  return thinwire::operator_error(exact_rows(sample.rows, current), loads_, sample,
                                  of_rows, v, current);
}

std::vector<Complex> MatrixFreeSystem::exact_rows(
    std::span<const std::uint32_t> rows, std::span<const Complex> current) const {
  return thinwire::exact_rows(exact_, rows, current);
}

void MatrixFreeSystem::gather_rows(const TakeRows& take) const {
  rows_from_entries(exact_, loads_, take);
}

RowSample sampled_rows(std::span<const Complex> current) {
  const std::size_t n = current.size();
  LargeVector<double> size(n);
  for_each_cheap(n, [&](std::size_t i) { size[i] = std::sqrt(std::norm(current[i])); });
  double rest = std::accumulate(size.begin(), size.end(), 0.0);
  RowSample sample;
  if (!(rest > 0) || !std::isfinite(rest)) return sample;
  const std::size_t count = sampled_count(n);
  std::vector<std::uint32_t> largest(n);
  std::iota(largest.begin(), largest.end(), 0u);
  const auto first_drawn = largest.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(largest.begin(), first_drawn, largest.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  // Always taken are those that steps of `rest / (count - always)` cannot miss.
  std::vector<char> taken(n);
  std::size_t always = 0;
  for (; always < count; ++always) {
    const double next = size[largest[always]];
    if (next * static_cast<double>(count - always) < rest && count < n) break;
    taken[largest[always]] = 1;
    rest -= next;
  }
  const double step =
      rest / static_cast<double>(std::max<std::size_t>(1, count - always));
  std::mt19937_64 random(n);
  double next = step * std::uniform_real_distribution<>()(random), sum = 0;
  for (std::uint32_t row = 0; row < n; ++row) {
    double weight = 1;
    if (!taken[row]) {
      sum += size[row];
      if (always == count || !(sum > next)) continue;
      next += step;
      weight = step / size[row];
    }
    sample.rows.push_back(row);
    sample.weight.push_back(weight);
  }
  return sample;
}

std::vector<Complex> exact_rows(const FillInput& exact,
                                std::span<const std::uint32_t> rows,
                                std::span<const Complex> current) {
  // The columns are the currents at the ends of elements, not the functions: a row meets
  // each element once.
  const std::size_t ends = 2 * exact.elements.size(),
                    tiles = (ends + PackedTiles::tile - 1) / PackedTiles::tile;
  LargeVector<Complex> end_current(ends, 0.0);
  for (std::size_t m = 0; m < current.size(); ++m)
    for (int t = 0; t < 2; ++t) {
      const BasisFunction& f = exact.basis[m];
      end_current[2 * std::size_t{f.element[t]} + f.end[t]] +=
          static_cast<double>(f.sign[t]) * current[m];
    }
  LargeVector<BasisFunction> basis(ends + rows.size());
  for_each_cheap(ends, [&](std::size_t i) {
    const auto element = static_cast<std::uint32_t>(i / 2);
    basis[i] = {{element, element}, {static_cast<std::uint8_t>(i % 2), 0}, {1, 0}};
  });
  std::vector<std::uint32_t> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places[i] = static_cast<std::uint32_t>(ends + i);
    basis[places[i]] = exact.basis[rows[i]];
  }
  FillInput by_ends = exact;
  by_ends.basis = basis;
  // Sums of the tiles apart: their order does not depend on the threads.
  std::vector<Complex> sums(tiles * rows.size());
  for_column_tiles(0, ends, [&](std::span<const std::uint32_t> columns) {
    std::vector<Complex> entries(rows.size() * columns.size());
    read_entries(by_ends, places, columns, entries);
    Complex* sum = sums.data() + columns.front() / PackedTiles::tile * rows.size();
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        sum[i] += entries[i + j * rows.size()] * end_current[columns[j]];
  });
  std::vector<Complex> products(rows.size());
  for (std::size_t t = 0; t < tiles; ++t)
    for (std::size_t i = 0; i < rows.size(); ++i)
      products[i] += sums[t * rows.size() + i];
  return products;
}

std::vector<std::uint32_t> functions_near(const FillInput& exact,
                                          std::span<const std::uint32_t> rows) {
  struct Reach {
    Vec3 centre_m;
    double reach_m;
  };
  const auto reach_m = [limit = exact.limit()](const Element& e) {
    constexpr double some_more = 1.01;
    return some_more * near_reach(e.length_m, e.radius_m, limit);
  };
  // Images in a real ground are sources, too.
  const Medium medium = exact.ground ? Medium::perfect_ground() : exact.medium;
  std::vector<Reach> sources;
  for (const std::uint32_t row : rows)
    for (int t = 0; t < 2; ++t)
      if (const BasisFunction& f = exact.basis[row]; f.sign[t] != 0)
        for (int s = 0; s < medium.sources(); ++s) {
          const Element e = medium.source(exact.elements[f.element[t]], s);
          sources.push_back({centre_of(e), reach_m(e)});
        }
  LargeVector<char> near(exact.elements.size());
  for_each_cheap(near.size(), [&](std::size_t e) {
    const Vec3 centre = centre_of(exact.elements[e]);
    const double reach = reach_m(exact.elements[e]);
    near[e] = std::ranges::any_of(sources, [&](const Reach& source) {
      return !(norm(source.centre_m - centre) > source.reach_m + reach);
    });
  });
  std::vector<std::uint32_t> functions;
  for (std::uint32_t m = 0; m < exact.basis.size(); ++m) {
    const BasisFunction& f = exact.basis[m];
    if (near[f.element[0]] || (f.sign[1] != 0 && near[f.element[1]]))
      functions.push_back(m);
  }
  return functions;
}

OperatorError operator_error(std::span<const Complex> exact_rows,
                             std::span<const MatrixUpdate> loads, const RowSample& sample,
                             std::span<const Complex> product, std::span<const Complex> v,
                             std::span<const Complex> current) {
  const std::vector<std::uint32_t>& rows = sample.rows;
  std::vector<Complex> difference(product.begin(), product.end());
  for (std::size_t i = 0; i < rows.size(); ++i) difference[i] -= exact_rows[i];
  const auto subtract = [&](std::uint32_t row, std::uint32_t column, Complex value) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), row);
    if (at != rows.end() && *at == row)
      difference[at - rows.begin()] -= value * current[column];
  };
  for (const MatrixUpdate& load : loads) {
    subtract(load.row, load.column, load.value);
    if (load.row != load.column) subtract(load.column, load.row, load.value);
  }
  Complex power = 0;
  double size = 0;
  for (std::size_t r = 0; r < current.size(); ++r) {
    if (v[r] == 0.0) continue;
    power += v[r] * current[r];
    size += std::abs(v[r] * current[r]);
  }
  if (size == 0) return {0, 0};
  const bool cancels = std::abs(power) < min_sum_of_terms * size;
  Complex sum = 0;
  std::vector<Complex> drawn;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Complex adjoint = cancels ? std::conj(current[rows[i]]) : current[rows[i]],
                  term = sample.weight[i] * adjoint * difference[i];
    sum += term;
    if (sample.weight[i] > 1) drawn.push_back(term);
  }
  return {std::abs(sum) / size, standard_error(drawn) / size};
}

void rows_from_entries(const FillInput& exact, std::span<const MatrixUpdate> loads,
                       const TakeRows& take) {
  const std::size_t n = exact.basis.size(),
                    together = static_cast<std::size_t>(omp_get_max_threads()) *
                               PackedTiles::tile;
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t first = 0; first < n; first += together) {
    // Columns, which are rows of a symmetric matrix.
    const std::size_t last = std::min(n, first + together);
    std::vector<Complex> rows((last - first) * n);
    for_column_tiles(first, last, [&](std::span<const std::uint32_t> columns) {
      read_entries(
          exact, all, columns,
          std::span(rows).subspan((columns.front() - first) * n, columns.size() * n));
    });
    const auto add = [&](std::uint32_t row, std::uint32_t column, Complex value) {
      if (row >= first && row < last) rows[(row - first) * n + column] += value;
    };
    for (const MatrixUpdate& load : loads) {
      add(load.row, load.column, load.value);
      if (load.row != load.column) add(load.column, load.row, load.value);
    }
    take(n, first, rows);
  }
}

}  // namespace thinwire
