#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/ground/ground_table.h"
#include "kernels/ground/half_space.h"
#include "kernels/ground/transmission_box.h"
#include "kernels/ground/transmission_places.h"

namespace thinwire {

/// A box of rho, z and depth: a leaf with its polynomials, or halved, the halves standing
/// side by side.
struct TransmissionBox {
  /// Values of `cut` of a leaf, and of one that is left without polynomials.
  static constexpr std::int8_t leaf = -1, unfitted = -2;

  double middle[3];      ///< of rho, z, depth; or where it is cut
  double scale[3];       ///< (rho - middle) scale is -1 .. 1
  std::uint32_t next;    ///< lower half, or the first of the coefficients, in terms
  std::int8_t cut;       ///< which of the three is halved, or what kind of leaf it is
  std::uint8_t degree;   ///< of the three together
  std::uint8_t most[3];  ///< of each
};

/// Seven boxes for every octave s of max(rho, z, depth), next to the corner at 0: each of
/// the three in 0 .. s or s .. 2 s, not all in the first. They are roots of trees of
/// halved boxes. Plain arrays, as in ground_table.h.
struct TransmissionBoxes {
  static constexpr std::int32_t an_octave = TransmissionPlaces::boxes_an_octave;

  const TransmissionBox* boxes = nullptr;
  std::int32_t first_octave = 0, octaves = 0;

  THINWIRE_HD static THINWIRE_INLINE int exponent_of(double x) {  // x > 0
    return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52) - 1023;
  }
  THINWIRE_HD static THINWIRE_INLINE double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  THINWIRE_HD static THINWIRE_INLINE int octave_of(const double (&at)[3]) {
    return exponent_of(std::fmax(at[0], std::fmax(at[1], at[2])));
  }
  /// Which of an octave's boxes holds rho, z, depth.
  THINWIRE_HD static THINWIRE_INLINE int box_of(const double (&at)[3], int octave) {
    const double s = power_of_two(octave);
    return (at[0] >= s ? 1 : 0) + (at[1] >= s ? 2 : 0) + (at[2] >= s ? 4 : 0) - 1;
  }

  /// The leaf that holds rho, z, depth, which become -1 .. 1 in it.
  THINWIRE_HD THINWIRE_INLINE const TransmissionBox& find(double (&at)[3],
                                                          int octave) const {
    const TransmissionBox* box =
        boxes + (an_octave * (octave - first_octave) + box_of(at, octave));
    while (box->cut >= 0)
      box = boxes + box->next + (at[box->cut] >= box->middle[box->cut] ? 1 : 0);
    for (int n = 0; n < 3; ++n) at[n] = (at[n] - box->middle[n]) * box->scale[n];
    return *box;
  }
};

/// Sets `sum` to the polynomials of a leaf: x^i y^j w^l, i + j + l <= degree, each at
/// most its own, from the highest down, i running first, then j. c: [terms][stride], of
/// which the first numbers are taken.
template <class Sums>
THINWIRE_HD THINWIRE_INLINE void polynomial(const TransmissionBox& box, const double* c,
                                            std::size_t stride, const double (&at)[3],
                                            Sums& sum) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  sum = Sums{};
  for (int l = box.most[2]; l >= 0; --l) {
    Sums plane{};
    for (int j = least(box.most[1], box.degree - l); j >= 0; --j) {
      Sums row{};
      for (int i = least(box.most[0], box.degree - l - j); i >= 0; --i, c += stride)
        horner_step(at[0], c, row);
      horner_step(at[1], row, plane);
    }
    horner_step(at[2], plane, sum);
  }
}

/// Functions that a TransmissionTree is to represent.
class TransmissionFunctions {
 public:
  virtual ~TransmissionFunctions() = default;
  /// Real and imaginary parts of all of them.
  virtual int numbers() const = 0;
  /// At how many pairs of z and depth they are for each that `at` is asked for.
  virtual int levels() const { return 1; }
  /// Their values at all rho_i and all pairs (z_j, depth_j) within a range:
  /// [rho][pair][numbers].
  virtual std::vector<double> at(const TransmissionRange& range,
                                 std::span<const double> rho, std::span<const double> z,
                                 std::span<const double> depth) const = 0;
};

/// One octave's box with what became of it: shrunk to the places in use and halved in one
/// of the three until few powers represent the functions. A box that is thin in one of
/// them, as where all radials lie at one depth, has no powers of it.
class TransmissionTree {
 public:
  /// error: of each function, about.
  TransmissionTree(Complex eps, std::span<const TransmissionUse> in_use, double error,
                   const TransmissionFunctions& functions);

  const std::vector<TransmissionBox>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  /// From and to of rho, z, depth, and how many places.
  struct Part {
    std::array<std::array<double, 2>, 3> sides;
    double count = 0;

    double width(int variable) const { return sides[variable][1] - sides[variable][0]; }
  };

  void make(std::size_t number, const std::vector<Part>& used, int cuts);
  int first_cut(const Part& box) const;
  std::array<int, 3> nodes_for(const Part& box) const;
  ChebyshevBox fit(const Part& box, const std::array<int, 3>& nodes) const;
  static std::vector<Part> on_one_side(const std::vector<Part>& used, int variable,
                                       double middle, bool upper);
  template <class Next>
  void cut(std::size_t number, int variable, double middle, const Next& next);
  void halve(std::size_t number, const Part& box, const std::vector<Part>& used,
             int variable, int cuts);
  void settle(std::size_t number, const Part& box, const std::vector<Part>& used,
              const ChebyshevBox& fitted);
  void make_leaf(std::size_t number, const Part& box, const ChebyshevBox& fitted,
                 const ChebyshevBox::Powers& powers);
  void make_empty(std::size_t number);

  Complex k2_, steep_;
  double error_;
  const TransmissionFunctions& functions_;
  std::size_t numbers_;
  std::vector<TransmissionBox> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace thinwire
