#include "mom/schedule/solved_fields.h"

#include <fmt/format.h>

#include "kernels/base/error.h"
#include "mom/excitation/excitation.h"
#include "mom/excitation/incident_field.h"
#include "mom/postprocess/near_fields.h"
#include "mom/postprocess/radiation.h"
#include "mom/problem/stored_matrix.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {
SolvedFields::SolvedFields(const Problem& problem, const Options& options)
    : problem_(problem),
      kernel_(options.kernel),
      meshes_(problem, options_for_stored(problem, options)) {}

const Discretization& SolvedFields::mesh_of(const FrequencyResult& result) const {
  const Discretization& mesh = meshes_.of(result.run);
  if (result.coefficients_a.size() != mesh.unknowns())
    throw Error(ErrorKind::usage,
                "fields: the solution was not kept with its coefficients. Solve again "
                "with Options::keep_coefficients.");
  return mesh;
}

PatternResult SolvedFields::pattern(const FrequencyResult& result,
                                    const PatternRequest& request,
                                    const Monitor& monitor) const {
  const Radiation radiation(mesh_of(result), result.coefficients_a, result.frequency_hz,
                            kernel_, ground_of(result));
  if (result.wave)
    return radiation.pattern(
        request, scattering_reference_w(*result.wave, result.frequency_hz), 0, monitor);
  return radiation.pattern(request, result.input_power_w,
                           result.loss_power_w + result.network_loss_w, monitor);
}

std::vector<Complex> SolvedFields::near_field(const FrequencyResult& result,
                                              NearFieldRequest::Field which,
                                              std::span<const Vec3> points_m,
                                              const Monitor& monitor) const {
  if (ground_of(result).kind == Ground::Kind::coefficients)
    for (const Vec3& point : points_m)
      if (point.z < 0)
        throw Error(ErrorKind::usage,
                    fmt::format("near field: z = {:g} m lies in the ground, where "
                                "reflection coefficients give no field. Stay above it, "
                                "or use a real ground by Sommerfeld integrals.",
                                point.z));
  return NearFields(mesh_of(result), result.coefficients_a, result.frequency_hz, kernel_,
                    ground_of(result))
      .field(which, points_m, monitor);
}

std::vector<Complex> SolvedFields::segment_currents(
    const FrequencyResult& result, std::span<const Complex> coefficients_a) const {
  std::vector<Complex> current, charge;
  SegmentCentres(mesh_of(result), wavenumber_rad_per_m(result.frequency_hz))
      .evaluate(coefficients_a, current, charge);
  return current;
}

std::vector<Complex> SolvedFields::excitation(const FrequencyResult& result) const {
  const Discretization& mesh = mesh_of(result);
  const Run& run = problem_.runs[result.run];
  const double k = wavenumber_rad_per_m(result.frequency_hz);
  std::vector<Complex> v(mesh.unknowns());
  if (result.wave)
    v = IncidentField(mesh, k, kernel_, run.ground).excitation(*result.wave);
  const auto apply = [&](const std::vector<BasisWeight>& current, Complex voltage_v) {
    for (const BasisWeight& w : current) v[w.function] += voltage_v * w.weight;
  };
  for (std::size_t p = 0; p < run.sources.size(); ++p)
    apply(mesh.gap_current(run.sources[p].segment, run.sources[p].gap, k),
          result.ports[p].voltage_v);
  // Where networks connect without a source; with one, that voltage is there already.
  for (const PortResult& port : result.network_ports) {
    const bool has_source = [&] {
      for (const Source& source : run.sources)
        if (source.gap == port.gap &&
            mesh.mesh().original(source.segment) == port.segment_index)
          return true;
      return false;
    }();
    if (!has_source)
      apply(mesh.gap_current(port.segment_index, port.gap, k), port.voltage_v);
  }
  return v;
}

}  // namespace thinwire
