#include "kernels/ground/box_fitter.h"

#include <deque>

#include "kernels/base/quadrature.h"
#include "kernels/device/launch.cuh"
#include "kernels/ground/box_cells.cuh"
#include "kernels/ground/cylinder_series.h"
#include "kernels/ground/weighted_spectra.h"

namespace thinwire {
namespace {

using namespace device;

constexpr int fit_threads = tuning::box_fit_threads,
              cut_threads = tuning::box_cut_threads,
              write_blocks = tuning::box_write_blocks;
constexpr int terms = GroundTableView::terms, degree = GroundTableView::degree;
/// Points of a path that stand in shared memory at a time.
constexpr int fits_at_once = 32;

using BoxRule = ChebyshevRule<box_nodes>;
/// A box that is to be fitted, and its path.
struct BoxPath {
  ReflectionRange range;
  PathPlane plane;
  std::uint32_t first_panel, panels;
};

/// A point of the path, and the series for all rho of the box as CylinderRow takes them.
struct SharedPoint {
  WeightedSpectra spectra;
  HdComplex kr, half_log;
  double size;
  CylinderFactor factor;
  int near_terms, far_terms;
};

struct FitMemory {
  double rho[box_nodes], log_rho[box_nodes], zeta[box_nodes];
  SharedPoint point[fits_at_once];
  HdComplex cylinder[fits_at_once][box_nodes][2];
  union {
    HdComplex down[fits_at_once][kernels][box_nodes];  // e^{-u zeta} times the spectra
    struct {
      BoxValues values, half;
    };
  };
  __device__ FitMemory() {}
};

__device__ void set_point(const BesideImage& beside, const BoxPath& box,
                          const PathPanel& panel, int node,
                          const double (&rho)[box_nodes], SharedPoint& point) {
  const GaussRule gauss = gauss_rule(coarse_path.points);
  const auto at = point_of(box.plane, panel, gauss.node[node], gauss.weight[node]);
  point.spectra = beside.side == GroundSide::above ? reflected_spectra(beside.eps, at)
                                                   : below_spectra(beside.eps, at);
  point.factor = cylinder_of(panel.way);
  point.kr = point.factor == CylinderFactor::half_hankel_2 ? conj(at.kr) : at.kr;
  point.half_log = half_log_of(point.kr);
  point.size = abs(at.kr);
  // The nodes go down.
  const double most = point.size * rho[0], least = point.size * rho[box_nodes - 1];
  point.near_terms = series_terms(fmin(most, cylinder_series_end));
  point.far_terms = asymptotic_terms(fmax(least, cylinder_series_end));
}

__device__ void set_cylinder(const SharedPoint& point, double rho, double log_rho,
                             HdComplex (&out)[2]) {
  const bool near = point.size * rho < cylinder_series_end,
             bessel = point.factor == CylinderFactor::bessel;
  CylinderLanes<double> of;
  if (near && bessel)
    bessel_series(rho, point.kr, point.near_terms, of);
  else if (near)
    hankel_series(rho, log_rho, point.kr, point.half_log, point.near_terms, of);
  else if (bessel)
    bessel_asymptotic(rho, point.kr, point.far_terms, of);
  else
    hankel_asymptotic(rho, point.kr, point.far_terms, of);
  const double sign = point.factor == CylinderFactor::half_hankel_2 ? -1 : 1;
  out[0] = {of.re_0, sign * of.im_0};
  out[1] = {of.re_1, sign * of.im_1};
}

/// The spectra times e^{-u zeta}, for every kernel.
__device__ void set_down(const BesideImage& beside, const WeightedSpectra& spectra,
                         double zeta, HdComplex (*down)[box_nodes], int j) {
  const HdComplex u = beside.side == GroundSide::above ? spectra.u1 : spectra.u2;
  double sine, cosine;
  sincos_simd(u.im * zeta, sine, cosine);
  const HdComplex decay = exp_simd(-u.re * zeta) * HdComplex{cosine, -sine};
  for (int k = 0; k < kernels; ++k) down[k][j] = decay * spectra.value[k];
}

/// to[i][j] = sum_a transform[i][a] from[a][j] where `first`, else along the second.
__device__ void transform(const BoxRule& rule, const BoxValues& from, BoxValues& to,
                          bool first) {
  for (int e = threadIdx.x; e < box_nodes * box_nodes * kernels; e += fit_threads) {
    const int i = e / (box_nodes * kernels), j = e / kernels % box_nodes, k = e % kernels;
    if (first)
      combine(rule.transform[i], &from[0][j][k], box_nodes * kernels, to[i][j][k]);
    else
      combine(rule.transform[j], &from[i][0][k], kernels, to[i][j][k]);
  }
}

/// A block of threads fits a box.
///
///     32 points of the path:  a thread each              kr, weight, spectra
///     point x rho, x zeta:    a thread each, in turn     J or H;  e^{-u zeta} spectra
///     rho x kernel x zeta:    three sums a thread        += over the points
///
/// and so on along the path; then the image is taken out, and values at the nodes become
/// coefficients.
__global__ void __launch_bounds__(fit_threads)
    fit_boxes(const __grid_constant__ BoxRule rule,
              const __grid_constant__ BesideImage beside, const BoxPath* boxes,
              const PathPanel* panels, BoxValues* coefficients, LeftOut* left_out) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<FitMemory*>(memory);
  const BoxPath& box = boxes[blockIdx.x];
  const int t = threadIdx.x;
  if (t < box_nodes) {
    shared.rho[t] = box_node(rule, t, box.range.rho_0, box.range.rho_1);
    shared.zeta[t] = box_node(rule, t, box.range.zeta_0, box.range.zeta_1);
    shared.log_rho[t] = log(shared.rho[t]);
  }
  // Sums of rho i, kernel k and zeta j, j + 4, j + 8.
  static_assert(fit_threads == 16 * box_nodes && box_nodes == 12 && kernels == 4);
  const int i = t / 16, k = t / 4 % 4, j = t % 4;
  HdComplex sum[3] = {};
  const int points = static_cast<int>(box.panels) * coarse_path.points;
  for (int first = 0; first < points; first += fits_at_once) {
    const int count = min(fits_at_once, points - first);
    __syncthreads();
    if (t < count) {
      const int at = first + t;
      set_point(beside, box, panels[box.first_panel + at / coarse_path.points],
                at % coarse_path.points, shared.rho, shared.point[t]);
    }
    __syncthreads();
    for (int e = t; e < count * box_nodes; e += fit_threads) {
      const int p = e / box_nodes, n = e % box_nodes;
      set_cylinder(shared.point[p], shared.rho[n], shared.log_rho[n],
                   shared.cylinder[p][n]);
      set_down(beside, shared.point[p].spectra, shared.zeta[n], shared.down[p], n);
    }
    __syncthreads();
    for (int p = 0; p < count; ++p) {
      const HdComplex of_rho = shared.cylinder[p][i][k == 3 ? 1 : 0];
      for (int m = 0; m < 3; ++m) sum[m] += of_rho * shared.down[p][k][j + 4 * m];
    }
  }
  __syncthreads();
  for (int m = 0; m < 3; ++m) shared.half[i][j + 4 * m][k] = sum[m];
  __syncthreads();
  if (t < box_nodes * box_nodes) {
    const int a = t / box_nodes, b = t % box_nodes;
    const HdComplex(&there)[kernels] = shared.half[a][b];
    beside.over_g(shared.rho[a], shared.zeta[b], {there[0], there[1], there[2], there[3]},
                  shared.values[a][b]);
  }
  __syncthreads();
  transform(rule, shared.values, shared.half, false);
  __syncthreads();
  transform(rule, shared.half, shared.values, true);
  __syncthreads();
  BoxValues& out = coefficients[blockIdx.x];
  for (int e = t; e < box_nodes * box_nodes * kernels; e += fit_threads)
    (&out[0][0][0])[e] = (&shared.values[0][0][0])[e];
  if (t >= 32) return;
  LeftOut tail = highest_degrees(
      [&](int a, int b) { return norm(shared.values[a][b][t % kernels]); });
  for (int lane = 1; lane < kernels; lane *= 2) {
    tail.rho = fmax(tail.rho, __shfl_xor_sync(0xffffffffu, tail.rho, lane));
    tail.zeta = fmax(tail.zeta, __shfl_xor_sync(0xffffffffu, tail.zeta, lane));
  }
  if (t == 0) left_out[blockIdx.x] = tail;
}

/// A block of threads finds how many cells a box is cut into: twice as many, one way or
/// the other, where the first cell that leaves out too much wants them.
__global__ void __launch_bounds__(cut_threads)
    count_cells(const __grid_constant__ CellRule rule, double tolerance,
                const BoxValues* const* boxes, CellCounts* counts) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<CutMemory*>(memory);
  load_box(*boxes[blockIdx.x], shared.box);
  int rho_cells = 1, zeta_cells = 1;
  constexpr int none = 0x7fffffff;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) shared.first_wide = none;
    set_cells(rule, rho_cells, zeta_cells, shared);
    __syncthreads();
    const int cells = rho_cells * zeta_cells, kernel = threadIdx.x % kernels;
    // Whole warps, for their lanes ask each other.
    for (int first = 0; first < cells; first += cut_threads / kernels) {
      const int cell = first + threadIdx.x / kernels, there = min(cell, cells - 1);
      const LeftOut left =
          left_out_of_cell(shared, there % rho_cells, there / rho_cells, kernel);
      const bool wide_in_rho = left.rho > left.zeta;
      if (cell < cells && left.both() > tolerance &&
          (wide_in_rho ? rho_cells : zeta_cells) < max_cells)
        atomicMin(&shared.first_wide, 2 * cell + (wide_in_rho ? 0 : 1));
    }
    __syncthreads();
    const int wide = shared.first_wide;
    if (wide == none) break;
    (wide % 2 == 0 ? rho_cells : zeta_cells) *= 2;
  }
  if (threadIdx.x == 0)
    counts[blockIdx.x] = {static_cast<std::uint8_t>(rho_cells),
                          static_cast<std::uint8_t>(zeta_cells)};
}

/// The polynomials of a box's cells, some blocks for each box: four neighbouring threads
/// have a kernel each of a cell.
__global__ void __launch_bounds__(cut_threads)
    write_cells(const __grid_constant__ CellRule rule, HdComplex of_charges,
                const BoxValues* const* boxes, const CellCounts* counts,
                const std::uint32_t* first_cell, double* coefficients) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<CutMemory*>(memory);
  const int rho_cells = counts[blockIdx.x].rho, zeta_cells = counts[blockIdx.x].zeta;
  load_box(*boxes[blockIdx.x], shared.box);
  set_cells(rule, rho_cells, zeta_cells, shared);
  __syncthreads();
  const int kernel = threadIdx.x % kernels, step = write_blocks * cut_threads / kernels;
  for (int cell = (blockIdx.y * cut_threads + threadIdx.x) / kernels;
       cell < rho_cells * zeta_cells; cell += step) {
    HdComplex c[degree + 1][degree + 1];
#pragma unroll
    for (int i = 0; i <= degree; ++i) {
      HdComplex row[box_nodes];
      set_row(shared.rho[cell % rho_cells][i], shared.box, kernel, row);
#pragma unroll
      for (int j = 0; j <= degree - i; ++j)
        combine(shared.zeta[cell / rho_cells][j], row, 1, c[i][j]);
    }
    auto* to =
        reinterpret_cast<double2*>(
            coefficients + std::size_t{first_cell[blockIdx.x] + cell} * (8 * terms)) +
        kernel;
#pragma unroll
    for (int j = degree; j >= 0; --j)
#pragma unroll
      for (int i = degree - j; i >= 0; --i, to += kernels) {
        HdComplex sum;
        power_coefficient(c, i, j, sum);
        if (kernel == 1) sum = of_charges * sum;
        *to = {sum.re, sum.im};
      }
  }
}

/// Memory that is allocated anew where more is wanted than ever before.
template <class T>
void upload(std::span<const T> values, DeviceBuffer<T>& to, const DeviceStream& stream) {
  if (to.size() < values.size()) to = {2 * values.size(), "table of the ground"};
  copy_bytes(to.data(), values.data(), values.size_bytes(), stream);
}

class DeviceBoxFitter final : public BoxFitter {
 public:
  DeviceBoxFitter(Complex eps, GroundSide side) : eps_(eps), beside_image_(eps, side) {
    allow_shared(fit_boxes, sizeof(FitMemory), what);
    allow_shared(count_cells, sizeof(CutMemory), what);
    allow_shared(write_cells, sizeof(CutMemory), what);
  }

  std::vector<LeftOut> fit(std::span<const ReflectionRange> boxes) override {
    const std::size_t count = boxes.size();
    if (count == 0) return {};
    upload_paths(boxes);
    fits_.emplace_back(count, what);
    for (std::size_t box = 0; box < count; ++box)
      fit_of_box_.push_back(fits_.back().data() + box);
    if (left_out_.size() < count) left_out_ = {2 * count, what};
    fit_boxes<<<static_cast<unsigned>(count), fit_threads, sizeof(FitMemory),
                stream_.get()>>>(BoxRule::get(), beside_image_, boxes_.data(),
                                 panels_.data(), fits_.back().data(), left_out_.data());
    check_launch("table of the ground, fits");
    std::vector<LeftOut> left(count);
    copy_bytes(left.data(), left_out_.data(), count * sizeof(LeftOut), stream_);
    stream_.synchronize();
    return left;
  }

  std::vector<CellCounts> cut(std::span<const std::uint32_t> boxes,
                              double tolerance) override {
    counts_.resize(boxes.size());
    if (boxes.empty()) return counts_;
    std::vector<const BoxValues*> fits;
    for (const std::uint32_t box : boxes) fits.push_back(fit_of_box_[box]);
    upload<const BoxValues*>(fits, cut_boxes_, stream_);
    device_counts_ = {boxes.size(), what};
    count_cells<<<static_cast<unsigned>(boxes.size()), cut_threads, sizeof(CutMemory),
                  stream_.get()>>>(CellRule::get(), tolerance, cut_boxes_.data(),
                                   device_counts_.data());
    check_launch("table of the ground, cells");
    device_counts_.download(counts_, stream_);
    return counts_;
  }

  void write(std::span<double> coefficients) override {
    if (coefficients.empty()) return;
    std::vector<std::uint32_t> first;
    std::size_t cells = 0;
    for (const CellCounts& of_box : counts_) {
      first.push_back(static_cast<std::uint32_t>(cells));
      cells += of_box.all();
    }
    upload<std::uint32_t>(first, first_cell_, stream_);
    DeviceBuffer<double> out(coefficients.size(), what);
    write_cells<<<dim3(static_cast<unsigned>(counts_.size()), write_blocks), cut_threads,
                  sizeof(CutMemory), stream_.get()>>>(
        CellRule::get(), beside_image_.of_charges(), cut_boxes_.data(),
        device_counts_.data(), first_cell_.data(), out.data());
    check_launch("table of the ground, polynomials");
    out.download(coefficients, stream_);
  }

 private:
  static constexpr const char* what = "table of the ground";

  void upload_paths(std::span<const ReflectionRange> boxes) {
    std::vector<TransmissionRange> ranges;
    for (const ReflectionRange& box : boxes)
      ranges.push_back(beside_image_.side == GroundSide::above ? above_surface(box)
                                                               : below_surface(box));
    const std::vector<PathPanels> paths = spectral_panels(eps_, ranges, coarse_path);
    std::vector<BoxPath> of_boxes;
    std::vector<PathPanel> panels;
    for (std::size_t box = 0; box < boxes.size(); ++box) {
      const auto& own = paths[box].panels;
      of_boxes.push_back({boxes[box], paths[box].plane,
                          static_cast<std::uint32_t>(panels.size()),
                          static_cast<std::uint32_t>(own.size())});
      panels.insert(panels.end(), own.begin(), own.end());
    }
    upload<BoxPath>(of_boxes, boxes_, stream_);
    upload<PathPanel>(panels, panels_, stream_);
  }

  Complex eps_;
  BesideImage beside_image_;
  DeviceStream stream_;
  std::deque<DeviceBuffer<BoxValues>> fits_;  // of each call of fit
  std::vector<const BoxValues*> fit_of_box_;  // on the GPU
  std::vector<CellCounts> counts_;            // of the boxes that were cut
  DeviceBuffer<BoxPath> boxes_;
  DeviceBuffer<PathPanel> panels_;
  DeviceBuffer<LeftOut> left_out_;
  DeviceBuffer<const BoxValues*> cut_boxes_;
  DeviceBuffer<CellCounts> device_counts_;
  DeviceBuffer<std::uint32_t> first_cell_;
};

}  // namespace

std::unique_ptr<BoxFitter> device_box_fitter(Complex eps, GroundSide side) {
  return std::make_unique<DeviceBoxFitter>(eps, side);
}

}  // namespace thinwire
