#include <algorithm>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/base/parallel.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "mom/operators/device_fft.h"
#include "mom/operators/device_loads.h"

namespace thinwire {
namespace {

using namespace device;

/// A value and where it comes from, of the sparse rows below.
struct Term {
  std::uint32_t from;
  double sign;
};

/// to[i] = sum of sign x[from] over the terms of i: end currents from coefficients.
__global__ void gather_terms(const std::uint32_t* first, const Term* term,
                             std::size_t count, const double2* x, double2* to) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i >= count) return;
  double2 sum = {0, 0};
  for (std::uint32_t t = first[i]; t < first[i + 1]; ++t)
    sum = sum + term[t].sign * x[term[t].from];
  to[i] = sum;
}

/// in[m] = x[number[m]]: into the order along the curve.
__global__ void into_order(const std::uint32_t* number, std::size_t count,
                           const double2* x, double2* in) {
  const std::size_t m = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (m < count) in[m] = x[number[m]];
}

/// y[number[m]] = near[m] + the fields on the function's two ends.
__global__ void out_of_order(const std::uint32_t* number, const BasisFunction* basis,
                             std::size_t count, const double2* field, const double2* near,
                             double2* y) {
  const std::size_t m = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (m >= count) return;
  const BasisFunction f = basis[m];
  double2 sum = near[m];
  for (int t = 0; t < 2; ++t)
    sum = sum + static_cast<double>(f.sign[t]) *
                    field[2 * std::size_t{f.element[t]} + f.end[t]];
  y[number[m]] = sum;
}

}  // namespace

struct DeviceFftOperator::Parts {
  std::size_t unknowns, ends;
  DeviceFft::Numbers numbers;
  bool has_rough;
  OwnerShare share;
  // Null: there are more GPUs than channels. rough: in single, beside one in double.
  std::unique_ptr<DeviceGridOperator> grid, rough;
  DeviceNearMatrix matrix, reflected;  // of a real ground, made by the host
  std::unique_ptr<DeviceFill> fill;    // null: the host has filled
  DeviceBuffer<std::uint32_t> number, first_term;
  DeviceBuffer<Term> term;
  DeviceBuffer<BasisFunction> basis;
  DeviceLoads loads;
  DeviceBuffer<Complex> in, near, current, field;

  Parts(const FftOperator& host, DeviceFft::Numbers of_grid, bool rough_too,
        const DeviceStream& stream, OwnerShare of_owner)
      : unknowns(host.size()),
        ends(2 * host.order().elements.size()),
        numbers(of_grid),
        has_rough(rough_too && numbers == DeviceFft::Numbers::complex_double),
        share(of_owner),
        in(unknowns, "fft operator"),
        near(unknowns, "fft operator"),
        current(ends, "fft operator"),
        field(ends, "fft operator") {
    near.clear(stream);
    field.clear(stream);
    const CurveOrder& order = host.order();
    const EndTerms& terms = host.terms();
    LargeVector<Term> of_caller(terms.term.size());
    for_each_cheap(of_caller.size(), [&](std::size_t i) {
      of_caller[i] = {order.function[terms.term[i].function], terms.term[i].sign};
    });
    number = uploaded(order.function, "fft operator", stream);
    first_term = uploaded(terms.first, "fft operator", stream);
    term = uploaded(of_caller, "fft operator", stream);
    basis = uploaded(order.basis, "fft operator", stream);
  }

  /// Makes what depends on the frequency.
  void set_frequency(const FftOperator& host, const DeviceStream& stream,
                     const Monitor& monitor) {
    const std::size_t channels = host.grid().transfer().channels().size();
    rough.reset();
    grid.reset();
    if (share.first(channels) < share.last(channels)) {
      grid = std::make_unique<DeviceGridOperator>(host.grid(), numbers, stream, share);
      if (has_rough) try {
          rough = std::make_unique<DeviceGridOperator>(host.grid(), *grid, stream);
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::memory) throw;
        }
    }
    if (!host.near().x.value.empty()) {
      if (share.owner == 0) matrix = device_near_matrix(host.near());
    } else {
      const FillInput input = host.exact_in_order();
      const GridClass& grid_class = host.plan().grid_class;
      if (!fill)
        fill = std::make_unique<DeviceFill>(
            input.elements, input.basis, input.kernel, input.medium,
            PairLimit(host.plan().k_rad_per_m, grid_class.pair_radii,
                      grid_class.pair_nats));
      monitor.report("fill", 0.1);
      fill->set_wavenumber(input.k_rad_per_m, monitor);
      monitor.report("fill", 0.2);
      matrix = device_near_matrix(
          *fill, input, host.grid(), monitor.part(0.2, 1), near_entries_at_once,
          {share.first(unknowns), share.last(unknowns)}, std::move(matrix), grid.get());
    }
    reflected = {};
    if (share.owner == 0 && !host.near_reflected().x.value.empty())
      reflected = device_near_matrix(host.near_reflected());
    if (share.owner == 0) loads = DeviceLoads(host.loads(), stream);
  }
};

DeviceFftOperator::DeviceFftOperator(const FftOperator& host, DeviceFft::Numbers numbers,
                                     const Monitor& monitor, DeviceExchange* others,
                                     bool rough)
    : parts_(std::make_unique<Parts>(host, numbers, rough, stream(),
                                     others ? others->share() : OwnerShare{})),
      others_(others) {
  set_frequency(host, monitor);
}
DeviceFftOperator::~DeviceFftOperator() = default;

void DeviceFftOperator::set_frequency(const FftOperator& host, const Monitor& monitor) {
  parts_->set_frequency(host, stream(), monitor);
}

void DeviceFftOperator::drop_places() {
  parts_->matrix.places.reset();
  parts_->matrix.places_of_r.reset();
}

const DeviceFill* DeviceFftOperator::fill() const {
  return parts_->fill.get();
}

std::uint64_t DeviceFftOperator::near_entries() const {
  return parts_->matrix.entries;
}

std::size_t DeviceFftOperator::near_bytes() const {
  const DeviceNearMatrix& near = parts_->matrix;
  std::size_t bytes = (near.x ? near.x->bytes() : 0) + (near.r ? near.r->bytes() : 0);
  for (const auto& part : {&parts_->reflected.x, &parts_->reflected.r})
    if (*part) bytes += (*part)->bytes();
  return bytes;
}

std::size_t DeviceFftOperator::size() const {
  return parts_->unknowns;
}

void DeviceFftOperator::multiply_near(const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const DeviceNearMatrix& near = p.matrix;
  if (near.x)
    near.x->multiply(Complex(0, 1), p.in.data(), Complex(0), p.near.data(), stream);
  if (near.r)
    near.r->multiply(Complex(1), p.in.data(), Complex(1), p.near.data(), stream);
  if (!p.reflected.x) return;
  p.reflected.x->multiply(Complex(0, 1), p.in.data(), Complex(1), p.near.data(), stream);
  p.reflected.r->multiply(Complex(1), p.in.data(), Complex(1), p.near.data(), stream);
}

void DeviceFftOperator::multiply(const Complex* x, Complex* y, int rhs_count,
                                 const DeviceStream& stream) const {
  multiply_by(parts_->grid.get(), x, y, rhs_count, stream);
}

double DeviceFftOperator::rough_error() const {
  constexpr double of_single = 3e-7;
  return parts_->has_rough ? of_single : 0;
}

void DeviceFftOperator::multiply_roughly(const Complex* x, Complex* y, int rhs_count,
                                         const DeviceStream& stream) const {
  multiply_by(parts_->rough ? parts_->rough.get() : parts_->grid.get(), x, y, rhs_count,
              stream);
}

void DeviceFftOperator::multiply_by(const DeviceGridOperator* grid, const Complex* x,
                                    Complex* y, int rhs_count,
                                    const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const std::size_t length = static_cast<std::size_t>(rhs_count) * padded();
  auto* const sum = others_ ? static_cast<Complex*>(others_->window()) : y;
  if (others_) set_bytes(sum, 0, length * sizeof(Complex), stream);
  for (int rhs = 0; rhs < rhs_count; ++rhs) {
    const double2* from = thinwire::parts(x + rhs * padded());
    double2* to = thinwire::parts(sum + rhs * padded());
    gather_terms<<<pass_blocks(p.ends), pass_threads, 0, stream.get()>>>(
        p.first_term.data(), p.term.data(), p.ends, from,
        thinwire::parts(p.current.data()));
    into_order<<<pass_blocks(p.unknowns), pass_threads, 0, stream.get()>>>(
        p.number.data(), p.unknowns, from, thinwire::parts(p.in.data()));
    check_launch("fft product, currents");
    if (grid) grid->apply(p.current.data(), p.field.data(), stream);
    multiply_near(stream);
    out_of_order<<<pass_blocks(p.unknowns), pass_threads, 0, stream.get()>>>(
        p.number.data(), p.basis.data(), p.unknowns, thinwire::parts(p.field.data()),
        thinwire::parts(p.near.data()), to);
    check_launch("fft product, fields");
    p.loads.add_product(x + rhs * padded(), sum + rhs * padded(), stream);
  }
  if (others_) others_->sum_windows(y, length, stream);
}

std::size_t DeviceFftOperator::bytes() const {
  const Parts& p = *parts_;
  const auto near_bytes = [](const auto& matrix) {
    return matrix ? matrix->bytes() + matrix->work_bytes() : 0;
  };
  return (p.grid ? p.grid->bytes() : 0) + (p.rough ? p.rough->bytes() : 0) +
         near_bytes(p.matrix.x) + near_bytes(p.matrix.r) + near_bytes(p.reflected.x) +
         near_bytes(p.reflected.r) + p.number.bytes() + p.first_term.bytes() +
         p.term.bytes() + p.basis.bytes() + p.in.bytes() + p.near.bytes() +
         p.current.bytes() + p.field.bytes();
}

}  // namespace thinwire
