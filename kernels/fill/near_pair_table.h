#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/fill/wavenumber_nodes.h"

namespace thinwire {

/// The element matrices of all near pairs of a mesh over a range of frequencies.
///
/// Near pairs cost a hundred times what far pairs do, and their matrices are smooth
/// functions of frequency: a sweep of many integrates every pair only at the few nodes of
/// wavenumber_nodes.h and interpolates between. Where there are none, every frequency is
/// integrated by itself.
class NearPairTable {
 public:
  /// Finds the near pairs (far_order of quadrature_order.h, at the range's last).
  /// perfect_ground adds the pairs of an element's image in z = 0 with another element.
  /// `elements` must outlive the table.
  NearPairTable(std::span<const Element> elements, WavenumberRange range,
                GreensKernel kernel, bool perfect_ground);

  /// Makes the matrices for one wave number in the range; at() then answers for it.
  void set_wavenumber(double k_rad_per_m);

  /// The matrix of near pair (p, q), or, with `image`, of p's image and q.
  ElementMatrix at(std::uint32_t p, std::uint32_t q, bool image) const;

  /// The wave number at which far and near pairs are told apart: that of the shortest
  /// wave.
  double sorting_wavenumber() const { return k_last_; }
  std::size_t pairs() const { return direct_.second.size() + image_.second.size(); }
  std::size_t bytes() const;

 private:
  /// Pairs (p, q), q <= p, ordered by p, then q, in rows as of a sparse matrix.
  struct Pairs {
    std::vector<std::size_t> row;        ///< [elements + 1]
    std::vector<std::uint32_t> second;   ///< q
    std::vector<ElementMatrix> nodes;    ///< what is interpolated, [pairs][nodes]
    std::vector<ElementMatrix> current;  ///< z at the wave number set, [pairs]
  };

  Pairs find(bool image);
  template <class Body>
  void for_pairs(const Pairs& pairs, const Body& body) const;
  void integrate(Pairs& pairs, bool image) const;
  void evaluate(Pairs& pairs, bool image, double k) const;
  void interpolate(Pairs& pairs, std::span<const double> weight, double k) const;
  double smoothing(std::uint32_t p, std::uint32_t q, double k) const;

  std::span<const Element> elements_;
  double k_last_;
  GreensKernel kernel_;
  double reach_m_ = 0;  ///< longest near_pair_reach
  WavenumberNodes nodes_;
  Pairs direct_, image_;
};

/// An element's image in the plane z = 0: the same current in it flows the other way.
Element image_of(Element e);

}  // namespace thinwire
