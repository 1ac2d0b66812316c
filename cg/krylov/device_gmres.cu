#include <algorithm>
#include <cfloat>
#include <vector>

#include "cg/krylov/device_recurrence.cuh"

namespace thinwire {
namespace {

using namespace device;

// The recurrence of gmres.cpp, the Hessenberg matrix included. Iteration k:
//
//   GmresLoad            work = M v_k
//   first, second pass   w = Z work
//   orthogonalise twice: part_j = v_j^H w (a block for each j), w -= part_j v_j, h +=
//   part
//       the second time also |w|, and in one thread: the new column through the rotations
//       before it, a rotation more, the residual: record, test
//   GmresNormalise       v_{k+1} = w / |w|
//
// Vectors and columns grow by chunks; kernels find them through tables, so that a graph
// captured once works for any k.

constexpr int chunk = 32;

/// On the GPU.
struct GmresState {
  int columns;
  double w_norm;
};

struct GmresOp {
  const int* skip;
  SumSpace space;
  Scalars scalars;
  GmresState* own;
  double2** basis;    // [j] v_j
  double2** columns;  // [k] column k of the triangle, k + 2 entries
  double2 *part, *h;  // [k + 1]
  double* cosine;     // rotations
  double2 *sine, *rhs;
  double2 *w, *work, *r;
  std::size_t n;
};

struct GmresStart : GmresOp {
  static constexpr int sums = 1;
  __device__ void operator()(std::size_t i, double* sum) const {
    w[i] = r[i];
    sum[0] += norm(r[i]);
  }
  __device__ void finish(const double* total) const {
    own->columns = 0;
    own->w_norm = sqrt(total[0]);
    rhs[0] = {own->w_norm, 0};
  }
};

struct GmresNormalise : GmresOp {
  static constexpr int sums = 0;
  __device__ void operator()(std::size_t i, double*) const {
    basis[own->columns][i] = (1 / own->w_norm) * w[i];
  }
};

struct GmresLoad : GmresOp {
  static constexpr int sums = 0;
  __device__ double2 input(std::size_t i) const { return basis[own->columns][i]; }
  __device__ void operator()(std::size_t i, double2 z, double*) const { work[i] = z; }
  __device__ void operator()(std::size_t i, double*) const {
    work[i] = basis[own->columns][i];
  }
};

/// part_j = v_j^H w, and h = part or h += part.
__global__ void __launch_bounds__(tuning::vector_threads)
    gmres_dots(GmresOp op, bool again) {
  wait_for_kernel_before();
  let_next_kernel_start();
  if (*op.skip != 0) return;
  for (int j = blockIdx.x; j <= op.own->columns; j += gridDim.x) {
    const double2* v = op.basis[j];
    double sum[2] = {};
#pragma unroll 4
    for (std::size_t i = threadIdx.x; i < op.n; i += tuning::vector_threads) {
      const double2 product = conj(v[i]) * op.w[i];
      sum[0] += product.x;
      sum[1] += product.y;
    }
    block_sum<2, tuning::vector_threads>(sum);
    if (threadIdx.x == 0) {
      op.part[j] = {sum[0], sum[1]};
      op.h[j] = again ? op.h[j] + op.part[j] : op.part[j];
    }
  }
}

/// w = w - sum_j part_j v_j; the second time the column too.
template <bool again>
struct GmresSubtract : GmresOp {
  static constexpr int sums = again ? 1 : 0;

  __device__ void operator()(std::size_t i, double* sum) const {
    double2 value = w[i];
    const int count = own->columns + 1;
#pragma unroll 4
    for (int j = 0; j < count; ++j) {
      const double2 factor = part[j];
      add_product(value, double2{-factor.x, -factor.y}, basis[j][i]);
    }
    w[i] = value;
    if constexpr (again) sum[0] += norm(value);
  }

  static __device__ void rotate(double c, double2 s, double2& a, double2& b) {
    const double2 rotated = c * a + s * b;
    b = c * b - conj(s) * a;
    a = rotated;
  }

  /// HessenbergLeastSquares::add_column of gmres.cpp. False: the column depends on those
  /// before it. What the rotations read does not depend on what they write, so that the
  /// loads of many run ahead of the chain of rotations.
  __device__ bool add_column(double w_norm) const {
    const int k = own->columns;
    const double2* __restrict__ from = h;
    const double* __restrict__ c = cosine;
    const double2* __restrict__ s = sine;
    double2* __restrict__ column = columns[k];
    double column_norm = fma(w_norm, w_norm, norm(from[0]));
    double2 last = from[0];
#pragma unroll 8
    for (int j = 0; j < k; ++j) {
      double2 next = from[j + 1];
      column_norm += norm(next);
      rotate(c[j], s[j], last, next);
      column[j] = last;
      last = next;
    }
    const double size = abs(last), diagonal = hypot(size, w_norm);
    if (!(diagonal > DBL_EPSILON * sqrt(column_norm))) return false;
    const double2 phase = size > 0 ? (1 / size) * last : double2{1, 0};
    cosine[k] = size / diagonal;
    sine[k] = (w_norm / diagonal) * phase;
    column[k] = diagonal * phase;
    rhs[k + 1] = {0, 0};
    rotate(cosine[k], sine[k], rhs[k], rhs[k + 1]);
    return true;
  }

  __device__ void finish(const double* total) const {
    const double w_norm = sqrt(total[0]);
    if (!isfinite(w_norm) || !add_column(w_norm)) return scalars.end(CycleEnd::breakdown);
    own->w_norm = w_norm;
    const int columns_now = ++own->columns;
    if (scalars.record(abs(rhs[columns_now])) && columns_now == n)
      scalars.end(CycleEnd::finished);
  }
};

/// work = sum_j y_j v_j, y in `part`.
struct GmresCombine : GmresOp {
  static constexpr int sums = 0;
  int count;
  __device__ void operator()(std::size_t i, double*) const {
    double2 value = {0, 0};
    for (int j = 0; j < count; ++j) add_product(value, part[j], basis[j][i]);
    work[i] = value;
  }
};

/// current += M work, or work.
struct GmresUpdate : GmresOp {
  static constexpr int sums = 0;
  double2* current;
  __device__ double2 input(std::size_t i) const { return work[i]; }
  __device__ void operator()(std::size_t i, double2 z, double*) const {
    current[i] = current[i] + z;
  }
  __device__ void operator()(std::size_t i, double*) const {
    current[i] = current[i] + work[i];
  }
};

class Gmres final : public Recurrence {
 public:
  Gmres(const DeviceOperator& z, const DeviceBlockPreconditioner* m)
      : Recurrence(z, m),
        w_(vector()),
        work_(vector()),
        own_(1, "solver state"),
        basis_table_(n() + 2, "solver state"),
        column_table_(n() + 2, "solver state"),
        part_(n() + 2, "solver state"),
        h_(n() + 2, "solver state"),
        sine_(n() + 2, "solver state"),
        rhs_(n() + 2, "solver state"),
        cosine_(n() + 2, "solver state") {
    own_.clear(stream());  // its padding too: it is downloaded whole
  }

  void prepare(int iteration) override {
    const auto last = std::min<std::size_t>(iteration, n());
    while (chunk * basis_.size() < last + 1) add_chunk();
  }

  void begin() override {
    prepare(1);
    run(GmresStart{op()});
    run(GmresNormalise{op()});
  }

  void step() override {
    if (m_)
      precondition(GmresLoad{op()});
    else
      run(GmresLoad{op()});
    product(work_, StoreProduct{skip(), {}, parts(w_.data())});
    dots(false);
    run(GmresSubtract<false>{op()});
    dots(true);
    run(GmresSubtract<true>{op()});
    run(GmresNormalise{op()});
  }

  void finish() override {
    const std::vector<Complex> y = least_squares_solution();
    if (y.empty()) return;
    part_.upload(y, stream());
    GmresOp always = op();
    always.skip = nullptr;
    run(GmresCombine{always, static_cast<int>(y.size())});
    const GmresUpdate update = {always, parts(current_.data())};
    if (m_)
      precondition(update);
    else
      run(update);
    stream().synchronize();
  }

 private:
  GmresOp op() const {
    return {skip(),
            space(),
            scalars(),
            own_.data(),
            basis_table_.data(),
            column_table_.data(),
            parts(part_.data()),
            parts(h_.data()),
            cosine_.data(),
            parts(sine_.data()),
            parts(rhs_.data()),
            parts(w_.data()),
            parts(work_.data()),
            parts(r_.data()),
            n()};
  }

  void dots(bool again) const {
    launch_overlapped("GMRES, dot products", gmres_dots, tuning::vector_blocks,
                      tuning::vector_threads, 0, stream(), op(), again);
  }

  std::size_t column_length(std::size_t of_chunk) const {
    return chunk * (of_chunk + 1) + 1;
  }

  void add_chunk() {
    const std::size_t index = basis_.size(), padded = z_.tiles().layout().padded();
    require_device_memory(
        (chunk * padded + chunk * column_length(index)) * sizeof(Complex),
        "GMRES's vectors", n(), "Use --solver cocg, which keeps few.");
    basis_.emplace_back(chunk * padded, "GMRES's vectors");
    columns_.emplace_back(chunk * column_length(index), "GMRES's vectors");
    columns_.back().clear(stream());  // chunks are downloaded whole
    std::vector<double2*> vectors, columns;
    for (std::size_t j = 0; j < chunk && chunk * index + j < basis_table_.size(); ++j) {
      vectors.push_back(parts(basis_.back().data()) + j * padded);
      columns.push_back(parts(columns_.back().data()) + j * column_length(index));
    }
    const std::size_t bytes = vectors.size() * sizeof(double2*);
    copy_bytes(basis_table_.data() + chunk * index, vectors.data(), bytes, stream());
    copy_bytes(column_table_.data() + chunk * index, columns.data(), bytes, stream());
    stream().synchronize();
  }

  /// The triangle is small: the CPU solves it.
  std::vector<Complex> least_squares_solution() const {
    GmresState own;
    own_.download({&own, 1}, stream());
    const auto count = static_cast<std::size_t>(own.columns);
    std::vector<Complex> y(count + 1);
    rhs_.download(y, stream());
    y.pop_back();
    std::vector<std::vector<Complex>> columns;
    for (std::size_t c = 0; chunk * c < count; ++c) {
      columns.emplace_back(columns_[c].size());
      columns_[c].download(columns.back(), stream());
    }
    for (std::size_t k = count; k-- > 0;) {
      const Complex* column =
          columns[k / chunk].data() + k % chunk * column_length(k / chunk);
      y[k] /= column[k];
      for (std::size_t i = 0; i < k; ++i) y[i] -= column[i] * y[k];
    }
    return y;
  }

  DeviceBuffer<Complex> w_, work_;
  DeviceBuffer<GmresState> own_;
  DeviceBuffer<double2*> basis_table_, column_table_;
  DeviceBuffer<Complex> part_, h_, sine_, rhs_;
  DeviceBuffer<double> cosine_;
  std::vector<DeviceBuffer<Complex>> basis_, columns_;
};

}  // namespace

SolveResult solve_gmres(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                        std::span<const Complex> v, std::span<Complex> current,
                        const SolverControl& control, Placement placement) {
  Gmres recurrence(z, m);
  return run_on_device(z, m, v, current, control, placement, recurrence);
}

}  // namespace thinwire
