#pragma once

#include <memory>
#include <span>

#include "cg/precondition/entry_reader.h"
#include "cg/preconditioner.h"
#include "kernels/fill/fill_input.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"
#include "mom/problem/options.h"

namespace thinwire {

/// The preconditioner of an antenna from single entries of Z, for operators that never
/// make it; null for `none`. choice: neither automatic nor overlap. exact: what Z is, for
/// the modes' coupling from afar; blocks that are equal in its medium and with those
/// loads (as LoadModel::updates()) are read and inverted once. Throws what the
/// preconditioners do.
std::unique_ptr<Preconditioner> preconditioner_from_entries(
    const Discretization& discretization, PreconditionerChoice choice,
    const FillInput& exact, std::span<const MatrixUpdate> loads, const EntryReader& read);

}  // namespace thinwire
