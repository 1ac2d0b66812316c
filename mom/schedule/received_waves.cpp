#include "mom/schedule/received_waves.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cg/many_rhs.h"
#include "kernels/base/stopwatch.h"
#include "mom/schedule/tasks.h"

namespace thinwire {
namespace {

/// Residuals of a ring's samples add up to so many in an interpolated wave.
constexpr double room_for_interpolation = 4;

/// Waves that are interpolated at a time.
constexpr std::size_t interpolated_at_once = 64;

double* doubles(Complex* x) {
  return reinterpret_cast<double*>(x);
}

Options with_room(Options options, bool interpolates) {
  if (interpolates) options.tolerance /= room_for_interpolation;
  return options;
}

/// Returns every `step`-th number below `count`, from `first` on.
std::vector<std::size_t> strided(std::size_t first, std::size_t count, std::size_t step) {
  std::vector<std::size_t> some;
  for (std::size_t i = first; i < count; i += step) some.push_back(i);
  return some;
}

}  // namespace

ReceivedWaves::ReceivedWaves(const IncidentWaves& waves, const IncidentField& field,
                             const Discretization& discretization, double k_rad_per_m,
                             const WaveRecords& records, CurrentSolver& solver,
                             const Options& options, double& solve_s)
    : waves_(waves),
      records_(records),
      currents_(solver),
      options_(options),
      solve_s_(solve_s),
      at_once_(waves_at_once(waves.count(),
                             std::max(discretization.unknowns(), records.size()))),
      rings_(
          field, waves, discretization, k_rad_per_m,
          solver.takes_any_rhs() && waves.count() >= min_waves_for_span ? at_once_ : 0),
      sample_options_(with_room(options, rings_.sample_count() > 0)),
      solver_(field, solver, sample_options_, discretization.unknowns(), waves.count(),
              max_rank_of_waves(waves.count(), discretization.unknowns())) {}

void ReceivedWaves::compute(const OnRecord& on_record, const Monitor& monitor) {
  // Each part has waves from everywhere, so that the first of them form the basis.
  const auto in_parts = [&](std::size_t count, std::size_t at_once, const Monitor& whole,
                            const auto& work) {
    const std::size_t parts = (count + at_once - 1) / at_once;
    const auto share = 1 / static_cast<double>(parts);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto done = static_cast<double>(part);
      work(strided(part, count, parts), whole.part(done * share, (done + 1) * share));
    }
  };
  if (rings_.sample_count() == 0) {
    in_parts(waves_.count(), at_once_, monitor,
             [&](const std::vector<std::size_t>& some, const Monitor& part) {
               compute_each(some, on_record, part);
             });
    return;
  }
  currents_.set_tolerance(sample_options_.tolerance);
  form_basis();
  in_parts(static_cast<std::size_t>(waves_.theta_count), at_once_ / rings_.sample_count(),
           monitor.part(0, 0.9),
           [&](const std::vector<std::size_t>& some, const Monitor& part) {
             compute_rings(some, on_record, part);
           });
  const std::vector<std::size_t> left = std::move(left_);
  in_parts(left.size(), at_once_, monitor.part(0.9, 1),
           [&](std::vector<std::size_t> some, const Monitor& part) {
             for (std::size_t& i : some) i = left[i];
             compute_each(some, on_record, part);
           });
  currents_.set_tolerance(options_.tolerance);
}

/// Forms the basis from samples of all rings.
void ReceivedWaves::form_basis() {
  const std::size_t samples = rings_.sample_count(),
                    all = samples * static_cast<std::size_t>(waves_.theta_count);
  std::vector<Components> some;
  for (const std::size_t i : strided(0, all, (all + at_once_ - 1) / at_once_))
    some.push_back(rings_.sample(i / samples, i % samples));
  const Stopwatch watch(solve_s_);
  solver_.form_basis(some);
}

/// Solves, and counts all of it as solving: right-hand sides and expansions, too.
const WaveCurrents& ReceivedWaves::solve(std::span<const Components> waves,
                                         const Monitor& monitor) {
  monitor.report("waves", 0);
  currents_.watch(monitor);
  const Stopwatch watch(solve_s_);
  return solver_.solve(waves);
}

/// Computes the records of the basis, as far as they are not known, and those of the
/// waves that were solved for: sums_.
void ReceivedWaves::sum_records(const WaveCurrents& currents, const Monitor& monitor) {
  const std::size_t size = records_.size(), count = currents.is_sum.size();
  const RhsSpan& span = solver_.span();
  sums_.assign(count * size, 0);
  if (span.rank() > 0) {
    if (restarts_ != span.restarts()) of_basis_.clear();
    restarts_ = span.restarts();
    const std::size_t n = span.basis_solutions().size() / span.rank(),
                      known = of_basis_.size() / size;
    of_basis_.resize(span.rank() * size);
    records_.compute(span.basis_solutions().subspan(known * n),
                     std::span(of_basis_).subspan(known * size), monitor);
    add_sums(of_basis_, currents.sums.coefficients, sums_, count);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!currents.is_sum[i])
      records_.compute(currents.alone_a[i], std::span(sums_).subspan(i * size, size),
                       monitor.silent());
}

void ReceivedWaves::compute_each(std::span<const std::size_t> waves,
                                 const OnRecord& on_record, const Monitor& monitor) {
  std::vector<Components> components;
  for (const std::size_t i : waves)
    components.push_back(IncidentField::components_of(waves_.at(i)));
  const WaveCurrents& currents = solve(components, monitor.part(0, 0.5));
  sum_records(currents, monitor.part(0.5, 1));
  const std::size_t size = records_.size();
  run_tasks(waves.size(), omp_get_max_threads(), [&](std::size_t i) {
    on_record({waves[i], std::span(sums_).subspan(i * size, size),
               currents.residuals.empty() ? -1 : currents.residuals[i]});
  });
}

void ReceivedWaves::compute_rings(std::span<const std::size_t> rings,
                                  const OnRecord& on_record, const Monitor& monitor) {
  const std::size_t samples = rings_.sample_count(), size = records_.size(),
                    row = static_cast<std::size_t>(waves_.theta_count),
                    waves = static_cast<std::size_t>(waves_.phi_count);
  std::vector<Components> components;
  for (const std::size_t ring : rings)
    for (std::size_t i = 0; i < samples; ++i)
      components.push_back(rings_.sample(ring, i));
  const WaveCurrents& currents = solve(components, monitor.part(0, 0.5));
  sum_records(currents, monitor.part(0.5, 1));

  std::vector<double> bounds(rings.size() * waves);
  for_chunks_of_rhs(
      rings.size(),
      [&](std::size_t r, std::size_t) {
        const std::size_t first = r * samples;
        std::ranges::copy(rings_.residual_bounds(
                              rings[r], solver_.rhs(first, samples),
                              {std::span(currents.sums.missed).subspan(first, samples),
                               std::span(currents.residuals).subspan(first, samples)}),
                          bounds.begin() + static_cast<std::ptrdiff_t>(r * waves));
      },
      1);
  // Ranks are to take the same decisions, though they round in different ways.
  if (options_.ranks != nullptr) options_.ranks->broadcast(bounds, 0);

  const std::size_t blocks = (waves + interpolated_at_once - 1) / interpolated_at_once;
  for_chunks_of_rhs(
      rings.size() * blocks,
      [&](std::size_t item, std::size_t) {
        const std::size_t r = item / blocks, first = item % blocks * interpolated_at_once,
                          count = std::min(interpolated_at_once, waves - first);
        std::vector<Complex> interpolated(count * size);
        const auto rows = static_cast<int>(2 * size), order = static_cast<int>(samples);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows,
                    static_cast<int>(count), order, 1,
                    doubles(sums_.data() + r * samples * size), rows,
                    rings_.weights(first, count).data(), order, 0,
                    doubles(interpolated.data()), rows);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t p = first + i;
          const double bound = bounds[r * waves + p];
          if (!(bound <= options_.tolerance)) continue;
          const auto record = std::span(interpolated).subspan(i * size, size);
          const Complex factor = rings_.phase_factor(rings[r], p);
          for (Complex& number : record) number *= factor;
          on_record({rings[r] + row * p, record, bound});
        }
      },
      1);
  for (std::size_t r = 0; r < rings.size(); ++r)
    for (std::size_t p = 0; p < waves; ++p)
      if (!(bounds[r * waves + p] <= options_.tolerance))
        left_.push_back(rings[r] + row * p);
}

}  // namespace thinwire
