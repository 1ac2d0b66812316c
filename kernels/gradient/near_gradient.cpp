#include "kernels/gradient/near_gradient.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kernels/base/dual.h"
#include "kernels/element/near_pair.h"

namespace thinwire {
namespace {

template <int n>
using DualVec3 = BasicVec3<Dual<n>>;

/// An element with its derivatives along some motions.
template <int n>
class MovedElement {
 public:
  explicit MovedElement(const Element& e)
      : start_(dual(e.start_m)),
        end_(dual(e.start_m + e.length_m * e.tangent)),
        radius_(e.radius_m) {}

  void set_motion(int i, const ElementMotion& m) {
    set(start_, i, m.start_m);
    set(end_, i, m.end_m);
    radius_.derivative[i] = m.radius_m;
  }
  BasicElement<Dual<n>> element() const {
    const DualVec3<n> along = end_ - start_;
    const Dual<n> length = norm(along);
    return {start_, (1 / length) * along, length, radius_};
  }

 private:
  static DualVec3<n> dual(Vec3 v) { return {v.x, v.y, v.z}; }
  static void set(DualVec3<n>& v, int i, Vec3 derivative) {
    v.x.derivative[i] = derivative.x;
    v.y.derivative[i] = derivative.y;
    v.z.derivative[i] = derivative.z;
  }
  DualVec3<n> start_, end_;
  Dual<n> radius_;
};

/// Derivatives of the matrix of a turned pair along at most n motions. `turning`:
/// parallel elements side by side turn against each other, so that their distance varies
/// along them, which near_parallel does not follow.
template <int n>
void add_derivatives(const Element& first, const Element& second,
                     std::span<const PairMotion> motions, bool turning, double k,
                     GreensKernel kernel, std::vector<ElementMatrix>& derivatives) {
  MovedElement<n> moved_first(first), moved_second(second);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    moved_first.set_motion(static_cast<int>(i), motions[i].first);
    moved_second.set_motion(static_cast<int>(i), motions[i].second);
  }
  const BasicElement<Dual<n>> p = moved_first.element(), q = moved_second.element();
  const BasicElementMatrix<Dual<n>> z =
      !turning && depend_on_offset(first, second, kernel) ? near_parallel(p, q, k, kernel)
                                                          : near_bent(p, q, k, kernel);
  for (std::size_t m = 0; m < motions.size(); ++m) {
    ElementMatrix& derivative = derivatives.emplace_back();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        derivative.z[i][j] = {z.z[i][j].re.derivative[m], z.z[i][j].im.derivative[m]};
  }
}

EndCurrents reversed(const EndCurrents& currents) {
  return {{-currents.at[1], -currents.at[0]}};
}

void turn(ElementCurrents& e) {
  e.i = reversed(e.i);
  e.j = reversed(e.j);
}

}  // namespace

NearDerivatives::NearDerivatives(const Element& first, const Element& second,
                                 bool the_same, double k, GreensKernel kernel,
                                 WantedDerivatives wanted)
    : the_same_(the_same), wanted_(wanted) {
  Element p = first, q = second;
  shaped_pair(first, second).symmetry.apply(p, q);
  const std::vector<PairMotion> moves = pair_moves(p, q, the_same, wanted);
  const bool turning = wanted.turns && !the_same && side_by_side(p, q);
  std::span<const PairMotion> rest = moves;
  while (!rest.empty()) {
    const auto some = rest.first(std::min<std::size_t>(rest.size(), 8));
    if (some.size() <= 2)
      add_derivatives<2>(p, q, some, turning, k, kernel, derivatives_);
    else if (some.size() <= 3)
      add_derivatives<3>(p, q, some, turning, k, kernel, derivatives_);
    else if (some.size() <= 5)
      add_derivatives<5>(p, q, some, turning, k, kernel, derivatives_);
    else
      add_derivatives<8>(p, q, some, turning, k, kernel, derivatives_);
    rest = rest.subspan(some.size());
  }
}

NearDerivatives::Pair::Pair(const NearDerivatives& derivatives, const Element& first,
                            const Element& second, PairSymmetry symmetry)
    : derivatives_(derivatives), first_(first), second_(second), symmetry_(symmetry) {
  symmetry_.apply(first_, second_);
  moves_ = pair_moves(first_, second_, derivatives.the_same_, derivatives.wanted_);
}

PairGradient NearDerivatives::Pair::gradient(ElementCurrents first,
                                             ElementCurrents second) const {
  if (symmetry_.exchanged) std::swap(first, second);
  if (symmetry_.first_reversed) turn(first);
  if (symmetry_.second_reversed) turn(second);
  HdComplex weight[2][2], along[max_moves];
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      weight[a][b] =
          to_hd(first.i.at[a] * second.j.at[b] + first.j.at[a] * second.i.at[b]);
  for (std::size_t m = 0; m < moves_.size(); ++m)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        along[m] += weight[a][b] * derivatives_.derivatives_[m].z[a][b];
  PairGradient g = gradient_from_moves(first_, second_, derivatives_.the_same_, moves_,
                                       std::span(along).first(moves_.size()));
  if (symmetry_.first_reversed) std::swap(g.first.start, g.first.end);
  if (symmetry_.second_reversed) std::swap(g.second.start, g.second.end);
  if (symmetry_.exchanged) std::swap(g.first, g.second);
  return g;
}

}  // namespace thinwire
