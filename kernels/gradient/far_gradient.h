#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fill/far_pair.h"
#include "kernels/gradient/element_gradient.h"

namespace thinwire {

/// Contribution of far pairs to the gradients of ImpedanceForms.
class FarGradient {
 public:
  /// by_radii: whether derivatives by radii are wanted.
  FarGradient(const ImpedanceForms& forms, bool by_radii);

  /// A source of an element (medium.h), the number of the element, and the factor that
  /// the source acts with.
  struct Source {
    const Element& element;
    std::uint32_t index;
    double factor;
  };

  /// Adds the derivatives of sum_ab (I_a J_b + J_a I_b) z_ab of the source with each of
  /// the elements q, a going over the shape functions of the source, b over those of q:
  /// with respect to the source to of_source [forms], to q to gradients
  /// [forms][elements]. All pairs are far (quadrature_order.h) and under one rule.
  void add(FarRuleChoice rule, Source source, std::span<const std::uint32_t> q,
           std::span<ElementGradient> of_source,
           std::span<std::vector<ElementGradient>> gradients) const;

 private:
  static constexpr int numbers = 8;
  /// Currents at a Gauss point, times its weight: current, A m, and charge, I'/k, A m,
  /// then the derivatives of both by the length of the element, of which the point keeps
  /// its share; real and imaginary parts.
  struct Point {
    double number[numbers];
  };
  /// [points of all elements], for each rule of far_order.
  using Points = std::vector<Point>;

  /// Values at a Gauss point of a current of one ampere at the start and at the end of an
  /// element: current, charge, and the derivatives of both, as in Point.
  struct Shape {
    double of_end[2][4];
  };
  /// [points of all elements], for each rule of far_order.
  std::vector<std::vector<Shape>> shapes() const;
  std::vector<Points> points_of(std::span<const EndCurrents> currents) const;
  void gather(const Points& points, int order, std::span<const std::uint32_t> q,
              double* out) const;
  void add_lanes(FarRuleChoice rule, Source source, std::span<const std::uint32_t> q,
                 std::span<ElementGradient> of_source,
                 std::span<std::vector<ElementGradient>> gradients) const;

  const ImpedanceForms& forms_;
  bool by_radii_;
  std::vector<std::vector<Shape>> shapes_;
  std::vector<std::vector<Points>> i_;  // [forms][rules]
  std::vector<Points> j_;               // [rules]
};

}  // namespace thinwire
