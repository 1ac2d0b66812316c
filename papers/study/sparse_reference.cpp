#include "papers/study/sparse_reference.h"

#include <cmath>

namespace thinwire {
namespace {

using Wide = std::complex<long double>;

template <class T>
Wide wide(const T& value) {
  if constexpr (NumberOf<T>::parts == 2)
    return {value.real(), value.imag()};
  else
    return value;
}

template <class V>
std::vector<Wide> product(const Csr<double>& real,
                          std::span<const std::complex<double>> values) {
  Csr<V> matrix = sparse_input<V>(real);
  if (!values.empty()) set_sparse_values(matrix, values);
  const std::vector<V> x = sparse_vector<V>(matrix.columns);
  std::vector<Wide> y(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const Wide a = wide(matrix.value[k]), b = wide(x[matrix.column[k]]);
      // By parts: std::complex's product looks for infinities, which takes long.
      y[row] += Wide(a.real() * b.real() - a.imag() * b.imag(),
                     a.real() * b.imag() + a.imag() * b.real());
    }
  return y;
}

}  // namespace

std::vector<Wide> exact_product(const Csr<double>& matrix,
                                std::span<const std::complex<double>> values,
                                SparseType type) {
  return with_sparse_type(type, [&]<class V>() { return product<V>(matrix, values); });
}

double relative_error(const std::vector<std::complex<double>>& y,
                      const std::vector<Wide>& exact) {
  long double difference = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += std::norm(wide(y[i]) - exact[i]);
    size += std::norm(exact[i]);
  }
  return static_cast<double>(std::sqrt(size > 0 ? difference / size : difference));
}

}  // namespace thinwire
