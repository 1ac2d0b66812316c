#pragma once

#include <vector>

#include "kernels/fill/matrix_entries.h"
#include "mom/operators/mode_coupling.h"
#include "mom/preconditioners/boxes.h"
#include "tests/mom/operators/fft_structures.h"

namespace thinwire::test {

/// An antenna's blocks with one mode each, and how they couple.
struct CoupledModes {
  FillInput exact;
  EntryReader read;
  BlockModes modes;
  ModeCoupling coupling;

  CoupledModes(const MeshedStructure& what, Medium medium)
      : exact{what.antenna->elements(),
              what.antenna->basis().functions(),
              2 * pi,
              GreensKernel::exact,
              medium,
              nullptr},
        read([this](std::span<const std::uint32_t> rows,
                    std::span<const std::uint32_t> columns, std::span<Complex> entries) {
          read_entries(exact, rows, columns, entries);
        }),
        modes(
            FunctionPlaces(*what.antenna).blocks(),
            [this](std::span<const std::uint32_t> set, std::span<Complex> block) {
              read(set, set, block);
            },
            1),
        coupling(mode_coupling(modes, exact, read)) {}
  CoupledModes(const CoupledModes&) = delete;

  /// P^T Z P from every entry.
  std::vector<Complex> from_all_entries() const {
    const std::size_t n = modes.size();
    std::vector<Complex> coarse(n * n);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const auto &rows = modes.blocks().set(a), &columns = modes.blocks().set(b);
        std::vector<Complex> entries(rows.size() * columns.size());
        read(rows, columns, entries);
        coarse[a + b * n] = coarse[b + a * n] = modes.between(a, b, entries)[0];
      }
    return coarse;
  }
};

/// Square loops of 8 segments, a hundredth of a wavelength wide, a twentieth apart.
inline Structure small_loops(int count) {
  Structure s;
  int tag = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 corner{0.05 * (i % 4), 0.05 * (i / 4), 0.1};
    const Vec3 at[] = {corner, corner + Vec3{0.01, 0, 0}, corner + Vec3{0.01, 0, 0.01},
                       corner + Vec3{0, 0, 0.01}};
    for (int side = 0; side < 4; ++side)
      s.add_wire(++tag, 2, at[side], at[(side + 1) % 4], 1e-4);
  }
  return s;
}

}  // namespace thinwire::test
