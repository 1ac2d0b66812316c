#pragma once

#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace thinwire::test {

/// A command that writes files, called as in a folder of writing_program().
struct WritingCommand {
  std::string name, arguments;  ///< the arguments for little work
  std::vector<std::string> outputs;
  std::string input;          ///< the file that it reads; empty: none
  bool runs_anywhere = true;  ///< false where it needs a GPU, or long
};

inline const std::vector<WritingCommand> writing_commands = {
    {"solve", "dipole.nec", {"output", "csv", "touchstone", "listing"}, "dipole.nec"},
    {"sweep", "dipole.nec --vary h=.24,.25", {"output", "csv"}, "dipole.nec"},
    {"optimize",
     "dipole.nec --vary h=.2:.3 --goal 'r > 1' --evaluations 2",
     {"output", "output-deck", "plot"},
     "dipole.nec"},
    {"converge", "dipole.nec --max-seconds .01", {"output", "csv", "plot"}, "dipole.nec"},
    {"tune", "--n 100 --repeats 1", {"output", "csv", "plot"}, "", false},
    {"bench", "--device cpu --repeats 1", {"output", "csv", "html"}, "", false},
    {"bench sparse",
     "--device cpu --repeats 1 --matrix m.mtx --format csr",
     {"output", "csv", "html"},
     "m.mtx"},
    {"bench forecast", "--unknowns 1e5", {"output", "csv", "html"}, ""},
    {"nec2c", "-i dipole.nec", {"output"}, "dipole.nec"},
};

/// Commands that write no file that an option names. `report` is Python's, and
/// tests/python has its test; `convert` names its file without an option.
inline const std::vector<std::string> other_commands = {
    "check",   "convert", "info",     "report", "devices", "help",       "serve",
    "version", "match",   "exposure", "rcs",    "modes",   "temperature"};

/// Writes what writing_commands read.
inline void write_inputs(const Program& thinwire) {
  thinwire.write("dipole.nec",
                 "CE half-wave dipole\nSY h=0.25\nGW 1 5 0 0 -h 0 0 h 0.001\nGE 0\n"
                 "EX 0 1 3 0 1 0\nFR 0 1 0 0 299.8 0\nXQ\nEN\n");
  thinwire.write("m.mtx",
                 "%%MatrixMarket matrix coordinate real symmetric\n"
                 "3 3 3\n1 1 2\n2 1 1\n3 3 4\n");
}

}  // namespace thinwire::test
