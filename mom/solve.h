#pragma once

// The public entry: thinwire::solve(Problem, Options) -> Solution.

#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"
#include "mom/schedule/solve.h"
