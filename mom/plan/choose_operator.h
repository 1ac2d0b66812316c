#pragma once

#include <memory>
#include <string>

#include "geometry/lattice.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// How Z will be kept, decided before there is a mesh: the antennas of a lattice are
/// meshed alike.
struct OperatorPlan {
  std::shared_ptr<const Lattice> lattice;  ///< null: dense
  std::string why;                         ///< empty where the user chose, or dense
};

/// By Options::operator_choice, and for `auto` by predicted times. Throws Error{geometry}
/// where the user wants a lattice and there is none, naming the antenna that breaks it,
/// and Error{usage} for options that want all of Z.
OperatorPlan choose_operator(const Problem& problem, const Options& options);

}  // namespace thinwire
