#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "kernels/base/constants.h"
#include "mom/schedule/solved_fields.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

/// Start, step and count of a grid's angles, degrees.
using Angles = std::tuple<double, double, std::int64_t>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

/// Patterns at some frequencies as arrays, [f, theta, phi].
nb::dict pattern_arrays(const std::vector<const PatternResult*>& patterns) {
  const std::size_t count = patterns.size(), thetas = patterns.front()->theta_deg.size(),
                    phis = patterns.front()->phi_deg.size();
  std::vector<Complex> e_theta, e_phi;
  std::vector<double> gain, average;
  for (const PatternResult* p : patterns) {
    e_theta.insert(e_theta.end(), p->e_theta_v.begin(), p->e_theta_v.end());
    e_phi.insert(e_phi.end(), p->e_phi_v.begin(), p->e_phi_v.end());
    gain.insert(gain.end(), p->gain_dbi.begin(), p->gain_dbi.end());
    average.push_back(p->average_gain.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  nb::dict arrays;
  arrays["theta_deg"] = array_from(std::vector<double>(patterns.front()->theta_deg));
  arrays["phi_deg"] = array_from(std::vector<double>(patterns.front()->phi_deg));
  arrays["e_theta_v"] = array_from(std::move(e_theta), {count, thetas, phis});
  arrays["e_phi_v"] = array_from(std::move(e_phi), {count, thetas, phis});
  arrays["gain_dbi"] = array_from(std::move(gain), {count, thetas, phis});
  arrays["average_gain"] = array_from(std::move(average), {count});
  return arrays;
}

/// Returns the pattern of the results with these indices, computed from their currents.
nb::dict pattern(std::shared_ptr<Solved> self, std::vector<std::size_t> which,
                 const Angles& theta, const Angles& phi, nb::object progress) {
  PatternRequest request;
  std::tie(request.theta_start_deg, request.theta_step_deg, request.theta_count) = theta;
  std::tie(request.phi_start_deg, request.phi_step_deg, request.phi_count) = phi;
  const auto results = std::make_shared<std::vector<PatternResult>>();
  run_interruptibly(
      [self, which, request, results](const Monitor& monitor) {
        const SolvedFields fields(self->problem(), self->options);
        const auto count = static_cast<double>(which.size());
        for (std::size_t i = 0; i < which.size(); ++i)
          results->push_back(
              fields.pattern(self->solution.frequencies.at(which[i]), request,
                             monitor.part(static_cast<double>(i) / count,
                                          static_cast<double>(i + 1) / count)));
      },
      std::move(progress));
  std::vector<const PatternResult*> all;
  for (const PatternResult& result : *results) all.push_back(&result);
  return pattern_arrays(all);
}

/// Adds the derivatives of a pattern's gain and front-to-back ratio by V parameters at
/// some frequencies: their direction, [f], and they, [f, V]. NaN where there are none.
void add_gain_derivatives(std::span<const FrequencyResult> results, std::size_t pattern,
                          std::size_t parameters, nb::dict& arrays) {
  const std::size_t count = results.size();
  std::vector<double> theta(count, nan), phi(count, nan), gain(count * parameters, nan),
      ratio(count * parameters, nan);
  for (std::size_t f = 0; f < count; ++f)
    for (const GainDerivatives& derivatives : results[f].gain_derivatives) {
      if (derivatives.pattern != pattern) continue;
      theta[f] = derivatives.theta_deg;
      phi[f] = derivatives.phi_deg;
      const auto row = static_cast<std::ptrdiff_t>(f * parameters);
      std::ranges::copy(derivatives.gain_derivative_db, gain.begin() + row);
      std::ranges::copy(derivatives.front_to_back_derivative_db, ratio.begin() + row);
    }
  arrays["gain_derivative_theta_deg"] = array_from(std::move(theta));
  arrays["gain_derivative_phi_deg"] = array_from(std::move(phi));
  arrays["gain_derivative_db"] = array_from(std::move(gain), {count, parameters});
  arrays["front_to_back_derivative_db"] =
      array_from(std::move(ratio), {count, parameters});
}

/// Returns the patterns that the problem asked for: arrays of each request of each run,
/// and the indices of its results.
nb::list stored_patterns(const Solved& self) {
  const auto& all = self.solution.frequencies;
  nb::list patterns;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].run == all[first].run) ++last;
    for (std::size_t k = 0; k < all[first].patterns.size(); ++k) {
      std::vector<const PatternResult*> of_request;
      nb::list indices;
      for (std::size_t f = first; f < last; ++f) {
        of_request.push_back(&all[f].patterns[k]);
        indices.append(f);
      }
      nb::dict arrays = pattern_arrays(of_request);
      add_gain_derivatives(std::span(all).subspan(first, last - first), k,
                           self.problem().parameters.size(), arrays);
      arrays["index"] = indices;
      patterns.append(arrays);
    }
  }
  return patterns;
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

nb::object excitation(const Solved& self, std::size_t which) {
  const SolvedFields fields(self.problem(), self.options);
  return array_from(fields.excitation(self.solution.frequencies.at(which)));
}

}  // namespace

void bind_fields(nb::module_& m) {
  m.def("pattern", &pattern, nb::arg("solution"), nb::arg("which"), nb::arg("theta"),
        nb::arg("phi"), nb::arg("progress").none());
  m.def("stored_patterns", &stored_patterns, nb::arg("solution"));
  m.def("near_field", &near_field, nb::arg("solution"), nb::arg("which"),
        nb::arg("magnetic"), nb::arg("points"), nb::arg("progress").none());
  m.def("excitation", &excitation, nb::arg("solution"), nb::arg("which"));
}

}  // namespace thinwire::python
