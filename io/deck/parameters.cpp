#include "io/deck/parameters.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Step relative to a symbol's value: small enough for the second-order term to be 1e-10
/// of the first, large enough to keep eleven digits of the difference of coordinates.
constexpr double relative_step = 1e-5;
/// Initial step of a symbol that is zero.
constexpr double step_from_zero = 1e-6;
/// Radians of the shortest wave that wires may move by: the fields' phases turn by as
/// much, and differences of them are off by its square.
constexpr double largest_turn = 3e-4;
/// How much a first step from zero may grow to that: it knows no unit, and digits are
/// few.
constexpr double max_growth = 1e4;

double largest_k_rad_per_m(const Problem& problem) {
  double hz = 0;
  for (const Run& run : problem.runs)
    for (const double f : run.frequency_hz) hz = std::max(hz, f);
  return wavenumber_rad_per_m(hz);
}

/// Half the farthest that an end of a segment moves from one side to the other; 0 where
/// their segments are not the same.
double largest_move_m(const Problem& less, const Problem& more) {
  const auto &a = less.structure.segments(), &b = more.structure.segments();
  double move = 0;
  for (std::size_t s = 0; a.size() == b.size() && s < a.size(); ++s)
    move = std::max(
        {move, norm(b[s].start_m - a[s].start_m), norm(b[s].end_m - a[s].end_m)});
  return 0.5 * move;
}

}  // namespace

Parameter parameter_of(const Problem& problem, std::string name, double value,
                       const std::function<Problem(double value)>& problem_at) {
  const auto with_step = [&](double step) {
    return Parameter{name, value, step,
                     std::make_shared<const Problem>(problem_at(value - step)),
                     std::make_shared<const Problem>(problem_at(value + step))};
  };
  Parameter parameter =
      with_step(value == 0 ? step_from_zero : relative_step * std::abs(value));
  const double turn =
      largest_k_rad_per_m(problem) * largest_move_m(*parameter.less, *parameter.more);
  if (turn > largest_turn || (value == 0 && turn > 0))
    parameter = with_step(parameter.step * std::min(largest_turn / turn, max_growth));
  return parameter;
}

void add_parameters(std::vector<Problem>& structures,
                    std::span<const std::string> symbols, const ReadWith& read_with) {
  std::vector<std::string> done;
  for (const std::string& symbol : symbols) {
    const std::string key = lower_name(symbol);
    if (std::find(done.begin(), done.end(), key) != done.end())
      throw Error(ErrorKind::usage,
                  fmt::format("--gradient {} is given twice. Leave one out.", symbol));
    done.push_back(key);
    bool known = false;
    for (std::size_t i = 0; i < structures.size(); ++i) {
      Problem& problem = structures[i];
      const auto at = problem.symbols.find(key);
      if (at == problem.symbols.end()) continue;
      known = true;
      problem.parameters.push_back(
          parameter_of(problem, key, at->second, [&](double changed) {
            try {
              return std::move(read_with({{key, changed}}).at(i));
            } catch (const Error& error) {
              throw Error(error.kind(), fmt::format("--gradient {}, at {:.10g}: {}",
                                                    symbol, changed, error.what()));
            }
          }));
    }
    if (!known)
      throw Error(ErrorKind::usage,
                  fmt::format("--gradient {}: the deck has no symbol of that name (SY). "
                              "Name one that it defines.",
                              quote_text(symbol)));
  }
}

}  // namespace thinwire
