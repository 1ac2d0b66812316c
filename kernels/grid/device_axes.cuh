#pragma once

#include <vector>

#include "kernels/device/device.h"
#include "kernels/grid/grid_spectrum.h"
#include "kernels/grid/smooth_reflection.h"

namespace thinwire::device {

/// SpectrumAxes on the current GPU. Waits.
class DeviceAxes {
 public:
  DeviceAxes(const SpectrumAxes& axes, const DeviceStream& stream) : view_(axes.view()) {
    constexpr const char* what = "grid's spectrum";
    for (int a = 0; a < 3; ++a) {
      view_.sample[a] =
          samples_.emplace_back(uploaded(axes.axis[a].sample, what, stream)).data();
      view_.inverse_window2[a] =
          numbers_.emplace_back(uploaded(axes.axis[a].inverse_window2, what, stream))
              .data();
      view_.q2[a] = numbers_.emplace_back(uploaded(axes.axis[a].q2, what, stream)).data();
    }
  }
  const SpectrumAxesView& view() const { return view_; }

 private:
  SpectrumAxesView view_;
  std::vector<DeviceBuffer<SpectrumAxes::Sample>> samples_;
  std::vector<DeviceBuffer<double>> numbers_;
};

/// Uploads the coefficients of a split kernel, which are to outlive its view's use.
inline DeviceBuffer<double> on_device(SplitKernelView& view, const DeviceStream& stream) {
  DeviceBuffer<double> coefficient =
      uploaded(std::span<const double>(view.coefficient,
                                       SplitKernelView::panels * SplitKernelView::terms),
               "grid's spectrum", stream);
  view.coefficient = coefficient.data();
  return coefficient;
}

/// A SmoothReflection on the current GPU. Waits.
class DeviceSmoothReflection {
 public:
  DeviceSmoothReflection(const SmoothReflection& kernel, const DeviceStream& stream)
      : view_(kernel.view()),
        wave_(on_device(view_.wave, stream)),
        closest_(on_device(view_.closest, stream)) {
    constexpr const char* what = "grid's reflection";
    if (const GroundTable* table = kernel.table()) {
      boxes_ = uploaded(table->boxes(), what, stream);
      coefficients_ =
          uploaded(std::span<const double>(table->coefficients()), what, stream);
      view_.table.boxes = boxes_.data();
      view_.table.coefficients = coefficients_.data();
    }
  }
  const SmoothReflectionView& view() const { return view_; }

 private:
  SmoothReflectionView view_;
  DeviceBuffer<double> wave_, closest_;
  DeviceBuffer<GroundTableView::Box> boxes_;
  DeviceBuffer<double> coefficients_;
};

}  // namespace thinwire::device
