#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "mom/problem/problem.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {

/// Writes the structure of a problem and its matrix (NEC's WG), an HDF5 file of its own.
/// Throws Error{file}.
void write_matrix_file(const std::filesystem::path& path, const Problem& problem,
                       const StoredMatrix& stored,
                       const std::atomic<bool>* stop = nullptr);

/// Reads such a file (NEC's GF): the structure, its ground plane and the matrix into an
/// empty problem. Throws Error{file} for a file of another kind or a damaged one.
void read_matrix_file(const std::filesystem::path& path, Problem& problem);

/// Reads a file that a deck names: beside the deck, in its folder, or under the name as
/// given.
void read_matrix_file(const std::filesystem::path& folder, const std::string& name,
                      Problem& problem);

}  // namespace thinwire
