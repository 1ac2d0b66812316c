#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mom/plan/run_meshes.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// The part of a run's mesh that lies in the ground, and how it compares with the waves
/// there at the run's highest frequency.
struct BuriedWires {
  std::size_t elements = 0;  ///< below z = 0; with none the rest is zero, too
  double frequency_hz = 0;
  double k_rad_per_m = 0;          ///< |k2|
  double longest_wavelengths = 0;  ///< longest element over 2 pi / |k2|
  double thickest_ka = 0;          ///< largest radius times |k2|
  std::size_t longest_segment = 0, thickest_segment = 0;  ///< which they belong to
};

BuriedWires buried_wires(const Run& run, const Discretization& discretization);

/// Returns the buried part of the run with the most elements below.
BuriedWires max_buried_wires(const Problem& problem, const RunMeshes& meshes);

/// Throws Error{geometry} where an element in the ground is so long, or so thick, against
/// the waves there that nothing is right, and gives the warnings of those that are nearly
/// so.
std::vector<std::string> check_buried_wires(const Problem& problem,
                                            const RunMeshes& meshes);

/// Frequencies that can be solved for. Far below them powers of k underflow.
inline constexpr double lowest_frequency_hz = 1e-6, highest_frequency_hz = 1e18;

/// Throws Error{usage} for frequencies out of range, and Error{geometry} where a run's
/// highest frequency is too high for its mesh or its wires, and gives the warnings of
/// those that are nearly so. For every run before the first is solved.
std::vector<std::string> check_frequencies(const Problem& problem,
                                           const RunMeshes& meshes);

}  // namespace thinwire
