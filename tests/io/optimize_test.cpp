#include "mom/optimize/optimize.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "io/deck/deck.h"
#include "io/deck/parameters.h"
#include "io/deck/variation.h"
#include "io/deck/with_values.h"
#include "kernels/base/error.h"
#include "mom/reflection.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

/// A driven and a parasitic dipole.
const std::string pair =
    "CM two dipoles\nCE\nSY h=0.24, w=1mm ' driven\nSY d=0.15\nSY g=h*1.05\n"
    "GW 1 11 0 0 -h 0 0 h w\nGW 2 11 d 0 -g d 0 g w\nGE 0\nEX 0 1 6 0 1 0\n"
    "FR 0 2 0 0 295 10\nXQ\nEN\n";

Problem read(const std::string& text, const SymbolValues& values = {}) {
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

  Problem at(std::span<const double> values, bool slopes) const {
    SymbolValues symbols;
    std::vector<std::string> names;
    for (std::size_t v = 0; v < values.size(); ++v) {
      symbols[variables[v].name] = values[v];
      names.push_back(variables[v].name);
    }
    std::vector<Problem> problem(1, read(text, symbols));
    if (slopes)
      add_parameters(problem, names, [&](const SymbolValues& beside) {
        SymbolValues both = symbols;
        for (const auto& [name, value] : beside) both[name] = value;
        return std::vector<Problem>(1, read(text, both));
      });
    return std::move(problem[0]);
  }

  ProblemAt problem_at() const {
    return [this](std::span<const double> values, bool slopes) {
      return at(values, slopes);
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

const Evaluation& best(const Optimization& result) {
  return result.evaluations[result.best];
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Optimize, GoalsAreWhatTheSolutionGives) {
  const Task task(pair, {"h=0.2:0.28"},
                  {"vswr(300) < 2", "r(300) max", "x(295:305:2) = 0", "|z|(300) min",
                   "gain(70,20,300) max", "fb(90,0,300) > 3", "efficiency(300) min",
                   "mean_r(295:305:3) max"});
  const std::vector<double> values = {0.24};
  const Solution solution = solve(task.goals.asked(task.at(values, false)), {});
  const GoalTerms terms = task.goals.terms(solution);

  Problem problem = read(pair);
  auto& run = problem.runs[0];
  run.frequency_hz = {295e6, 300e6, 305e6};
  PatternRequest request;
  request.theta_start_deg = 70;
  request.phi_start_deg = 20;
  PatternRequest cut;
  cut.theta_start_deg = 90;
  cut.phi_step_deg = 180;
  cut.phi_count = 2;
  run.patterns = {request, cut};
  const Solution plain = solve(problem, {});
  const FrequencyResult& at_300 = plain.frequencies[1];
  const Complex z = at_300.ports[0].impedance_ohm;
  const auto value = [&](std::size_t goal) {
    return value_of(task.goals.goals()[goal], terms[goal]);
  };
  EXPECT_NEAR(value(0), vswr(reflection(z, 50)), 1e-9);
  EXPECT_NEAR(value(1), z.real(), 1e-9);
  const double x_295 = plain.frequencies[0].ports[0].impedance_ohm.imag(),
               x_305 = plain.frequencies[2].ports[0].impedance_ohm.imag();
  EXPECT_NEAR(value(2), std::abs(x_295) > std::abs(x_305) ? x_295 : x_305, 1e-9);
  EXPECT_NEAR(value(3), std::abs(z), 1e-9);
  EXPECT_NEAR(value(4), at_300.patterns[0].gain_dbi[0], 1e-9);
  EXPECT_NEAR(value(5), at_300.patterns[1].gain_dbi[0] - at_300.patterns[1].gain_dbi[1],
              1e-9);
  EXPECT_EQ(value(6), 1);
  double mean = 0;
  for (const FrequencyResult& result : plain.frequencies)
    mean += result.ports[0].impedance_ohm.real() / 3;
  EXPECT_NEAR(value(7), mean, 1e-9);
}

TEST(Optimize, LargestGainIsThatOfAFineGrid) {
  const Task task(pair, {"h=0.2:0.28"}, {"gain(300) max"});
  const std::vector<double> values = {0.24};
  const GoalTerms terms =
      task.goals.terms(solve(task.goals.asked(task.at(values, false)), {}));
  Problem problem = read(pair);
  PatternRequest grid;
  grid.theta_count = 181;
  grid.theta_step_deg = 1;
  grid.phi_count = 360;
  grid.phi_step_deg = 1;
  problem.runs[0].frequency_hz = {300e6};
  problem.runs[0].patterns = {grid};
  const Solution fine = solve(problem, {});
  const std::vector<double>& gain = fine.frequencies[0].patterns[0].gain_dbi;
  EXPECT_NEAR(terms[0][0].value, *std::max_element(gain.begin(), gain.end()), 1e-3);
}

/// Every quantity at a source, as a bound, and as what is driven: their slopes and those
/// of the program against central differences.
TEST(Optimize, SlopesOfTheProgramAreItsDifferences) {
  const Task task(
      pair, {"h=0.2:0.28", "d=0.1:0.2"},
      {"vswr(295:305:3) < 1.5", "x(300) = 0", "2 * r(300) max", "vswr(295:305:2) min",
       "mean_|z|(295:305:3) > 60", "gain(80,20,300) max", "fb(90,0,295:305:2) > 3"});
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  const Program program(task.goals);
  const std::vector<double> unit = {0.45, 0.6};
  const auto sloped = evaluator.solve_with_slopes(unit);
  ASSERT_TRUE(sloped.terms) << sloped.why;
  const std::vector<double> extra = program.fitting(*sloped.terms);
  EXPECT_EQ(extra.size(), 2U);
  const std::size_t n = unit.size() + extra.size(), m = program.constraints();
  EXPECT_EQ(m, 3U + 2U + 2U + 1U + 2U);
  std::vector<double> gradient(n), values(m), gradients(m * n);
  (void)program.objective(*sloped.terms, extra, gradient);
  program.constrain(*sloped.terms, extra, values, gradients);
  for (const double value : values) EXPECT_LE(value, 1e-12);
  for (std::size_t v = 0; v < unit.size(); ++v) {
    const double step = 1e-3;
    const auto side = [&](double by, std::vector<double>& constraints) {
      std::vector<double> moved = unit;
      moved[v] += by * step;
      const auto result = evaluator.solve(moved);
      EXPECT_TRUE(result.terms) << result.why;
      program.constrain(*result.terms, extra, constraints, {});
      return program.objective(*result.terms, extra, {});
    };
    std::vector<double> a(m), b(m), c(m), d(m);
    const double objective =
        (8 * (side(1, a) - side(-1, b)) - (side(2, c) - side(-2, d))) / (12 * step);
    EXPECT_NEAR(gradient[v], objective, 1e-6 * std::abs(objective));
    for (std::size_t row = 0; row < m; ++row) {
      const double slope = (8 * (a[row] - b[row]) - (c[row] - d[row])) / (12 * step);
      EXPECT_NEAR(gradients[row * n + v], slope, 1e-6 * std::abs(slope)) << row;
    }
  }
}

/// In free space GainSlopes::front_to_back_slope_db is towards the opposite point of the
/// sphere, which is another direction where theta is not 90 degrees.
TEST(Optimize, SlopesOfFrontToBackAreOfItsDirections) {
  const Task task(
      "CE\nSY a=0.1, h1=0.49, y=0.15\nGW 1 9 0 -h1 0 0 h1 0 0.003\n"
      "GW 2 9 0.4 -0.46 a 0.4 0.46 a+y 0.003\nGW 3 9 -0.4 -0.5 -a -0.4 0.5 -a 0.003\n"
      "GE\nEX 0 1 5 0 1\nFR 0 1 0 0 145\nXQ\nEN\n",
      {"a=-1:1"}, {"fb(60,0) max"});
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  const auto value = [&](double unit) {
    return evaluator.solve(std::vector{unit}).terms->front().front().value;
  };
  const auto sloped = evaluator.solve_with_slopes(std::vector{0.5});
  ASSERT_TRUE(sloped.terms) << sloped.why;
  const double step = 1e-4;
  const double slope = (8 * (value(0.5 + step) - value(0.5 - step)) -
                        (value(0.5 + 2 * step) - value(0.5 - 2 * step))) /
                       (12 * step);
  EXPECT_NEAR(slope, 2 * 46.382, 0.01);
  EXPECT_NEAR(sloped.terms->front().front().slopes.at(0), slope, 1e-5 * slope);
}

/// Nothing is radiated along the wire: that goal has no slopes, the other one has.
TEST(Optimize, AGoalWithoutSlopesTakesDifferences) {
  const Task task(pair, {"h=0.2:0.28"}, {"r(300) max", "0.001 * gain(0,0,300) max"});
  SearchSettings settings;
  settings.starts = 1;
  settings.evaluations = 30;
  const Optimization result = task.optimized(settings);
  EXPECT_FALSE(result.exact_slopes);
  EXPECT_NEAR(best(result).variables[0], 0.28, 1e-6);
}

/// A weight says which miss is worse, and not what is missed.
TEST(Optimize, AWeightDoesNotDecideWhetherABoundIsMet) {
  for (const char* goal : {"1e-8 * x(300) = 0", "x(300) = 0", "1e8 * x(300) = 0"}) {
    const Task task(pair, {"h=0.2:0.28"}, {goal});
    const Optimization result = task.optimized();
    EXPECT_EQ(result.ended, "all goals are met") << goal;
    EXPECT_LT(std::abs(best(result).goals[0]), 0.0051) << goal;
  }
}

TEST(Optimize, FindsTheLeastMissOfABoundFarAway) {
  for (const char* goal : {"x(300) > 1e12", "x(300) = 1e12", "1e12 * x(300) > 1e12"}) {
    const Task task(pair, {"h=0.2:0.28"}, {goal});
    SearchSettings settings;
    settings.evaluations = 100;
    EXPECT_NEAR(best(task.optimized(settings)).variables[0], 0.28, 1e-6) << goal;
  }
}

TEST(Optimize, NamesVariablesThatChangeNoGoal) {
  const Task task("CE\nSY idle=1\n" + pair.substr(pair.find("SY")),
                  {"h=0.2:0.28", "idle=0.5:2"}, {"r(300) max"});
  EXPECT_EQ(task.optimized().idle, std::vector<std::size_t>{1});
}

/// A thin dipole is resonant a little short of half a wave (0.47 to 0.48 wavelengths):
/// bisection of its reactance says where.
TEST(Optimize, FindsTheResonantDipoleByEveryMethod) {
  const std::string dipole =
      "CE\nSY h=0.25\nGW 1 11 0 0 -h 0 0 h .001\nGE 0\nEX 0 1 6 0 1 0\n"
      "FR 0 1 0 0 299.792458 0\nXQ\nEN\n";
  double low = 0.22, high = 0.25;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    const Solution solution = solve(read(dipole, {{"h", middle}}), {});
    (solution.frequencies[0].ports[0].impedance_ohm.imag() < 0 ? low : high) = middle;
  }
  for (const SearchMethod method :
       {SearchMethod::automatic, SearchMethod::slsqp, SearchMethod::cobyla,
        SearchMethod::sbplx, SearchMethod::direct, SearchMethod::crs,
        SearchMethod::esch}) {
    const Task task(dipole, {"h=0.2:0.26"}, {"x = 0"});
    SearchSettings settings;
    settings.method = method;
    settings.starts = 1;
    settings.evaluations = 300;
    settings.resolution = 1e-6;
    const Optimization result = task.optimized(settings);
    EXPECT_TRUE(best(result).score.keeps_bounds()) << name_of(method);
    EXPECT_NEAR(best(result).variables[0], low, 1e-5) << name_of(method);
    EXPECT_EQ(result.ended, "all goals are met") << name_of(method);
  }
}

TEST(Optimize, KeepsBoundsOfVariables) {
  // More spacing is less coupling: the optimum lies at a corner.
  const Task task(pair, {"d=0.1:0.2", "w=1e-4:2e-3"}, {"r(300) max"});
  const Optimization result = task.optimized();
  for (const Evaluation& evaluation : result.evaluations)
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_GE(evaluation.variables[v], task.variables[v].lower);
      EXPECT_LE(evaluation.variables[v], task.variables[v].upper);
    }
  EXPECT_EQ(result.ended, "the searches have converged");
}

TEST(Optimize, MatchesAPair) {
  const Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"vswr(300) min"});
  const Optimization result = task.optimized();
  EXPECT_LT(best(result).goals[0], 1.01);
  EXPECT_TRUE(result.exact_slopes);
}

TEST(Optimize, DrivesAGoalAsFarAsABoundLetsIt) {
  const Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"},
                  {"gain(90,180,300) max", "vswr(300) < 1.5"});
  SearchSettings settings;
  settings.evaluations = 1000;
  const Optimization result = task.optimized(settings);
  EXPECT_TRUE(best(result).score.keeps_bounds());
  EXPECT_TRUE(result.exact_slopes);
  // None on a fine grid that keeps the bound is better.
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  for (int i = 0; i <= 24; ++i)
    for (int j = 0; j <= 24; ++j) {
      const auto other = evaluator.solve(std::vector{i / 24.0, j / 24.0});
      const Score score = score_of(task.goals, *other.terms);
      if (!score.keeps_bounds()) continue;
      EXPECT_LE(best(result).score.objective, score.objective + 1e-4) << i << ' ' << j;
    }
}

TEST(Optimize, SaysByHowMuchBoundsAreMissedThatCannotBeKept) {
  const Task task(pair, {"d=0.1:0.2"}, {"r(300) > 500"});
  const Optimization result = task.optimized();
  EXPECT_FALSE(best(result).score.keeps_bounds());
  EXPECT_NEAR(best(result).score.miss, (500 - best(result).goals[0]) / 50, 1e-9);
}

TEST(Optimize, AGoalThatNothingChangesIsNoError) {
  const Task task(pair, {"d=0.1:0.2"}, {"efficiency(300) max"});
  const Optimization result = task.optimized();
  EXPECT_EQ(best(result).goals[0], 1);
  EXPECT_EQ(result.ended, "the searches have converged");
}

TEST(Optimize, ThreadsGiveTheSameEvaluations) {
  Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"gain(90,180,300) max"});
  for (const SearchMethod method : {SearchMethod::slsqp, SearchMethod::crs}) {
    SearchSettings settings;
    settings.method = method;
    settings.evaluations = 120;
    task.options.threads = 1;
    const Optimization one = task.optimized(settings);
    task.options.threads = 3;
    const Optimization three = task.optimized(settings);
    ASSERT_EQ(one.evaluations.size(), three.evaluations.size());
    for (std::size_t e = 0; e < one.evaluations.size(); ++e)
      EXPECT_EQ(one.evaluations[e].variables, three.evaluations[e].variables);
    EXPECT_EQ(one.best, three.best);
  }
}

TEST(Optimize, VariantsThatCannotBeMeshedAreTheWorst) {
  // Below 0.1 the second wire passes through the first.
  const std::string crossing =
      "CE\nSY h=0.24, d=0.15\nGW 1 11 0 0 -h 0 0 h .001\n"
      "GW 2 11 d 0 -h d-0.1 0 h .001\nGE 0\nEX 0 1 6 0 1 0\nFR 0 1 0 0 300 0\nXQ\nEN\n";
  const Task task(crossing, {"d=-0.1:0.2"}, {"r min"});
  SearchSettings settings;
  settings.method = SearchMethod::direct;
  settings.starts = 1;
  settings.evaluations = 60;
  const Optimization result = task.optimized(settings);
  EXPECT_FALSE(best(result).goals.empty());
}

TEST(Optimize, StopsAtOnceAndKeepsTheBest) {
  Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"gain(90,180,300) max"});
  std::atomic<bool> stop = false;
  std::atomic<int> told = 0;
  task.options.threads = 2;
  task.options.monitor = Monitor([&](const Progress&) { stop = ++told == 20; }, &stop);
  const Optimization result = task.optimized();
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.evaluations.size(), 19U);
  EXPECT_LE(result.evaluations.size(), 24U);
  EXPECT_FALSE(best(result).goals.empty());
}

TEST(Optimize, RefusesGoalsThatTheDeckDoesNotHave) {
  EXPECT_NE(refusal([] { Task(pair, {"d=0.1:0.2"}, {"r@2 = 50"}); }).find("1 source."),
            std::string::npos);
  const std::string ground =
      "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE 1\nGN 1\nEX 0 1 5 0 1\nFR 0 1 0 0 100\n"
      "XQ\nEN\n";
  EXPECT_NE(refusal([&] {
              Task(ground, {"h=2:4"}, {"gain(100,0) max"});
            }).find("below the ground"),
            std::string::npos);
  const std::string earth =
      "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE 1\nGN 0 0 0 0 13 .005\n"
      "EX 0 1 5 0 1\nFR 0 1 0 0 100\nXQ\nEN\n";
  EXPECT_NE(refusal([&] {
              Task(earth, {"h=2:4"}, {"gain(90,0) max"});
            }).find("nothing is radiated along a real ground"),
            std::string::npos);
  const std::string no_source = "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE\nEN\n";
  EXPECT_NE(refusal([&] { Task(no_source, {"h=2:4"}, {"r max"}); }).find("has no source"),
            std::string::npos);
}

TEST(Optimize, ADeckTakesValuesAndKeepsItsText) {
  const std::string text =
      "CM h=1 in a comment\nCE\nSY h=0.24, w=1mm ' h=2\nsy D = h*2 ,e=3\nGW 1 11 0 0 -h "
      "0 0 h w\nGE 0\nEN\nSY h=7\n";
  EXPECT_EQ(deck_with_values(text, "t.nec", {{"h", 0.1}, {"d", 1.0 / 3}}),
            "CM h=1 in a comment\nCE\nSY h=0.1, w=1mm ' h=2\nsy D = "
            "0.3333333333333333 ,e=3\nGW 1 11 0 0 -h "
            "0 0 h w\nGE 0\nEN\nSY h=7\n");
  EXPECT_EQ(deck_with_values(text, "t.nec", {}), text);
  const std::string two = "CE\nSY h=1\nGE\nNX\nCE\nSY h=2\nGE\nEN\n";
  EXPECT_EQ(deck_with_values(two, "t.nec", {{"h", 3}}, 2),
            "CE\nSY h=1\nGE\nNX\nCE\nSY h=3\nGE\nEN\n");
}

TEST(Optimize, ReadsVariables) {
  const Variable variable = variable_of("H1=440mm:0.5");
  EXPECT_EQ(variable.name, "h1");
  EXPECT_EQ(variable.lower, 0.44);
  EXPECT_EQ(variable.upper, 0.5);
  EXPECT_NEAR(variable.start, 0.47, 1e-15);
  for (const char* wrong : {"h", "=1:2", "h=1", "h=1:2:3", "h=2:1", "h=1:1", "h=a:2"})
    EXPECT_NE(refusal([&] { (void)variable_of(wrong); }).find("--vary"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace thinwire
