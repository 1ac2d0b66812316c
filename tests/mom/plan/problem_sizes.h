#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mom/plan/choose_solver.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::test {

/// An array of half-wave dipoles of 21 segments, as the tables of
/// docs/measurements/performance.md have them: 20 unknowns each.
inline ProblemSize array_of(std::size_t dipoles) {
  ProblemSize size;
  size.unknowns = 20 * dipoles;
  size.blocks = dipoles;
  size.largest_block = 20;
  size.block_entries = dipoles * 400;
  size.whole_antennas = true;
  return size;
}
/// n unknowns without structure: for direct solvers.
inline ProblemSize matrix_of(std::size_t n) {
  ProblemSize size;
  size.unknowns = n;
  return size;
}

inline constexpr std::size_t all_memory = ~std::size_t{0};
inline constexpr Method direct = {SolverChoice::direct, PreconditionerChoice::none};
inline constexpr Method two_level = {SolverChoice::cocg, PreconditionerChoice::two_level};
inline constexpr Method paper = {SolverChoice::cg, PreconditionerChoice::block};

/// The tables' meshes are those of the decks.
inline Options as_given() {
  return options_for(MeshChoice::as_given);
}

inline void expect_within(double factor, double predicted, double measured,
                          std::string what) {
  EXPECT_LE(predicted, factor * measured) << what;
  EXPECT_GE(predicted, measured / factor) << what;
}

/// A grid as the fit of iterations sees it.
inline ProblemSize grid_of(double cells_across, double thickness, double cell) {
  ProblemSize size = matrix_of(30000);
  size.blocks = 60;
  size.cells_across = cells_across;
  size.thickness = thickness;
  size.cell = cell;
  for (const BoxSize boxes : {BoxSize{8, 1},
                              {12, 2},
                              {8, 2},
                              {16, 2},
                              {16, 4},
                              {24, 4},
                              {24, 6},
                              {32, 2},
                              {32, 4},
                              {32, 8},
                              {48, 4},
                              {48, 6},
                              {48, 8}}) {
    OverlapExtent extent;
    const auto own = static_cast<std::size_t>(3 * boxes.box * boxes.box);
    for (std::size_t left = size.unknowns; left > 0; left -= std::min(left, own))
      extent.add(std::min(left, own),
                 own + static_cast<std::size_t>(12 * boxes.box * boxes.overlap));
    size.overlaps.push_back({boxes, extent});
  }
  return size;
}

}  // namespace thinwire::test
