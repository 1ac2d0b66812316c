#include "kernels/matrix/product_timer.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "kernels/device/libraries.cuh"
#include "kernels/matrix/random_fill.h"
#include "kernels/matrix/row_gemv.h"
#include "kernels/matrix/symv.h"

namespace thinwire {
namespace {

constexpr LibraryUse timer_use = {"product times", "Use a smaller --n."};

}  // namespace

struct DeviceProductBench::Parts {
  std::size_t n;
  int repeats;
  DeviceStream stream;
  Cublas cublas{stream, timer_use};
  DeviceBuffer<Complex> matrix, x, y;

  RunTimes time(const std::function<void()>& run) {
    run();
    stream.synchronize();
    std::vector<double> seconds;
    DeviceEvent start, stop;
    for (int i = 0; i < repeats; ++i) {
      start.record(stream);
      run();
      stop.record(stream);
      seconds.push_back(stop.seconds_since(start));
    }
    return summarise(std::move(seconds));
  }

  /// By the host's clock, for work that the host takes part in.
  RunTimes time_on_host(const std::function<void()>& run) {
    using Clock = std::chrono::steady_clock;
    run();
    stream.synchronize();
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
      const Clock::time_point start = Clock::now();
      run();
      stream.synchronize();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return summarise(std::move(seconds));
  }

  /// Clocks rise from idle in some tens of milliseconds.
  void warm_up() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    while (Clock::now() - start < std::chrono::milliseconds(100)) {
      device_row_gemv({n, n, false, 64}, matrix.data(), x.data(), y.data(), stream);
      stream.synchronize();
    }
  }
};

DeviceProductBench::DeviceProductBench(std::size_t n, int repeats) {
  if (n < 1 || repeats < 1)
    throw Error(ErrorKind::usage, "product times: n and repeats must be 1 or more.");
  const std::size_t leading = (n + 7) / 8 * 8;
  require_device_memory(16 * leading * n, "full matrix", n, timer_use.way_out);
  parts_ = std::make_unique<Parts>();
  parts_->n = n;
  parts_->repeats = repeats;
  parts_->matrix = {leading * n, "full matrix"};
  parts_->x = {4 * PackedTiles{n}.padded(), "x"};
  parts_->y = {4 * PackedTiles{n}.padded(), "y"};
  fill_with_random<double>(parts_->matrix.data(), parts_->matrix.bytes(), parts_->stream);
  fill_with_random<double>(parts_->x.data(), parts_->x.bytes(), parts_->stream);
  parts_->warm_up();
}

DeviceProductBench::~DeviceProductBench() = default;

std::size_t DeviceProductBench::size() const {
  return parts_->n;
}

RunTimes DeviceProductBench::row(int threads, bool pad, bool transposed) {
  Parts& p = *parts_;
  const RowGemv shape{p.n, pad ? padded() : p.n, transposed, threads};
  return p.time(
      [&] { device_row_gemv(shape, p.matrix.data(), p.x.data(), p.y.data(), p.stream); });
}

RunTimes DeviceProductBench::cublas_gemv(bool transposed) {
  Parts& p = *parts_;
  const cuDoubleComplex one = {1, 0}, zero = {0, 0};
  const auto n = static_cast<std::int64_t>(p.n);
  return p.time([&] {
    check_cublas(
        timer_use,
        cublasZgemv_64(p.cublas.get(), transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, &one,
                       reinterpret_cast<const cuDoubleComplex*>(p.matrix.data()), n,
                       reinterpret_cast<const cuDoubleComplex*>(p.x.data()), 1, &zero,
                       reinterpret_cast<cuDoubleComplex*>(p.y.data()), 1),
        "cublasZgemv");
  });
}

RunTimes DeviceProductBench::cublas_symv(bool atomics) {
  Parts& p = *parts_;
  const cuDoubleComplex one = {1, 0}, zero = {0, 0};
  const auto n = static_cast<std::int64_t>(p.n);
  check_cublas(timer_use,
               cublasSetAtomicsMode(p.cublas.get(), atomics ? CUBLAS_ATOMICS_ALLOWED
                                                            : CUBLAS_ATOMICS_NOT_ALLOWED),
               "cublasSetAtomicsMode");
  return p.time([&] {
    check_cublas(
        timer_use,
        cublasZsymv_64(p.cublas.get(), CUBLAS_FILL_MODE_LOWER, n, &one,
                       reinterpret_cast<const cuDoubleComplex*>(p.matrix.data()), n,
                       reinterpret_cast<const cuDoubleComplex*>(p.x.data()), 1, &zero,
                       reinterpret_cast<cuDoubleComplex*>(p.y.data()), 1),
        "cublasZsymv");
  });
}

RunTimes DeviceProductBench::symmetric(Storage storage, int rhs_count,
                                       SymvSetting setting) {
  Parts& p = *parts_;
  const PackedTiles layout{p.n};
  DeviceTiles z(layout, storage);
  if (storage == Storage::complex_double)
    fill_with_random<double>(z.data(), z.bytes(), p.stream);
  else
    fill_with_random<float>(z.data(), z.bytes(), p.stream);
  DeviceSymv symv(layout, storage, rhs_count, setting);
  return p.time([&] { symv.multiply(z, p.x.data(), p.y.data(), p.stream); });
}

RunTimes DeviceProductBench::vector_round_trip() {
  Parts& p = *parts_;
  std::vector<Complex> host(p.n);
  return p.time_on_host([&] {
    copy_bytes(p.x.data(), host.data(), host.size() * sizeof(Complex), p.stream);
    copy_bytes(host.data(), p.x.data(), host.size() * sizeof(Complex), p.stream);
  });
}

RunTimes DeviceProductBench::matrix_upload() {
  Parts& p = *parts_;
  const PackedTiles layout{p.n};
  std::vector<Complex> host(layout.entries(), Complex(1, -1));
  DeviceTiles z(layout, Storage::complex_double);
  return p.time_on_host([&] { z.upload(host, p.stream); });
}

}  // namespace thinwire
