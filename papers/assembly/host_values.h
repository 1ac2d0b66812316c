#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace thinwire {

/// Zeros on the host for a whole matrix, which all threads have touched: a vector's,
/// which one thread touches, take a second for 2 GB.
class HostValues {
 public:
  HostValues() = default;
  explicit HostValues(std::size_t count)
      : data_(std::make_unique_for_overwrite<double[]>(count)), size_(count) {
    clear();
  }

  void clear() {
#pragma omp parallel for
    for (std::size_t i = 0; i < size_; ++i) data_[i] = 0;
  }
  double* data() const {
    return data_.get();
  }
  std::size_t size() const {
    return size_;
  }
  std::span<double> span() const {
    return {data_.get(), size_};
  }

 private:
  std::unique_ptr<double[]> data_;
  std::size_t size_ = 0;
};

}  // namespace thinwire
