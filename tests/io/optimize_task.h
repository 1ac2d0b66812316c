#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/deck/deck.h"
#include "io/deck/parameters.h"
#include "io/deck/variation.h"
#include "mom/optimize/optimize.h"
#include "tests/messages.h"

namespace thinwire::test {

/// A driven and a parasitic dipole.
inline const std::string pair =
    "CM two dipoles\nCE\nSY h=0.24, w=1mm ' driven\nSY d=0.15\nSY g=h*1.05\n"
    "GW 1 11 0 0 -h 0 0 h w\nGW 2 11 d 0 -g d 0 g w\nGE 0\nEX 0 1 6 0 1 0\n"
    "FR 0 2 0 0 295 10\nXQ\nEN\n";

inline Problem read(const std::string& text, const SymbolValues& values = {}) {
  std::vector<std::string> warnings;
  return read_deck(text, "test.nec", warnings, {}, values);
}

/// A deck, what to vary in it and what to reach.
struct Task {
  std::string text;
  std::vector<Variable> variables;
  GoalSet goals;
  Options options;

  Task(std::string deck, std::vector<const char*> vary, std::vector<const char*> wanted)
      : text(std::move(deck)),
        variables(read_all(vary)),
        goals(all(wanted), read(text), 50) {
    for (Variable& variable : variables) {
      const double own = read(text).symbols.at(variable.name);
      if (own > variable.lower && own < variable.upper) variable.start = own;
    }
  }

  Problem at(std::span<const double> values, bool derivatives) const {
    SymbolValues symbols;
    std::vector<std::string> names;
    for (std::size_t v = 0; v < values.size(); ++v) {
      symbols[variables[v].name] = values[v];
      names.push_back(variables[v].name);
    }
    std::vector<Problem> problem(1, read(text, symbols));
    if (derivatives)
      add_parameters(problem, names, [&](const SymbolValues& beside) {
        SymbolValues both = symbols;
        for (const auto& [name, value] : beside) both[name] = value;
        return std::vector<Problem>(1, read(text, both));
      });
    return std::move(problem[0]);
  }

  ProblemAt problem_at() const {
    return [this](std::span<const double> values, bool derivatives) {
      return at(values, derivatives);
    };
  }

  Optimization optimized(const SearchSettings& settings = {}) const {
    return optimize(variables, goals, problem_at(), settings, options);
  }

 private:
  static std::vector<Variable> read_all(const std::vector<const char*>& texts) {
    std::vector<Variable> variables;
    for (const char* text : texts) variables.push_back(variable_of(text));
    return variables;
  }
  static std::vector<Goal> all(const std::vector<const char*>& texts) {
    std::vector<Goal> goals;
    for (const char* text : texts) goals.push_back(goal_of(text));
    return goals;
  }
};

inline const Evaluation& best(const Optimization& result) {
  return result.evaluations[result.best];
}

}  // namespace thinwire::test
