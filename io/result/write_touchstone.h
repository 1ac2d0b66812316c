#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/result/variants.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// S-parameters of N ports from their open-circuit impedance matrix [N][N] row-major,
/// S = (Z + Z0)^-1 (Z - Z0) with one real reference impedance. Throws Error{numeric}
/// where Z + Z0 is singular.
std::vector<Complex> scattering_matrix(const std::vector<Complex>& impedance_ohm,
                                       std::size_t ports, double reference_ohm);

/// Run `run` as a Touchstone version 1 file: real and imaginary parts, frequencies in Hz,
/// ascending. Two ports are written in the format's own order S11 S21 S12 S22; from three
/// ports on, the matrix goes by rows with at most four numbers a line. Throws
/// Error{numeric} when a result of several ports has no port impedance matrix.
std::string solution_touchstone(const Problem& problem, const Solution& solution,
                                std::size_t run, double reference_ohm = 50);

/// Returns that of a variant of a sweep; comments give its number and symbols.
std::string variant_touchstone(const VariantSweep& sweep, std::size_t variant,
                               std::size_t run, double reference_ohm);

/// Where one run's S-parameters go.
struct TouchstoneFile {
  std::filesystem::path path;
  std::size_t run = 0;
};

/// One file for each run that has ports: `path` for the first, NAME_run<r> for the
/// others, r counting all runs from 0. Each with the suffix .s<ports>p that readers of
/// the format need, added where there is none of the kind. part: what goes before _run
/// and suffix. Standard output has no name
/// and takes one run only. Throws Error{usage} where `path` has a suffix for another
/// number of ports, where there are no ports, and where standard output is asked to take
/// more.
std::vector<TouchstoneFile> touchstone_files(const std::filesystem::path& path,
                                             const Problem& problem,
                                             const std::string& part = "");

}  // namespace thinwire
