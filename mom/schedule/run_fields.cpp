#include "mom/schedule/run_fields.h"

#include <algorithm>

#include "cg/many_rhs.h"
#include "mom/excitation/incident_field.h"
#include "mom/postprocess/near_fields.h"
#include "mom/postprocess/radiation.h"

namespace thinwire {
namespace {

std::size_t directions(const PatternRequest& request) {
  return static_cast<std::size_t>(request.theta_count * request.phi_count);
}

void append(const std::vector<Complex>& more, std::vector<Complex>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

RunFields::RunFields(const SolveContext& context, std::size_t run, double frequency_hz)
    : context_(context),
      run_index_(run),
      run_(context.run(run)),
      frequency_hz_(frequency_hz) {
  for (const PatternRequest& request : run_.patterns) size_ += 2 * directions(request);
  for (const NearFieldRequest& request : run_.near_fields)
    size_ += 3 * point_count(request);
}

std::vector<Complex> RunFields::of(std::span<const Complex> coefficients,
                                   const Monitor& monitor) const {
  std::vector<Complex> fields;
  fields.reserve(size_);
  const Discretization& where = context_.discretization(run_index_);
  auto part = [&, done = 0.0](double count) mutable {
    const double first = done / static_cast<double>(size_);
    done += count;
    return monitor.part(first, done / static_cast<double>(size_));
  };
  if (!run_.patterns.empty()) {
    const Radiation radiation(where, coefficients, frequency_hz_, context_.kernel(),
                              run_.ground, context_.backend());
    for (const PatternRequest& request : run_.patterns) {
      const GridField field =
          radiation.field(request, part(2 * static_cast<double>(directions(request))));
      append(field.e_theta_v, fields);
      append(field.e_phi_v, fields);
    }
  }
  if (!run_.near_fields.empty()) {
    const NearFields near(where, coefficients, frequency_hz_, context_.kernel(),
                          run_.ground, context_.backend());
    for (const NearFieldRequest& request : run_.near_fields)
      append(
          near.field(request, part(3 * static_cast<double>(point_count(request)))).field,
          fields);
  }
  return fields;
}

void RunFields::add_to(FrequencyResult& result, std::span<const Complex> fields) const {
  const auto take = [&fields](std::size_t count) {
    const auto some = fields.first(count);
    fields = fields.subspan(count);
    return std::vector<Complex>(some.begin(), some.end());
  };
  for (const PatternRequest& request : run_.patterns) {
    GridField field;
    field.e_theta_v = take(directions(request));
    field.e_phi_v = take(directions(request));
    result.patterns.push_back(
        pattern_of(request, run_.ground, std::move(field),
                   scattering_reference_w(*result.wave, frequency_hz_), 0));
  }
  for (const NearFieldRequest& request : run_.near_fields)
    result.near_fields.push_back({request, take(3 * point_count(request))});
}

FieldSums::FieldSums(const RunFields& fields,
                     std::span<const std::vector<Complex>> for_one_volt,
                     const Monitor& monitor)
    : fields_(fields) {
  if (fields.size() == 0) return;
  for (const std::vector<Complex>& coefficients : for_one_volt)
    append(fields.of(coefficients, monitor.silent()), of_ports_);
}

void FieldSums::start(const RhsSpan& span, const RhsSums& sums, const Monitor& monitor) {
  const std::size_t size = fields_.size(), count = sums.norm.size();
  if (size == 0 || count == 0) return;
  if (restarts_ != span.restarts()) of_basis_.clear();
  restarts_ = span.restarts();
  const std::size_t n =
      span.basis_solutions().size() / std::max<std::size_t>(1, span.rank());
  const std::size_t known = of_basis_.size() / size;
  const auto missing = static_cast<double>(span.rank() - known);
  for (std::size_t i = known; i < span.rank(); ++i) {
    const auto done = static_cast<double>(i - known);
    append(fields_.of(span.basis_solutions().subspan(i * n, n),
                      monitor.part(done / missing, (done + 1) / missing)),
           of_basis_);
  }
  sums_.assign(count * size, 0);
  add_sums(of_basis_, sums.coefficients, sums_, count);
}

std::vector<Complex> FieldSums::of(std::size_t wave,
                                   std::span<const Complex> port_voltage_v) const {
  const std::size_t size = fields_.size();
  if (size == 0) return {};
  const auto sum = std::span(sums_).subspan(wave * size, size);
  std::vector<Complex> fields(sum.begin(), sum.end());
  for (std::size_t p = 0; p < port_voltage_v.size(); ++p)
    for (std::size_t i = 0; i < size; ++i)
      fields[i] += port_voltage_v[p] * of_ports_[p * size + i];
  return fields;
}

}  // namespace thinwire
