#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mom/problem.h"
#include "mom/solution.h"

namespace thinwire {

/// S-parameters of N ports from their open-circuit impedance matrix [N][N] row-major,
/// S = (Z + Z0)^-1 (Z - Z0) with one real reference impedance. Throws Error{numeric}
/// where Z + Z0 is singular.
std::vector<Complex> scattering_matrix(const std::vector<Complex>& impedance_ohm,
                                       std::size_t ports, double reference_ohm);

/// A Touchstone version 1 file: real and imaginary parts, frequencies in Hz, ascending.
/// Two ports are written in the format's own order S11 S21 S12 S22; from three ports on,
/// the matrix goes by rows with at most four numbers a line. The file has the ports of
/// the first result; later results at other ports or at a frequency already written are
/// left out, and a comment says how many. Throws Error{numeric} when a result of several
/// ports has no port impedance matrix.
std::string solution_touchstone(const Problem& problem, const Solution& solution,
                                double reference_ohm = 50);

/// `path` with the suffix .s<ports>p that readers of the format need: added when there is
/// none of the kind. Throws Error{usage} where it has one with another number, or where
/// there are no ports.
std::filesystem::path touchstone_path(const std::filesystem::path& path,
                                      std::size_t ports);

}  // namespace thinwire
