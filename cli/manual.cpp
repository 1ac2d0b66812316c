#include <fmt/format.h>
#include <thinwire_version.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/help.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// Text as troff wants it: what would be read as a request or as typographic is escaped.
std::string escaped(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (const char c : text)
    if (c == '-')
      result += "\\-";
    else if (c == '\\')
      result += "\\e";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else
      result += c;
  return result;
}

/// "-o, --output FILE" and what it means.
std::string option_text(const po::option_description& option) {
  std::string names = "--" + option.long_name();
  if (const std::string one = short_name(option); !one.empty())
    names = one + ", " + names;
  const std::string value = value_name(option);
  return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", escaped(names),
                     value.empty() ? "" : " ", escaped(value),
                     escaped(meaning_of(option)));
}

std::string command_text(const Command& command) {
  std::string text = fmt::format(".SS \"thinwire {} {}\"\n{}\n", command.name,
                                 escaped(command.usage), escaped(command.summary));
  if (*command.notes) text += fmt::format(".PP\n{}\n", escaped(command.notes));
  for (const OptionGroup& group : grouped_options(command)) {
    text += fmt::format(".PP\n.I {}\n", escaped(group.caption));
    for (const auto& option : group.options)
      if (!is_argument(*option, command)) text += option_text(*option);
  }
  return text;
}

constexpr const char* manual_opening =
    R"(.SH NAME
thinwire \- method of moments for wire antennas, on CPU and GPU
.SH SYNOPSIS
.B thinwire
.I COMMAND
.RI [ ARGUMENTS ]
.SH DESCRIPTION
Reads decks as NEC\-2 has them and computes impedances, currents, patterns and near fields,
by a Galerkin method of moments with the exact kernel of a thin wire.
.PP
.B thinwire solve antenna.nec
prints a table of impedances and writes antenna.h5, an HDF5 file with all results.
Standard output carries the table, or with \fB\-\-json\fR one JSON document; whatever else
there is to say goes to standard error.
.PP
Called by a name that contains nec2c, the program takes nec2c's command line and writes its
listing.
.SH COMMANDS
)";

constexpr const char* closing =
    R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
not solved to the tolerance or a goal missed
.TP
.B 2
command line
.TP
.B 3
deck or geometry
.TP
.B 4
device or memory
.TP
.B 5
file
.TP
.B 130
interrupted
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
CPU threads, where \fB\-\-threads\fR does not say.
.TP
.BR OMP_WAIT_POLICY ", " GOMP_SPINCOUNT
How threads wait for work. Where neither is set, thinwire has them sleep soon.
.TP
.BR XDG_CACHE_HOME ", " HOME
The folder of what \fBthinwire tune \-\-apply\fR keeps and of the CPU's measured rates:
$XDG_CACHE_HOME/thinwire, else ~/.cache/thinwire.
.SH SEE ALSO
.BR nec2c (1)
)";

}  // namespace

/// Run when the program is built: prints thinwire.1.
int run_manual(const Arguments&) {
  fmt::print(".TH THINWIRE 1 \"\" \"thinwire {}\" \"User Commands\"\n{}",
             THINWIRE_VERSION, manual_opening);
  for (const Command& command : all_commands())
    if (*command.summary) fmt::print("{}", command_text(command));
  fmt::print("{}", closing);
  return exit_done;
}

}  // namespace thinwire::cli
