#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/choice.h"
#include "mom/optimize/evaluator.h"

namespace thinwire {

/// How to search (docs/guide/optimize.md).
enum class SearchMethod {
  automatic,
  slsqp,   ///< local: sequential quadratic programming with derivatives
  cobyla,  ///< local: linear models, no derivatives
  cma_es   ///< global: adapts a normal distribution; a generation is solved at once
};

constexpr auto words_of(SearchMethod) {
  using enum SearchMethod;
  return std::to_array<Word<SearchMethod>>(
      {{automatic, "auto"}, {slsqp, "slsqp"}, {cobyla, "cobyla"}, {cma_es, "cma-es"}});
}
/// Returns the default number of searches: 1 for `cma_es`, whose generations take all
/// threads, else 4.
int default_starts(SearchMethod method);

struct SearchSettings {
  SearchMethod method = SearchMethod::automatic;
  /// Searches, from the variables' starts and from points spread over the box; each has
  /// its share of the evaluations.
  int starts = default_starts(SearchMethod::automatic);
  std::size_t evaluations = 2000;  ///< at most, of all searches together
  double seconds = 0;              ///< at most; 0: any
  /// A local search ends where it moves by less than this part of the variables' ranges.
  double resolution = 1e-4;
  /// Each search by one thread, all threads at once.
  bool side_by_side = true;
  /// Generations of cma_es, where there is one search.
  ManyChoice generation = ManyChoice::side_by_side;
  /// Keeps the results of variants, and has those of a search that was stopped: the same
  /// search goes on from there. Null: none.
  ResultStore* store = nullptr;
};

/// Evaluations that there are to do at the same time.
int solved_at_once(const SearchSettings& settings, std::size_t variables);
/// Sets SearchSettings::generation, for variants like this one. Throws as Planner
/// does.
void choose_generation(std::size_t variables, const Problem& variant,
                       const Options& options, SearchSettings& settings);

/// One variant that was solved on the way.
struct Evaluation {
  std::size_t start = 0;  ///< of which search
  std::vector<double> variables;
  std::vector<double> goals;  ///< value_of() each; empty where it could not be solved
  Score score;
};

struct Optimization {
  SearchMethod method = SearchMethod::automatic;  ///< the one that was used
  /// In the order of each search, the searches taking turns.
  std::vector<Evaluation> evaluations;
  std::size_t best = 0;  ///< the best of them
  bool exact_derivatives =
      false;                      ///< from derivatives of the impedances, not differences
  std::vector<std::size_t> idle;  ///< variables by which all derivatives seen were zero
  std::size_t failed = 0;         ///< that could not be solved
  std::string first_failure;      ///< why
  bool interrupted = false;
  /// "the bounds are kept", "the evaluations are used up", ...
  std::string ended;
};

/// Searches for the variables that reach the goals best. options: of each solve; its
/// monitor reports the number of evaluations and the best value so far, from any thread,
/// one at a time. An interrupt ends the search and keeps what it has. Without a time
/// limit the result does not depend on the number of threads. Throws Error{usage} for
/// settings that contradict each other or where this build has no NLopt, Error{numeric}
/// where no variant can be solved.
Optimization optimize(const std::vector<Variable>& variables, const GoalSet& goals,
                      const ProblemAt& problem_at, const SearchSettings& settings,
                      const Options& options);

}  // namespace thinwire
