#include "mom/operators/toeplitz_preconditioner.h"

#include <algorithm>

namespace thinwire {
namespace {

/// c of circulant_correction: p^T Z(q) p for every wave vector, transformed back.
std::vector<Complex> coarse_matrix(const ToeplitzOperator& z,
                                   std::span<const Complex> mode) {
  const std::size_t n = mode.size();
  const HalfSpectra& half = z.grid().half();
  std::vector<Complex> c(half.points());
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < half.count(); ++t) {
    Complex sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        sum += mode[i] * mode[j] * z.spectra()[(i * n + j) * half.count() + t];
    c[half.plus[t]] = c[half.minus[t]] = sum;
  }
  Fft(FftShape{z.grid().lengths(), {}}).backward(c.data(), 1);
  return c;
}

}  // namespace

std::unique_ptr<Preconditioner> ToeplitzOperator::make_preconditioner(
    PreconditionerChoice choice, const Monitor&) const {
  if (choice == PreconditionerChoice::none) return nullptr;
  return std::make_unique<ToeplitzPreconditioner>(
      *this, choice == PreconditionerChoice::two_level);
}

ToeplitzPreconditioner::ToeplitzPreconditioner(const ToeplitzOperator& z, bool two_level)
    : z_(z),
      blocks_(z.basis(), z.own_block(), z.loads()),
      fft_(FftShape{z.grid().places(), {}}) {
  if (!two_level) return;
  std::vector<Complex> c = coarse_matrix(z, blocks_.mode);
  c[0] += blocks_.load_of_mode;
  correction_ = circulant_correction(z.grid().places(), z.grid().lengths(), c);
  moments_.resize(correction_.size());
}

void ToeplitzPreconditioner::apply(std::span<const Complex> r,
                                   std::span<Complex> z) const {
  const LatticeBasis& basis = z_.basis();
  const std::size_t n = basis.size();
  const auto antennas = static_cast<std::int64_t>(basis.antennas());
  const bool two_level = !correction_.empty();
  std::fill(moments_.begin(), moments_.end(), Complex{});
#pragma omp parallel
  {
    std::vector<Complex> in(n), out(n);
#pragma omp for schedule(static)
    for (std::int64_t a = 0; a < antennas; ++a) {
      const std::uint32_t* number = basis.number_of.data() + a * n;
      const Complex* inverse = blocks_.inverses[blocks_.inverse_of[a]].data();
      Complex moment = 0;
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = r[number[i]];
        moment += blocks_.mode[i] * in[i];
      }
      std::fill(out.begin(), out.end(), Complex{});
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) out[i] += inverse[i + j * n] * in[j];
      for (std::size_t i = 0; i < n; ++i) z[number[i]] = out[i];
      if (two_level) moments_[basis.place_of[a]] = moment;
    }
  }
  if (!two_level) return;
  fft_.forward(moments_.data(), 1);
  for (std::size_t q = 0; q < moments_.size(); ++q) moments_[q] *= correction_[q];
  fft_.backward(moments_.data(), 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t a = 0; a < antennas; ++a)
    for (std::size_t i = 0; i < n; ++i)
      z[basis.number_of[a * n + i]] += blocks_.mode[i] * moments_[basis.place_of[a]];
}

}  // namespace thinwire
