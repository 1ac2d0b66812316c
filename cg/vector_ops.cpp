#include "cg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace thinwire {
namespace {

constexpr std::ptrdiff_t chunk = sum_chunk;

std::ptrdiff_t length(std::span<const Complex> x) {
  return static_cast<std::ptrdiff_t>(x.size());
}

const double* parts(const Complex* x) {
  return reinterpret_cast<const double*>(x);
}
double* parts(Complex* x) {
  return reinterpret_cast<double*>(x);
}

// sum of x_i y_i (sign = 1) or conj(x_i) y_i (sign = -1) over one chunk. Written on real
// and imaginary parts: std::complex products look for infinities and do not vectorise.
Complex chunk_dot(const double* x, const double* y, std::ptrdiff_t n, double sign) {
  double rr = 0, ii = 0, ri = 0, ir = 0;
#pragma omp simd reduction(+ : rr, ii, ri, ir)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    rr += x[2 * i] * y[2 * i];
    ii += x[2 * i + 1] * y[2 * i + 1];
    ri += x[2 * i] * y[2 * i + 1];
    ir += x[2 * i + 1] * y[2 * i];
  }
  return {rr - sign * ii, ri + sign * ir};
}

// Calls one_chunk(first, count) for each chunk, in parallel, and adds the results in
// order.
template <class Value, class OneChunk>
Value sum_chunks(std::ptrdiff_t n, OneChunk one_chunk) {
  const std::ptrdiff_t chunks = (n + chunk - 1) / chunk;
  std::vector<Value> partial(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static) if (n >= parallel_length)
  for (std::ptrdiff_t c = 0; c < chunks; ++c)
    partial[c] = one_chunk(c * chunk, std::min(chunk, n - c * chunk));
  Value total = 0;
  for (const Value& value : partial) total += value;
  return total;
}

}  // namespace

double norm2(std::span<const Complex> x, const Comm& comm) {
  double total =
      sum_chunks<double>(length(x), [&](std::ptrdiff_t first, std::ptrdiff_t n) {
        const double* values = parts(x.data() + first);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::ptrdiff_t i = 0; i < 2 * n; ++i) sum += values[i] * values[i];
        return sum;
      });
  comm.sum(total);
  return std::sqrt(total);
}

Complex dotu(std::span<const Complex> x, std::span<const Complex> y, const Comm& comm) {
  Complex total =
      sum_chunks<Complex>(length(x), [&](std::ptrdiff_t first, std::ptrdiff_t n) {
        return chunk_dot(parts(x.data() + first), parts(y.data() + first), n, 1);
      });
  comm.sum(std::span<Complex>(&total, 1));
  return total;
}

void add_multiple(Complex a, std::span<const Complex> x, std::span<Complex> y) {
  const double re = a.real(), im = a.imag();
  const double* in = parts(x.data());
  double* out = parts(y.data());
  const std::ptrdiff_t n = length(x);
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double xr = in[2 * i], xi = in[2 * i + 1];
    out[2 * i] += re * xr - im * xi;
    out[2 * i + 1] += re * xi + im * xr;
  }
}

void axpy(Complex a, std::span<const Complex> x, std::span<Complex> y) {
  const std::ptrdiff_t n = length(x);
#pragma omp parallel for schedule(static) if (n >= parallel_length)
  for (std::ptrdiff_t begin = 0; begin < n; begin += chunk) {
    const auto first = static_cast<std::size_t>(begin),
               count = static_cast<std::size_t>(std::min(chunk, n - begin));
    add_multiple(a, x.subspan(first, count), y.subspan(first, count));
  }
}

void xpay(std::span<const Complex> x, Complex a, std::span<Complex> y) {
  const double re = a.real(), im = a.imag();
  const double* in = parts(x.data());
  double* out = parts(y.data());
  const std::ptrdiff_t n = length(x);
#pragma omp parallel for simd schedule(static) if (n >= parallel_length)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double yr = out[2 * i], yi = out[2 * i + 1];
    out[2 * i] = in[2 * i] + (re * yr - im * yi);
    out[2 * i + 1] = in[2 * i + 1] + (re * yi + im * yr);
  }
}

void dotc_all(const KrylovBasis& basis, std::span<const Complex> w, std::span<Complex> h,
              const Comm& comm) {
  const std::ptrdiff_t n = length(w);
  const std::ptrdiff_t count = length(h);
  const std::ptrdiff_t chunks = (n + chunk - 1) / chunk;
  std::vector<Complex> partial(static_cast<std::size_t>(chunks * count));
  // One chunk of w stays in cache while all basis vectors pass by.
#pragma omp parallel for collapse(2) schedule(static) if (n * count >= parallel_length)
  for (std::ptrdiff_t c = 0; c < chunks; ++c)
    for (std::ptrdiff_t j = 0; j < count; ++j)
      partial[c * count + j] =
          chunk_dot(parts(basis[j] + c * chunk), parts(w.data() + c * chunk),
                    std::min(chunk, n - c * chunk), -1);
  for (std::ptrdiff_t j = 0; j < count; ++j) {
    h[j] = 0;
    for (std::ptrdiff_t c = 0; c < chunks; ++c) h[j] += partial[c * count + j];
  }
  comm.sum(h);
}

}  // namespace thinwire
