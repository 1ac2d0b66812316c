#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "mom/problem/ground.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// The matrix of a structure at one frequency, as NEC's WG keeps it for GF, and what it
/// was made for.
struct StoredMatrix {
  std::string name;            ///< of the file, for messages
  std::filesystem::path path;  ///< of the file that it was read from
  double frequency_hz = 0;
  Ground ground = Ground::none;
  std::vector<Load> loads;
  std::vector<LoadCard> load_cards;
  MeshChoice mesh = MeshChoice::graded;
  int refinement = 1;
  GreensKernel kernel = GreensKernel::exact;
  /// Whether the matrix includes the proximity effect, with a mesh refined towards bends.
  bool proximity = false;
  /// Segments towards whose edges the mesh is graded: those of the deck that it was made
  /// from, wherever the sources are now.
  std::vector<std::size_t> gap_segments;
  std::vector<Complex> matrix_ohm;  ///< [n][n], loads included
};

/// The options with which a problem is solved that takes its matrix from a file or gives
/// it to one: on the CPU, as a whole matrix; others as they are. Throws Error{usage} for
/// options that contradict the matrix.
Options options_for_stored(const Problem& problem, Options options);

}  // namespace thinwire
