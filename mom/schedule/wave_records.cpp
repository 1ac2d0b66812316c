#include "mom/schedule/wave_records.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/excitation/incident_field.h"
#include "mom/postprocess/near_fields.h"
#include "mom/postprocess/radiation.h"

namespace thinwire {
namespace {

std::size_t directions(const PatternRequest& request) {
  return static_cast<std::size_t>(request.theta_count * request.phi_count);
}

}  // namespace

void check_finite(std::span<const Complex> numbers, double frequency_hz) {
  for (const Complex& number : numbers)
    if (!std::isfinite(number.real()) || !std::isfinite(number.imag()))
      throw Error(ErrorKind::numeric,
                  fmt::format("solution at {:g} MHz is not finite: the matrix is "
                              "singular. Check for overlapping wires.",
                              frequency_hz * 1e-6));
}

WaveRecords::WaveRecords(const SolveContext& context, std::size_t run,
                         double frequency_hz, const Ports& ports, const LoadModel& loads)
    : context_(context),
      run_index_(run),
      run_(context.run(run)),
      frequency_hz_(frequency_hz),
      ports_(ports),
      loads_(loads),
      centres_(context.discretization(run), wavenumber_rad_per_m(frequency_hz)),
      unknowns_(context.discretization(run).unknowns()),
      segments_(context.discretization(run).structure().segments().size()),
      coefficients_(context.options().keep_coefficients || loads.any()),
      size_(ports.count() + (coefficients_ ? unknowns_ : 2 * segments_)) {
  for (const PatternRequest& request : run_.patterns) size_ += 2 * directions(request);
  for (const NearFieldRequest& request : run_.near_fields)
    size_ += 3 * point_count(request);
}

void WaveRecords::compute(std::span<const Complex> coefficients,
                          std::span<Complex> records, const Monitor& monitor) const {
  const Discretization& where = context_.discretization(run_index_);
  const std::size_t count = records.size() / size_;
  const auto part = [&](std::size_t done, std::size_t more) {
    const auto all = static_cast<double>(records.size()),
               before = static_cast<double>(done);
    return monitor.part(before / all, (before + static_cast<double>(more)) / all);
  };
  std::size_t done = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto solution = coefficients.subspan(i * unknowns_, unknowns_);
    auto to = records.begin() + static_cast<std::ptrdiff_t>(i * size_);
    const auto append = [&](const auto& some) {
      to = std::ranges::copy(some, to).out;
      done += some.size();
    };
    std::vector<Complex> current_a, charge_c_per_m;
    for (std::size_t p = 0; p < ports_.count(); ++p)
      current_a.push_back(ports_.current(p, solution));
    append(current_a);
    if (coefficients_) {
      append(solution);
    } else {
      centres_.evaluate(solution, current_a, charge_c_per_m);
      append(current_a);
      append(charge_c_per_m);
    }
    if (run_.patterns.empty()) continue;
    const Radiation radiation(where, solution, frequency_hz_, context_.options().kernel,
                              run_.ground, context_.backend());
    for (const PatternRequest& request : run_.patterns) {
      const GridField field =
          radiation.field(request, part(done, 2 * directions(request)));
      append(field.e_theta_v);
      append(field.e_phi_v);
    }
  }
  if (run_.near_fields.empty() || count == 0) return;
  const NearFields near(where, coefficients, frequency_hz_, context_.options().kernel,
                        run_.ground, context_.backend());
  std::size_t place = done / count;  // in each record
  for (const NearFieldRequest& request : run_.near_fields) {
    const std::size_t numbers = 3 * point_count(request);
    const std::vector<Complex> fields = near.field(
        request.field, near_field_points(request), part(done, count * numbers));
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy(std::span(fields).subspan(i * numbers, numbers),
                        records.begin() + static_cast<std::ptrdiff_t>(i * size_ + place));
    place += numbers;
    done += count * numbers;
  }
}

void WaveRecords::add_to(FrequencyResult& result, std::span<const Complex> record) const {
  check_finite(record, frequency_hz_);
  record = record.subspan(ports_.count());
  const auto next = [&record](std::size_t count) {
    const auto some = record.first(count);
    record = record.subspan(count);
    return std::vector<Complex>(some.begin(), some.end());
  };
  if (coefficients_) {
    std::vector<Complex> coefficients = next(unknowns_);
    centres_.evaluate(coefficients, result.segment_current_a,
                      result.segment_charge_c_per_m);
    result.loss_power_w = loads_.loss_power_w(coefficients);
    if (context_.options().keep_coefficients)
      result.coefficients_a = std::move(coefficients);
  } else {
    result.segment_current_a = next(segments_);
    result.segment_charge_c_per_m = next(segments_);
  }
  for (const PatternRequest& request : run_.patterns) {
    GridField field;
    field.e_theta_v = next(directions(request));
    field.e_phi_v = next(directions(request));
    result.patterns.push_back(
        pattern_of(request, run_.ground, std::move(field),
                   scattering_reference_w(*result.wave, frequency_hz_), 0));
  }
  for (const NearFieldRequest& request : run_.near_fields)
    result.near_fields.push_back({request, next(3 * point_count(request))});
}

}  // namespace thinwire
