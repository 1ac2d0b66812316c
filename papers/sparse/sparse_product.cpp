#include "papers/sparse/sparse_product.h"

#include <complex>

#include "kernels/base/error.h"
#include "kernels/spmv/run_matrix.h"
#include "papers/sparse/packed_rows.h"
#include "papers/sparse/row_sum.h"
#include "papers/sparse/segmented_scan.h"

namespace thinwire {
namespace {

/// Formats of which a row is summed up by one thread.
template <class A, class V, class Matrix>
class RowProduct final : public SparseProduct<A, V> {
 public:
  explicit RowProduct(Matrix matrix) : matrix_(std::move(matrix)) {}

  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
    const auto view = matrix_.view();
    const auto rows = static_cast<std::int64_t>(y.size());
    const Plain<V> a = plain_value(alpha), b = plain_value(beta);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row)
      store_result(a, row_sum(view, static_cast<std::size_t>(row), plain(x.data())), b,
                   plain(y.data()) + row);
  }
  std::size_t bytes() const override {
    return matrix_.bytes();
  }

 private:
  Matrix matrix_;
};

template <class A, class V>
class ScanProduct final : public SparseProduct<A, V> {
 public:
  ScanProduct(Csr<A> matrix, int segment)
      : matrix_(std::move(matrix)), plan_(make_scan_plan(matrix_.row_ptr, segment)) {
    totals_.segment = segment;
    for (const auto& hints : plan_.hints) {
      sums_.emplace_back(hints.size());
      totals_.level[sums_.size() - 1] = sums_.back().data();
    }
  }

  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
    const auto entries = static_cast<std::int64_t>(matrix_.entries());
    const CsrView<Plain<A>> view = matrix_.view();
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < entries; ++k) {
      sums_[0][k] = {};
      add_product(sums_[0][k], view.value[k], plain(x.data())[view.column[k]]);
    }
    for (std::size_t level = 0; level < sums_.size(); ++level) scan(level);
    const auto rows = static_cast<std::int64_t>(matrix_.rows);
    const Plain<V> a = plain_value(alpha), b = plain_value(beta);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row)
      store_result(a, scan_total(totals_, view.row_ptr[row], view.row_ptr[row + 1]), b,
                   plain(y.data()) + row);
  }
  std::size_t bytes() const override {
    return matrix_.bytes() + plan_.bytes();
  }
  std::size_t work_bytes() const override {
    return plan_.elements() * sizeof(V);
  }

 private:
  /// The segments of a level, and what they give to the next.
  void scan(std::size_t level) const {
    const std::vector<std::uint8_t>& hints = plan_.hints[level];
    std::vector<Plain<V>>& sums = sums_[level];
    const auto elements = static_cast<std::int64_t>(sums.size());
    const std::int64_t L = plan_.segment, segments = (elements + L - 1) / L;
#pragma omp parallel for schedule(static)
    for (std::int64_t segment = 0; segment < segments; ++segment) {
      const std::int64_t first = segment * L, last = std::min(first + L, elements);
      for (std::int64_t t = L / 2; t > 0; t /= 2)
        for (std::int64_t k = first + 1; k < last; ++k)
          if (t <= hints[k] && hints[k] < 2 * t) sums[k - t] = sums[k - t] + sums[k];
      if (level + 1 < sums_.size())
        sums_[level + 1][segment] =
            hints[first] == scan_goes_on ? sums[first] : Plain<V>{};
    }
  }

  Csr<A> matrix_;
  ScanPlan<> plan_;
  mutable std::vector<std::vector<Plain<V>>> sums_;  // of each level
  ScanSums<Plain<V>> totals_;
};

template <class A, class V>
class RunProduct final : public SparseProduct<A, V> {
 public:
  RunProduct(const Csr<A>& matrix, int piece_rows)
      : matrix_(make_run_matrix(matrix, piece_rows)) {}
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
    run_multiply(matrix_, alpha, x, beta, y);
  }
  std::size_t bytes() const override { return matrix_.bytes(); }
  double fill() const override { return matrix_.pattern.fill(); }

 private:
  RunMatrix<A> matrix_;
};

}  // namespace

template <class A>
SparseFormat chosen_format(const SparseMethod& method, const Csr<A>& matrix) {
  if (!method.packs_if_it_pays) return method.format;
  const EntrySizes sizes{sizeof(A), 4, 8};
  const PatternCounts counts = count_pattern(matrix);
  if (method.format == SparseFormat::rbp_csr)
    return rbp_csr_pays(counts, sizes) ? SparseFormat::rbp_csr : SparseFormat::csr;
  return rbp_ell_pays(counts, sizes) ? SparseFormat::rbp_ell : SparseFormat::ell;
}

template <class A>
const SparseMethod& product_on_cpu(const SparseMethod& method, const Csr<A>& matrix) {
  switch (chosen_format(method, matrix)) {
    case SparseFormat::csr:
    case SparseFormat::crs_vector:
    case SparseFormat::row_parallel:
    case SparseFormat::in_row:
      return sparse_method_named("csr");
    case SparseFormat::ell:
      return sparse_method_named("ell");
    case SparseFormat::rbp_csr:
      return sparse_method_named("rbp-csr");
    case SparseFormat::rbp_ell:
      return sparse_method_named("rbp-ell");
    case SparseFormat::ell_r:
    case SparseFormat::rbp_ell_r:
    case SparseFormat::segmented_scan:
    case SparseFormat::runs:
      break;
  }
  return method;
}

template <class A, class V>
std::unique_ptr<SparseProduct<A, V>> make_sparse_product(const SparseMethod& method,
                                                         const Csr<A>& matrix) {
  const auto by_rows = [](auto packed) -> std::unique_ptr<SparseProduct<A, V>> {
    return std::make_unique<RowProduct<A, V, decltype(packed)>>(std::move(packed));
  };
  switch (chosen_format(method, matrix)) {
    case SparseFormat::ell:
      return by_rows(make_ell(matrix, false));
    case SparseFormat::ell_r:
      return by_rows(make_ell(matrix, true));
    case SparseFormat::rbp_csr:
      return by_rows(make_rbp_csr(matrix));
    case SparseFormat::rbp_ell:
      return by_rows(make_rbp_ell(matrix, false));
    case SparseFormat::rbp_ell_r:
      return by_rows(make_rbp_ell(matrix, true));
    case SparseFormat::segmented_scan:
      return std::make_unique<ScanProduct<A, V>>(matrix, method.segment);
    case SparseFormat::runs:
      return std::make_unique<RunProduct<A, V>>(matrix, method.piece_rows);
    case SparseFormat::csr:
    case SparseFormat::crs_vector:
    case SparseFormat::row_parallel:
    case SparseFormat::in_row:
      break;
  }
  return by_rows(matrix);
}

template SparseFormat chosen_format(const SparseMethod&, const Csr<double>&);
template SparseFormat chosen_format(const SparseMethod&, const Csr<float>&);
template SparseFormat chosen_format(const SparseMethod&,
                                    const Csr<std::complex<double>>&);
template SparseFormat chosen_format(const SparseMethod&, const Csr<std::complex<float>>&);
template const SparseMethod& product_on_cpu(const SparseMethod&, const Csr<double>&);
template const SparseMethod& product_on_cpu(const SparseMethod&, const Csr<float>&);
template const SparseMethod& product_on_cpu(const SparseMethod&,
                                            const Csr<std::complex<double>>&);
template const SparseMethod& product_on_cpu(const SparseMethod&,
                                            const Csr<std::complex<float>>&);

template <class A, class V>
using Product = std::unique_ptr<SparseProduct<A, V>>;
using Double = std::complex<double>;
using Single = std::complex<float>;
template Product<double, double> make_sparse_product(const SparseMethod&,
                                                     const Csr<double>&);
template Product<float, float> make_sparse_product(const SparseMethod&,
                                                   const Csr<float>&);
template Product<Double, Double> make_sparse_product(const SparseMethod&,
                                                     const Csr<Double>&);
template Product<Single, Single> make_sparse_product(const SparseMethod&,
                                                     const Csr<Single>&);
template Product<double, Double> make_sparse_product(const SparseMethod&,
                                                     const Csr<double>&);
template Product<float, Single> make_sparse_product(const SparseMethod&,
                                                    const Csr<float>&);

}  // namespace thinwire
