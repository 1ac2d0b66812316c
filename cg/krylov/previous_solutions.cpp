#include "cg/krylov/previous_solutions.h"

#include <algorithm>
#include <cmath>

#include "cg/vector_ops.h"

namespace thinwire {
namespace {

/// A solution, its product with Z after Gram-Schmidt, and its column of R.
struct Column {
  std::span<const Complex> x;
  std::vector<Complex> q, r;
};

/// Appends x to the QR factors of Z X by classical Gram-Schmidt, twice, unless it depends
/// on the others.
void append(const LinearOperator& z, std::span<const Complex> x, double rounding,
            std::vector<Column>& columns) {
  Column next = {x, std::vector<Complex>(x.size()), std::vector<Complex>(columns.size())};
  z.apply(x, next.q);
  const double size = norm2(next.q);
  KrylovBasis basis;
  for (const Column& column : columns) basis.push_back(column.q.data());
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<Complex> part(basis.size());
    dotc_all(basis, next.q, part);
    for (std::size_t j = 0; j < part.size(); ++j) {
      axpy(-part[j], columns[j].q, next.q);
      next.r[j] += part[j];
    }
  }
  const double left = norm2(next.q);
  // Written so that NaN is left out, too.
  if (!(left > rounding * size)) return;
  for (Complex& value : next.q) value /= left;
  next.r.emplace_back(left);
  columns.push_back(std::move(next));
}

}  // namespace

void PreviousSolutions::combine(const LinearOperator& z, std::span<const Complex> v,
                                double parameter, std::size_t max_products,
                                double rounding, std::span<Complex> current) const {
  std::fill(current.begin(), current.end(), 0.0);
  std::vector<const Kept*> nearest;
  for (const Kept& kept : kept_) nearest.push_back(&kept);
  std::ranges::sort(nearest, {}, [&](const Kept* kept) {
    return std::abs(kept->parameter - parameter);
  });
  const std::size_t n = z.size();
  std::vector<Column> columns;
  for (const Kept* kept : nearest)
    for (std::size_t first = 0; first < kept->current.size() && max_products > 0;
         first += n, --max_products)
      append(z, std::span(kept->current).subspan(first, n), rounding, columns);
  KrylovBasis basis;
  for (const Column& column : columns) basis.push_back(column.q.data());
  for (std::size_t first = 0; first < v.size() && !columns.empty(); first += n) {
    std::vector<Complex> c(columns.size());  // Q^H V, then R^-1 of it
    dotc_all(basis, v.subspan(first, n), c);
    for (std::size_t j = columns.size(); j-- > 0;) {
      c[j] /= columns[j].r[j];
      for (std::size_t i = 0; i < j; ++i) c[i] -= columns[j].r[i] * c[j];
      axpy(c[j], columns[j].x, current.subspan(first, n));
    }
  }
}

void PreviousSolutions::keep(std::span<const Complex> current, double parameter) {
  if (kept_.size() == capacity)
    kept_.erase(std::ranges::max_element(kept_, {}, [&](const Kept& kept) {
      return std::abs(kept.parameter - parameter);
    }));
  kept_.push_back({parameter, {current.begin(), current.end()}});
}

}  // namespace thinwire
