#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/ground/complex_bessel.h"

namespace thinwire {

/// J, H1 / 2 or H2 / 2 of orders 0 and 1 at kr rho_i for all rho_i of a grid, side by
/// side in vectors: power series up to |kr rho| = 11, the asymptotic series (Abramowitz
/// and Stegun 9.1.10 to 11, 9.7.2) beyond. Error 1e-10 of e^{|Im kr rho|}, Hankel
/// functions only where they decay.
class CylinderRow {
 public:
  explicit CylinderRow(std::span<const double> rho);

  void set(CylinderFactor factor, HdComplex kr);

  /// [rho] each: the order 0, real and imaginary parts, then the order 1.
  std::array<const double*, 4> lanes() const {
    return {re_0_.data(), im_0_.data(), re_1_.data(), im_1_.data()};
  }
  HdComplex order_0(std::size_t i) const { return {re_0_[i], im_0_[i]}; }
  HdComplex order_1(std::size_t i) const { return {re_1_[i], im_1_[i]}; }

 private:
  using Lanes = std::vector<double>;
  std::size_t count_;
  double min_ = 0, max_ = 0;
  Lanes rho_, log_rho_;
  Lanes re_0_, im_0_, re_1_, im_1_;  // the result
  Lanes near_[4], far_[4];           // by either series, in this order
};

}  // namespace thinwire
