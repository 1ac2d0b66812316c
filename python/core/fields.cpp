#include <cstddef>
#include <span>

#include "mom/schedule/solved_fields.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

/// Start, step and count of a grid's angles, degrees.
using Angles = std::tuple<double, double, std::int64_t>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

/// Returns the pattern of the results with these indices, computed from their currents.
nb::dict pattern(std::shared_ptr<Solved> self, std::vector<std::size_t> which,
                 const Angles& theta, const Angles& phi, nb::object progress) {
  PatternRequest request;
  std::tie(request.theta_start_deg, request.theta_step_deg, request.theta_count) = theta;
  std::tie(request.phi_start_deg, request.phi_step_deg, request.phi_count) = phi;
  const auto patterns = std::make_shared<Solution>();
  run_interruptibly(
      [self, which, request, patterns](const Monitor& monitor) {
        const SolvedFields fields(self->problem(), self->options);
        const auto count = static_cast<double>(which.size());
        for (std::size_t i = 0; i < which.size(); ++i)
          patterns->frequencies.emplace_back().patterns = {
              fields.pattern(self->solution.frequencies.at(which[i]), request,
                             monitor.part(static_cast<double>(i) / count,
                                          static_cast<double>(i + 1) / count))};
      },
      std::move(progress));
  return SolutionArrays(self->problem(), *patterns, 50, "/pattern/0/").arrays;
}

/// V/m or A/m at points [n, 3], metres: [f, n, 3].
nb::object near_field(std::shared_ptr<Solved> self, std::vector<std::size_t> which,
                      bool magnetic, const Points& points, nb::object progress) {
  const auto* const first = reinterpret_cast<const Vec3*>(points.data());
  const auto points_m =
      std::make_shared<std::vector<Vec3>>(first, first + points.shape(0));
  const auto field = std::make_shared<std::vector<Complex>>();
  run_interruptibly(
      [self, which, magnetic, points_m, field](const Monitor& monitor) {
        const SolvedFields fields(self->problem(), self->options);
        const auto count = static_cast<double>(which.size());
        for (std::size_t i = 0; i < which.size(); ++i) {
          const std::vector<Complex> here =
              fields.near_field(self->solution.frequencies.at(which[i]),
                                magnetic ? NearFieldRequest::Field::magnetic
                                         : NearFieldRequest::Field::electric,
                                *points_m,
                                monitor.part(static_cast<double>(i) / count,
                                             static_cast<double>(i + 1) / count));
          field->insert(field->end(), here.begin(), here.end());
        }
      },
      std::move(progress));
  return array_from(std::move(*field), {which.size(), points_m->size(), 3});
}

/// Scattered fields back towards where each result's wave comes from: e_theta and e_phi,
/// r E exp(jkr) in V, [f, 2].
nb::object backscatter(std::shared_ptr<Solved> self, nb::object progress) {
  const auto fields = std::make_shared<std::vector<Complex>>();
  run_interruptibly(
      [self, fields](const Monitor& monitor) {
        const SolvedFields solved(self->problem(), self->options);
        for (const FrequencyResult& result : self->solution.frequencies) {
          PatternRequest request;
          request.theta_start_deg = result.wave->theta_deg;
          request.phi_start_deg = result.wave->phi_deg;
          const PatternResult back = solved.pattern(result, request, monitor);
          fields->push_back(back.e_theta_v.at(0));
          fields->push_back(back.e_phi_v.at(0));
        }
      },
      std::move(progress));
  return array_from(std::move(*fields), {fields->size() / 2, 2});
}

/// Currents at the segments' centres of coefficients [n, unknowns]: [n, S].
nb::object segment_currents(
    const Solved& self, std::size_t which,
    const nb::ndarray<const Complex, nb::ndim<2>, nb::c_contig, nb::device::cpu>& sets) {
  const SolvedFields fields(self.problem(), self.options);
  std::vector<Complex> all;
  for (std::size_t i = 0; i < sets.shape(0); ++i) {
    const std::vector<Complex> one =
        fields.segment_currents(self.solution.frequencies.at(which),
                                {sets.data() + i * sets.shape(1), sets.shape(1)});
    all.insert(all.end(), one.begin(), one.end());
  }
  const std::size_t segments = self.problem().structure.segments().size();
  return array_from(std::move(all), {sets.shape(0), segments});
}

nb::object excitation(const Solved& self, std::size_t which) {
  const SolvedFields fields(self.problem(), self.options);
  return array_from(fields.excitation(self.solution.frequencies.at(which)));
}

}  // namespace

void bind_fields(nb::module_& m) {
  m.def("pattern", &pattern, nb::arg("solution"), nb::arg("which"), nb::arg("theta"),
        nb::arg("phi"), nb::arg("progress").none());
  m.def("near_field", &near_field, nb::arg("solution"), nb::arg("which"),
        nb::arg("magnetic"), nb::arg("points"), nb::arg("progress").none());
  m.def("backscatter", &backscatter, nb::arg("solution"), nb::arg("progress").none());
  m.def("segment_currents", &segment_currents, nb::arg("solution"), nb::arg("which"),
        nb::arg("coefficients_a"));
  m.def("excitation", &excitation, nb::arg("solution"), nb::arg("which"));
}

}  // namespace thinwire::python
