#include "kernels/ground/transmission_table.h"

#include "kernels/ground/octaves.h"

namespace thinwire {
namespace {

constexpr int table_numbers = 8;

/// Gh, Kphi and Q as the table stores them. Charges are held against their own static
/// part, so that all count alike.
class KernelsOverG final : public TransmissionFunctions {
 public:
  explicit KernelsOverG(Complex eps) : eps_(eps) {}

  int numbers() const override { return table_numbers; }

  std::vector<double> at(const TransmissionRange& range, std::span<const double> rho,
                         std::span<const double> z,
                         std::span<const double> depth) const override {
    std::vector<ReflectedKernels> kernels(rho.size() * z.size());
    transmission_kernels_grid(eps_, range, rho, z, depth, kernels);
    std::vector<double> over_g;
    over_g.reserve(table_numbers * kernels.size());
    const Complex of_charges = 0.5 * (eps_ + 1.0), c0 = image_strength(eps_);
    for (std::size_t i = 0; i < rho.size(); ++i)
      for (std::size_t j = 0; j < z.size(); ++j) {
        const ReflectedKernels& k = kernels[i * z.size() + j];
        const double distance = std::hypot(rho[i], z[j] + depth[j]);
        const Complex g = distance * std::polar(1.0, distance);
        const Complex h = g * Complex(k.h) - 1.0,
                      phi = g * of_charges * Complex(k.phi) - 1.0,
                      q = g * Complex(k.q) + c0 * rho[i] / (distance + z[j] + depth[j]);
        over_g.insert(over_g.end(), {h.real(), h.imag(), phi.real(), phi.imag(), q.real(),
                                     q.imag(), 0, 0});
      }
    return over_g;
  }

 private:
  Complex eps_;
};

}  // namespace

TransmissionTable::TransmissionTable(Complex eps, const TransmissionPlaces& places,
                                     double error)
    : eps_(eps), first_octave_(places.first_octave()), octaves_(places.octaves()) {
  const std::int32_t roots = TransmissionBoxes::an_octave * octaves_;
  const KernelsOverG functions(eps);
  std::vector<std::vector<TransmissionTree>> trees(roots);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < roots; ++t) {
    const std::int32_t root = roots - 1 - t;
    trees[root].emplace_back(eps, places.in_use(root), error, functions);
  }
  join_trees(trees, table_numbers, boxes_, coefficients_);
  const Complex charges = 2.0 / (eps + 1.0);
  for (std::size_t n = 0; n < coefficients_.size(); n += table_numbers) {
    double* phi = coefficients_.data() + n + 2;
    const Complex own = charges * Complex(phi[0], phi[1]);
    phi[0] = own.real();
    phi[1] = own.imag();
  }
}

}  // namespace thinwire
