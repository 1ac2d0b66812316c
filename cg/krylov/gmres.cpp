#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "cg/krylov/iteration.h"
#include "cg/vector_ops.h"

namespace thinwire {
namespace {

// Minimises || beta e_1 - H y || as columns are added to the Hessenberg matrix H, by
// Givens rotations that keep it upper triangular.
class HessenbergLeastSquares {
 public:
  explicit HessenbergLeastSquares(double beta) : rhs_{beta} {}

  // h: the next column, one entry longer than the one before. Returns false, with nothing
  // changed, if the column depends on those before it.
  bool add_column(std::vector<Complex> h) {
    const std::size_t k = columns_.size();
    double column_norm = 0;
    for (const Complex& value : h) column_norm += std::norm(value);
    for (std::size_t j = 0; j < k; ++j) rotate(rotations_[j], h[j], h[j + 1]);
    const double below = std::abs(h[k + 1]);
    const double diagonal = std::hypot(std::abs(h[k]), below);
    if (!(diagonal > std::numeric_limits<double>::epsilon() * std::sqrt(column_norm)))
      return false;
    // c and s such that [c, s; -conj(s), c] [h_k; h_{k+1}] = [phase * diagonal; 0]
    const double size = std::abs(h[k]);
    const Complex phase = size > 0 ? h[k] / size : Complex(1);
    rotations_.push_back({size / diagonal, phase * std::conj(h[k + 1]) / diagonal});
    h[k] = phase * diagonal;
    h.pop_back();
    columns_.push_back(std::move(h));
    rhs_.push_back(0);
    rotate(rotations_[k], rhs_[k], rhs_[k + 1]);
    return true;
  }

  std::size_t columns() const { return columns_.size(); }
  double residual() const { return std::abs(rhs_.back()); }

  std::vector<Complex> solve() const {
    std::vector<Complex> y(rhs_.begin(), rhs_.end() - 1);
    for (std::size_t k = y.size(); k-- > 0;) {
      y[k] /= columns_[k][k];
      for (std::size_t i = 0; i < k; ++i) y[i] -= columns_[k][i] * y[k];
    }
    return y;
  }

 private:
  struct Rotation {
    double c;
    Complex s;
  };
  static void rotate(const Rotation& g, Complex& a, Complex& b) {
    const Complex rotated = g.c * a + g.s * b;
    b = -std::conj(g.s) * a + g.c * b;
    a = rotated;
  }

  std::vector<std::vector<Complex>> columns_;  // the triangle
  std::vector<Rotation> rotations_;
  std::vector<Complex> rhs_;
};

// w = w - basis basis^H w, twice: once is not enough in floating point, twice is
// (classical Gram-Schmidt; Giraud, Langou, Rozloznik 2005). Returns the coefficients and,
// last, the norm of what is left.
std::vector<Complex> orthogonalise(const KrylovBasis& basis, std::span<Complex> w,
                                   const Comm& comm) {
  std::vector<Complex> h(basis.size() + 1), part(basis.size());
  for (int pass = 0; pass < 2; ++pass) {
    dotc_all(basis, w, part, comm);
    for (std::size_t j = 0; j < part.size(); ++j) {
      h[j] += part[j];
      part[j] = -part[j];
    }
    axpy_all(basis, part, w);
  }
  h.back() = norm2(w, comm);
  return h;
}

}  // namespace

// Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm", SIAM J. Sci.
// Stat. Comput. 7 (1986) 856-869, on (Z M) y = V, I = M y.
SolveResult solve_gmres(const LinearOperator& z, const Preconditioner* m,
                        std::span<const Complex> v, std::span<Complex> current,
                        const SolverControl& control) {
  const std::size_t n = z.size();
  std::vector<Complex> work(n);

  return run_cycles(z, m, v, current, control, [&](std::span<Complex> r, Iteration& it) {
    const std::size_t longest =
        std::min(it.unknowns(), static_cast<std::size_t>(it.max_iterations()));
    const double beta = norm2(r, it.comm());
    HessenbergLeastSquares least_squares(beta);
    KrylovBasis basis, preconditioned;
    basis.emplace_back(r.begin(), r.end());
    scale(1 / beta, basis[0]);

    std::optional<CycleEnd> end;
    while (!end) {
      // w = Z M v_k, made orthogonal to v_0 .. v_k
      std::vector<Complex> w(n);
      precondition(m, basis.back(), work);
      if (control.flexible) preconditioned.push_back(work);
      z.apply(work, w);
      std::vector<Complex> h = orthogonalise(basis, w, it.comm());
      const double w_norm = h.back().real();
      if (!std::isfinite(w_norm) || !least_squares.add_column(std::move(h))) {
        end = CycleEnd::breakdown;
        break;
      }
      end = it.record(least_squares.residual());
      if (!end && least_squares.columns() == longest) end = CycleEnd::finished;
      if (!end) {
        scale(1 / w_norm, w);
        basis.push_back(std::move(w));
      }
    }
    // I = I + M (v_0 y_0 + v_1 y_1 + ...)
    if (control.flexible) {
      axpy_all(preconditioned, least_squares.solve(), current);
      return *end;
    }
    std::vector<Complex> update(n);
    axpy_all(basis, least_squares.solve(), update);
    precondition(m, update, work);
    axpy(1, work, current);
    return *end;
  });
}

}  // namespace thinwire
