// deck_fuzz [OPTION...] DECK...: mutations of the given decks, read and, if asked,
// solved.
//
// A finding is whatever is neither success in good order nor one thinwire::Error with a
// clean message, in bounded time: it is printed, its deck is kept, and the exit status
// is 1.
//
//   --count N      inputs: the decks themselves, then N mutations of them
//   --seed S       input n depends on S and n alone
//   --keep FILE    deck in work, there after a crash too (default deck_fuzz_input.nec).
//   Decks
//                  with findings are kept in FILE.<n>, the matrix of GF cards in
//                  FILE.wg.h5. To repeat one, give it with --count 0.
//   --state FILE   number of the next input: a run that was stopped or crashed continues
//                  behind the input that it was at (tests/fuzz/run)
//   --limit S      processor seconds for a deck and for each of its solutions (default
//   10)
//   --plan         also mesh accepted decks and predict their cost
//   --solve        also solve those of at most 60 segments, on both meshes, and write
//   each
//                  solution in every format
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "io/deck/deck.h"
#include "io/deck/eznec.h"
#include "io/result/matrix_file.h"
#include "io/result/write_csv.h"
#include "io/result/write_hdf5.h"
#include "io/result/write_json.h"
#include "io/result/write_listing.h"
#include "io/result/write_touchstone.h"
#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "tests/fuzz/check_problem.h"
#include "tests/fuzz/check_solution.h"
#include "tests/fuzz/mutate.h"

namespace {

using namespace thinwire;

struct Settings {
  long count = 10000;
  unsigned long seed = 1;
  double limit_s = 10;  ///< five times what the dearest seed takes on a core of 2 GHz
  std::string keep = "deck_fuzz_input.nec";
  std::string state;
  bool plan = false;
  bool solve = false;
  std::vector<std::string> decks;  ///< their texts
  std::string matrix;              ///< the file that every GF card finds
};

/// Keeps the matrix of two short wires over ground, with a load.
void keep_matrix(const std::string& path) {
  std::vector<std::string> warnings;
  const Problem problem = read_deck(
      "CE\nGW 1 5 0 0 1 0 0 1.4 .001\nGW 2 3 .2 0 1 .2 0 1.3 .001\nGE 1\nGN 1\n"
      "FR 0 1 0 0 299.8\nLD 4 1 3 3 50\nEX 0 1 3 0 1\nWG\nEN\n",
      "fuzz.nec", warnings);
  write_matrix_file(path, problem, *solve(problem, Options()).stored);
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (std::strcmp(argv[i], "--count") == 0) {
      settings.count = std::atol(value());
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      settings.seed = std::strtoul(value(), nullptr, 10);
    } else if (std::strcmp(argv[i], "--limit") == 0) {
      settings.limit_s = std::atof(value());
    } else if (std::strcmp(argv[i], "--keep") == 0) {
      settings.keep = value();
    } else if (std::strcmp(argv[i], "--state") == 0) {
      settings.state = value();
    } else if (std::strcmp(argv[i], "--plan") == 0) {
      settings.plan = true;
    } else if (std::strcmp(argv[i], "--solve") == 0) {
      settings.solve = true;
    } else {
      std::ifstream in(argv[i], std::ios::binary);
      if (!in) std::fprintf(stderr, "deck_fuzz: cannot read %s\n", argv[i]);
      settings.decks.emplace_back(std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>());
    }
  }
  return settings;
}

struct Counts {
  long accepted = 0, solved = 0;
  double slowest_solve_s = 0;
};

/// Writes a solution in every format.
void write_all(const Problem& problem, const Options& options, const Solution& solution,
               const std::string& hdf5) {
  (void)solution_csv(problem, solution);
  (void)solution_json(problem, solution);
  (void)solution_listing(problem, solution);
  write_hdf5(hdf5, problem, options, solution, "deck_fuzz");
  for (std::size_t run = 0; run < problem.runs.size(); ++run)
    if (!problem.runs[run].sources.empty() && problem.runs[run].matrix_file.empty())
      (void)solution_touchstone(problem, solution, run);
}

/// The first problem of a small problem's solutions on both meshes, or nothing.
std::string solve_finding(Problem problem, const Settings& settings, Counts& counts) {
  if (!fuzz::shorten(problem)) return {};
  for (const MeshChoice mesh : {MeshChoice::as_given, MeshChoice::graded}) {
    Options options;
    options.device.kind = DeviceRequest::Kind::cpu;
    options.threads = 1;
    options.mesh = mesh;
    options.port_matrix = true;
    const std::clock_t start = std::clock();
    const auto took_s = [&] {
      const double s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      counts.slowest_solve_s = std::max(counts.slowest_solve_s, s);
      return s;
    };
    try {
      const Solution solution = solve(problem, options);
      ++counts.solved;
      if (std::string text = fuzz::breach(problem, solution); !text.empty()) return text;
      for (const std::string& warning : solution.warnings)
        if (!fuzz::is_clean(warning)) return "a warning that is not printable";
      write_all(problem, options, solution, settings.keep + ".h5");
    } catch (const Error& error) {
      if (std::string text = fuzz::breach(error); !text.empty()) return text;
    }
    if (took_s() > settings.limit_s) return "a solution that takes too long";
  }
  return {};
}

/// Smaller ones than the program's: what takes long is mostly the size.
DeckLimits small_decks() {
  DeckLimits limits;
  limits.segments = 500'000;
  limits.segment_operations = 10'000'000;
  return limits;
}

/// Returns what went wrong with one deck; empty if nothing did. Counts accepted decks.
std::string finding(const std::string& deck, const Settings& settings, Counts& counts) {
  std::vector<std::string> warnings;
  try {
    const std::vector<Problem> problems = read_structures(
        is_eznec(deck) ? eznec_cards(deck, "fuzz.ez") : deck, "fuzz.nec", warnings,
        small_decks(), {},
        [&](auto&, Problem& problem) { read_matrix_file(settings.matrix, problem); });
    ++counts.accepted;
    for (const Problem& problem : problems) {
      if (std::string text = fuzz::breach(problem); !text.empty()) return text;
      // Meshing is tried on what is small: its time is not what is tested here.
      if (settings.plan && problem.structure.segments().size() <= 2000)
        plan(problem, Options());
      if (settings.solve)
        if (std::string text = solve_finding(problem, settings, counts); !text.empty())
          return text;
    }
  } catch (const Error& error) {
    if (std::string text = fuzz::breach(error); !text.empty()) return text;
  } catch (const std::exception& error) {
    return std::string("an exception that is no Error: ") + error.what();
  }
  for (const std::string& warning : warnings) {
    if (!fuzz::is_clean(warning)) return "a warning that is not printable";
  }
  return {};
}

/// Returns seconds of processor time, which other programs do not change.
double seconds_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings = settings_of(argc, argv);
  if (settings.decks.empty()) {
    std::fputs("deck_fuzz: no decks given.\n", stderr);
    return 2;
  }
  settings.matrix = settings.keep + ".wg.h5";
  keep_matrix(settings.matrix);
  Counts counts;
  double slowest_s = 0;
  long findings = 0;
  const long given = static_cast<long>(settings.decks.size());
  long n = 0;
  std::ifstream(settings.state) >> n;
  const long first = n;
  for (; n < given + settings.count; ++n) {
    if (!settings.state.empty()) std::ofstream(settings.state) << n + 1;
    std::seed_seq seeds{settings.seed, static_cast<unsigned long>(n)};
    fuzz::Random random(seeds);
    // The decks themselves first, then their mutations.
    const std::string& seed =
        settings.decks[n < given
                           ? static_cast<std::size_t>(n)
                           : static_cast<std::size_t>(random() % settings.decks.size())];
    const std::string deck =
        n < given ? seed : fuzz::mutate(seed, settings.decks, random);
    std::ofstream(settings.keep, std::ios::binary) << deck;
    alarm(static_cast<unsigned>(10 * settings.limit_s) + 1);  // ends what hangs
    const double start_s = seconds_now();
    std::string text = finding(deck, settings, counts);
    const double took_s = seconds_now() - start_s;
    slowest_s = std::max(slowest_s, took_s);
    if (text.empty() && took_s > settings.limit_s) text = "too long";
    if (!text.empty()) {
      const std::string kept = settings.keep + "." + std::to_string(n);
      std::ofstream(kept, std::ios::binary) << deck;
      std::printf("input %ld: %s (%.2f s). The deck is in %s.\n", n, text.c_str(), took_s,
                  kept.c_str());
      std::fflush(stdout);
      ++findings;
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%ld decks, %ld accepted, %ld findings; slowest %.2f s, peak memory %ld MiB\n",
      n - first, counts.accepted, findings, slowest_s, usage.ru_maxrss / 1024);
  if (settings.solve)
    std::printf("%ld solutions, the slowest %.2f s of processor time\n", counts.solved,
                counts.slowest_solve_s);
  return findings == 0 ? 0 : 1;
}
