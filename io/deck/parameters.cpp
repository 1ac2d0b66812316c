#include "io/deck/parameters.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

namespace thinwire {
namespace {

/// Of a symbol's value: so small that the second-order term is 1e-10 of the first, so
/// large that coordinates keep eleven digits of their difference.
constexpr double relative_step = 1e-5;
/// Of a symbol that is zero.
constexpr double step_from_zero = 1e-6;

}  // namespace

double parameter_step(double value) {
  return value == 0 ? step_from_zero : relative_step * std::abs(value);
}

void add_parameters(std::vector<Problem>& structures,
                    std::span<const std::string> symbols, const ReadWith& read_with) {
  std::vector<std::string> done;
  for (const std::string& symbol : symbols) {
    const std::string key = lower_name(symbol);
    if (std::find(done.begin(), done.end(), key) != done.end()) continue;
    done.push_back(key);
    bool known = false;
    for (std::size_t i = 0; i < structures.size(); ++i) {
      Problem& problem = structures[i];
      const auto at = problem.symbols.find(key);
      if (at == problem.symbols.end()) continue;
      known = true;
      const double value = at->second, step = parameter_step(value);
      const auto side = [&](double changed) {
        try {
          return std::make_shared<const Problem>(
              std::move(read_with({{key, changed}}).at(i)));
        } catch (const Error& error) {
          throw Error(error.kind(), fmt::format("--gradient {}, at {:.10g}: {}", symbol,
                                                changed, error.what()));
        }
      };
      problem.parameters.push_back(
          {key, value, step, side(value - step), side(value + step)});
    }
    if (!known)
      throw Error(ErrorKind::usage,
                  fmt::format("--gradient {}: the deck has no symbol of that name (SY). "
                              "Name one that it defines.",
                              quote_text(symbol)));
  }
}

}  // namespace thinwire
