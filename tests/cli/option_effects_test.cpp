#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/program.h"

// Every option of every command has an effect, is refused, or is told of, in every kind
// of run. The options are asked of the program: a new one fails until it has a row in
// cli/option_effects.cpp and an example here.

namespace thinwire::option_effects_test {
namespace {

using test::Program;
namespace fs = std::filesystem;

constexpr const char* deck =
    "CE dipole\nSY h=0.25, w=0.001\nGW 1 5 0 0 -h 0 0 h w\nGE\nEX 0 1 3 0 1\n"
    "FR 0 2 0 0 290 10\nRP 0 3 1 1001 0 0 30 90\nEN\n";

struct Command {
  std::string name;
  std::string start;              ///< what it is called with
  std::vector<std::string> runs;  ///< options that make other kinds of runs
};

const std::vector<Command> commands = {
    {"solve", "d.nec -o none", {"--dry-run", "--json --quiet", "--solver direct"}},
    {"sweep", "d.nec --vary h=.2,.25 -o none", {""}},
    {"optimize",
     "d.nec --vary h=.2:.3 --goal 'vswr(300) < 1.1' --evaluations 3 -o none "
     "--output-deck none",
     {"", "--dry-run"}},
    {"check", "d.nec", {"", "--expand"}},
    {"converge", "d.nec", {""}},
    {"convert", "d.nec -", {""}},
    {"nec2c", "-i d.nec", {""}},
    {"bench sparse", "", {"--list"}},
    {"bench forecast", "", {""}},
};

/// An option with a value that asks for something, and what gives it something to do:
/// added to Command::start, or after "=" instead of it.
struct Example {
  std::string use, beside = "";
};

/// By option, or by command and option where commands differ.
const std::map<std::string, Example> examples = {
    {"--apply", {"--apply"}},
    {"--assembly", {"--assembly", "=--scale .02 --repeats 1"}},
    {"--boxes", {"--boxes 4,1", "--json --solver gmres --precond overlap"}},
    {"--coarse", {"--coarse on", "--json --solver gmres --precond overlap"}},
    {"--colours", {"--colours 8", "=--assembly --scale .02 --repeats 1"}},
    {"--csv", {"--csv x.csv"}},
    {"--devices", {"--devices 1"}},
    {"--dialect", {"--dialect nec5"}},
    {"--dry-run", {"--dry-run", "=d.nec"}},
    {"optimize --dry-run",
     {"--dry-run", "=d.nec --vary h=.2:.3 --goal 'vswr(300) < 1.1'"}},
    {"--evaluations",
     {"--evaluations 2",
      "=d.nec --vary h=.2:.3 --goal 'r(300) max' --time 2 -o none --output-deck none"}},
    {"--expand", {"--expand"}},
    {"--force", {"--force", "--csv foreign.txt"}},
    {"optimize --force", {"--force", "--plot foreign.txt"}},
    {"convert --force", {"--force", "=d.nec foreign.nec"}},
    {"--format", {"--format ell", "=--matrix band1 --scale .01 --repeats 1"}},
    {"--frequency", {"--frequency 280:300:3"}},
    {"--gmres", {"--gmres 5"}},
    {"--gpu-only", {"--gpu-only"}},
    {"--goal", {"--goal 'r(300) max'"}},
    {"--gpus", {"--gpus 3"}},
    {"--gpus-a-host", {"--gpus-a-host 4"}},
    {"--gradient", {"--gradient h", "--json"}},
    {"--html", {"--html x.html"}},
    {"--input", {"-i d.nec", "="}},
    {"--json", {"--json"}},
    {"--kernel", {"--kernel reduced"}},
    {"--layout", {"--layout nec2"}},
    {"--list", {"--list", "="}},
    {"--listing", {"--listing x.out"}},
    {"--matrix", {"--matrix band1", "=--format csr --scale .001 --repeats 1"}},
    {"--max-iterations", {"--max-iterations 1", "--solver cocg --precond none"}},
    {"--max-n", {"--max-n 2000"}},
    {"--max-seconds", {"--max-seconds 1e-9"}},
    {"--mesh", {"--mesh as-given"}},
    {"--method", {"--method cobyla", "--json"}},
    {"--n", {"--n 100"}},
    {"--network", {"--network 3"}},
    {"--operator", {"--operator fft", "--json"}},
    {"--operator-tolerance", {"--operator-tolerance 1e-3", "--operator fft --json"}},
    {"--output", {"-o x.h5", "=d.nec"}},
    {"sweep --output", {"-o x.h5", "=d.nec --vary h=.2,.25"}},
    {"optimize --output",
     {"-o x.h5", "=d.nec --vary h=.2:.3 --goal 'vswr(300) < 1.1' --evaluations 2"}},
    {"bench sparse --output", {"-o x.h5", "--quiet"}},
    {"bench forecast --output", {"-o x.h5", "--quiet"}},
    {"nec2c --output", {"-o x.out"}},
    {"--output-deck",
     {"--output-deck x.nec",
      "=d.nec --vary h=.2:.3 --goal 'vswr(300) < 1.1' --evaluations 2"}},
    {"--patches", {"--patches grid", "=patch.nec"}},
    {"--pattern", {"--pattern 15"}},
    {"--plot", {"--plot x.html"}},
    {"--precond", {"--precond overlap", "--json --solver gmres"}},
    {"--progress", {"--progress json"}},
    {"sweep --progress", {"--progress json", "=d.nec --vary h=.2:.25:32 -o none"}},
    {"--proximity", {"--proximity off", "=pair.nec -o none"}},
    {"--quiet", {"--quiet", "--csv x.csv"}},
    {"optimize --quiet", {"--quiet", "--plot x.html"}},
    {"--ranks", {"--ranks 2", "=array.nec --dry-run --operator dense --mesh as-given"}},
    {"--reference", {"--reference 8"}},
    {"--refine", {"--refine 2"}},
    {"--repeats", {"--repeats 2", "=--matrix band1 --format csr --scale .01"}},
    {"--resolution",
     {"--resolution .9",
      "=d.nec --vary h=.2:.3 --goal 'vswr(300) min' --method cobyla "
      "--evaluations 60 -o none --output-deck none"}},
    {"--save-matrix", {"--save-matrix", "=d.nec --dry-run"}},
    {"convert --scale", {"--scale 2", "=.surface.stl - --frequency 300"}},
    {"--scale", {"--scale .02", "=--matrix band1 --format csr --repeats 1"}},
    {"--set", {"--set w=.002"}},
    {"--solver", {"--solver cocg", "--json"}},
    {"--starts", {"--starts 2", "--json"}},
    {"--structure", {"--structure 2", "=two.nec"}},
    {"sweep --structure", {"--structure 2", "=two.nec --vary h=.2,.25 -o none"}},
    {"optimize --structure",
     {"--structure 2", "=two.nec --vary h=.2:.3 --goal 'r(300) max' --evaluations 2"}},
    {"nec2c --structure", {"--structure 2", "=-i two.nec"}},
    {"--sweep", {"--sweep fast", "=many.nec -o none"}},
    {"sweep --sweep", {"--sweep fast", "=many.nec --vary h=.2,.25 -o none"}},
    {"optimize --sweep",
     {"--sweep fast",
      "=many.nec --vary h=.2:.3 --goal 'vswr < 1.1' --evaluations 2 -o none"}},
    {"--time", {"--time 1e-9"}},
    {"--time-limit", {"--time-limit 5"}},
    {"--tolerance", {"--tolerance 1e-2", "--json --solver cocg --precond none"}},
    {"--touchstone", {"--touchstone x.s1p"}},
    {"--type", {"--type z"}},
    {"--unknowns", {"--unknowns 1e5"}},
    {"--vary", {"--vary w=.001:.002"}},
    {"sweep --vary", {"--vary w=.001,.002"}},
    {"--version", {"--version"}},
    {"--z0", {"--z0 75"}},
    // Their effect needs a GPU, several processes or a solve that was stopped, or is not
    // on results.
    {"--device", {"--device cuda:77"}},
    {"--placement", {"--placement graph"}},
    {"--precision", {"--precision mixed"}},
    {"--resume", {"--resume"}},
    {"--split", {"--split frequency"}},
    {"sweep --split", {"--split variant"}},
    {"--threads", {"--threads 1"}},
};
const std::set<std::string> unseen = {"--device",        "--placement", "--precision",
                                      "--resume",        "--split",     "--threads",
                                      "optimize --sweep"};
/// Options that may leave a run as it is though they were read.
const std::set<std::string> quiet = {
    "--quiet",   "--set",        "--structure", "--dialect",   "--device",
    "--threads", "--resolution", "--pattern",   "--proximity", "sweep --progress"};
/// Options of solving, which all commands hand on alike, that may have no effect.
const std::vector<std::string> may_be_idle = {"--max-iterations", "--operator-tolerance",
                                              "--placement", "--precond", "--tolerance"};

/// Everything that a run printed and wrote, without times.
struct Outcome {
  int code = 0;
  std::string seen;
  bool told = false;  ///< whether an option without effect was warned of
};

class Runs {
 public:
  Runs() {
    thinwire.write("d.nec", deck);
    const std::string text = deck;
    std::string many = text;
    thinwire.write("many.nec", many.replace(text.find("FR 0 2 "), 7, "FR 0 64 "));
    thinwire.write("array.nec",
                   "CE\nGW 1 21 0 0 -.25 0 0 .25 .001\nGM 0 63 0 0 0 .5 0 0 0\nGE\n"
                   "EX 0 1 11 0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
    thinwire.write("pair.nec",
                   "CE\nGW 1 11 0 -.2 0 0 .2 0 .005\nGW 2 11 .02 -.2 0 .02 .2 0 .005\n"
                   "GE\nEX 0 1 6 0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
    thinwire.write("patch.nec",
                   "CE\nGW 1 11 0 0 -.25 0 0 .25 .001\nSM 2 2 .3 0 0 .3 .2 0\n"
                   "SC 0 0 .3 .2 .2\nGE\nEX 0 1 6 0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
    thinwire.write(".surface.stl",
                   "solid s\nvertex 0 0 0\nvertex .1 0 0\nvertex 0 .1 0\nendsolid\n");
    thinwire.write("two.nec", text.substr(0, text.find("EN\n")) + "NX\n" + text);
  }

  const Outcome& operator()(const std::string& arguments) {
    if (const auto done = done_.find(arguments); done != done_.end()) return done->second;
    for (const char* name : {"foreign.txt", "foreign.nec"})
      thinwire.write(name, "not thinwire's\n");
    const auto run = thinwire(arguments);
    Outcome outcome = {run.code, run.out + run.err,
                       run.err.find("has no effect") != std::string::npos};
    for (const auto& entry : fs::directory_iterator(thinwire / ".")) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name.starts_with(".") || name.ends_with(".nec"))
        continue;
      outcome.seen += name + "\n";
      if (!name.ends_with(".h5")) outcome.seen += test::read_file(entry.path());
      fs::remove(entry.path());
    }
    outcome.seen = std::regex_replace(outcome.seen, times_, "");
    return done_[arguments] = outcome;
  }

  /// Without the options of solving, which solve and nec2c share, unless it is solve.
  std::vector<std::string> options_of(const Command& command) const {
    std::vector<std::string> options = offered(command.name);
    std::erase_if(options,
                  [](const std::string& option) { return option.starts_with("--help"); });
    if (command.name == "solve") return options;
    const std::vector<std::string> shared =
        offered(command.name == "nec2c" ? "solve" : "nec2c");
    std::erase_if(options, [&](const std::string& option) {
      return option != "--output" && std::ranges::count(shared, option) > 0;
    });
    return options;
  }

  Program thinwire;

 private:
  std::vector<std::string> offered(const std::string& command) const {
    std::istringstream words(thinwire("complete " + command + " --").out);
    return {std::istream_iterator<std::string>(words), {}};
  }

  const std::regex times_{
      R"("timings_s": \{[^}]*\}|"seconds[a-z_]*": [^,}]*|[0-9.e-]+ s (an|by)|about .* s$)"};
  std::map<std::string, Outcome> done_;
};

Example example_of(const Command& command, const std::string& option) {
  for (const std::string& key : {command.name + " " + option, option})
    if (const auto found = examples.find(key); found != examples.end())
      return found->second;
  ADD_FAILURE() << command.name << " " << option << ": has no example";
  return {"--help"};
}

/// The arguments of the command beside the option.
std::string start_of(const Command& command, const Example& example) {
  return command.name + " " +
         (example.beside.starts_with("=") ? example.beside.substr(1)
                                          : command.start + " " + example.beside);
}

class OptionEffects : public ::testing::TestWithParam<Command> {};

TEST_P(OptionEffects, AreSeen) {
  const Command& command = GetParam();
  Runs runs;
  for (const std::string& option : runs.options_of(command)) {
    if (unseen.contains(option) || unseen.contains(command.name + " " + option) ||
        command.name == "bench sparse")
      continue;
    const Example example = example_of(command, option);
    const std::string start = start_of(command, example);
    const Outcome &without = runs(start), &with = runs(start + " " + example.use);
    EXPECT_LT(with.code, 2) << start << " " << example.use << "\n" << with.seen;
    EXPECT_FALSE(with.told) << start << " " << example.use << "\n" << with.seen;
    EXPECT_NE(with.seen, without.seen) << start << " " << example.use;
  }
}

TEST_P(OptionEffects, AreRefusedWhereTheyAreGivenTwice) {
  const Command& command = GetParam();
  Runs runs;
  for (const std::string& option : runs.options_of(command)) {
    const Example example = example_of(command, option);
    const std::string line =
        start_of(command, example) + " " + example.use + " " + example.use;
    EXPECT_EQ(runs(line).code, 2) << line;
  }
}

TEST_P(OptionEffects, AreRefusedOrToldOfWhereThereAreNone) {
  const Command& command = GetParam();
  Runs runs;
  for (const std::string& kind : command.runs) {
    const std::string start = command.name + " " + command.start + " " + kind + " ";
    const Outcome& without = runs(start);
    EXPECT_LT(without.code, 2) << start << "\n" << without.seen;
    std::vector<std::string> options = runs.options_of(command);
    if (command.name != "solve" && command.start.find(".nec") != std::string::npos)
      options.insert(options.end(), may_be_idle.begin(), may_be_idle.end());
    for (const std::string& option : options) {
      const Example example = example_of(command, option);
      // These change only how long a search takes, which a dry run measures.
      const bool measured =
          kind == "--dry-run" && command.name == "optimize" &&
          (option == "--starts" || option == "--sweep" || option == "--time");
      if (quiet.contains(option) || quiet.contains(command.name + " " + option) ||
          measured ||
          (start + " ").find(example.use.substr(0, example.use.find(' ')) + " ") !=
              std::string::npos)
        continue;
      const Outcome& with = runs(start + example.use);
      EXPECT_NE(with.seen, without.seen) << start << example.use;
    }
  }
}

/// A kind of measurement, whose results are times: which options it refuses.
struct Measurement {
  std::string command, kind;
  std::set<std::string> refused;
};

const std::vector<Measurement> measurements = {
    {"bench", "", {}},
    {"bench", "--device cpu", {"--devices", "--gpu-only"}},
    {"bench",
     "--devices 1",
     {"--device", "--gpu-only", "--precond", "--solver", "--time-limit", "--tolerance"}},
    {"bench sparse", "", {"--colours"}},
    {"bench sparse", "--assembly", {"--format", "--gmres", "--matrix", "--type"}},
    {"tune", "", {}},
};

/// The others get as far as the output, in a folder that is not there, or the GPU.
TEST(Measurements, RefuseOptionsWithoutEffect) {
  const Runs runs;
  for (const auto& [command, kind, refused] : measurements) {
    const std::string start = command + " -o nowhere/x.h5 " + kind + " ";
    for (const std::string& option : runs.options_of({command, "", {}})) {
      if (start.find(" " + option + " ") != start.npos || option == "--output" ||
          option == "--list")
        continue;
      const std::string line = start + example_of({command, "", {}}, option).use;
      const auto run = runs.thinwire(line);
      EXPECT_NE(run.code, 0) << line;
      EXPECT_EQ(run.code == 2, refused.contains(option)) << line << "\n" << run.err;
    }
  }
}

TEST(OptionsWithoutEffect, ProgressIsRefusedWhereQuietShowsNone) {
  const Runs runs;
  for (const char* start : {"solve d.nec", "sweep d.nec --vary h=.2,.25",
                            "optimize d.nec --vary h=.2:.3 --goal 'vswr(300) < 1.1'"}) {
    const auto run =
        runs.thinwire(std::string(start) + " -o none --quiet --progress json");
    EXPECT_EQ(run.code, 2) << start;
    EXPECT_TRUE(contains(run.err, "--progress contradicts --quiet"));
  }
}

TEST(OptionsWithoutEffect, SplitIsRefusedWithoutOtherProcesses) {
  const Runs runs;
  for (const char* line : {"solve d.nec -o none --split none",
                           "sweep d.nec --vary h=.2,.25 -o none --split none"}) {
    const auto run = runs.thinwire(line);
    EXPECT_EQ(run.code, 2) << line;
    EXPECT_TRUE(contains(run.err, "--split has no effect: this is the only process"));
  }
}

TEST(OptionsWithoutEffect, ForceIsToldOfWhereNoFileIsNamed) {
  const Runs runs;
  for (const char* line : {"solve d.nec -o - --force | cat >/dev/null",
                           "solve d.nec -o none --csv - --force",
                           "sweep d.nec --vary h=.2,.25 -o none --csv - --force",
                           "converge d.nec --max-seconds 1e-9 --csv - --force"})
    EXPECT_TRUE(
        contains(runs.thinwire(line).err, "--force has no effect: no file is written"))
        << line;
}

INSTANTIATE_TEST_SUITE_P(Commands, OptionEffects, testing::ValuesIn(commands),
                         [](const auto& command) {
                           std::string name = command.param.name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace thinwire::option_effects_test
