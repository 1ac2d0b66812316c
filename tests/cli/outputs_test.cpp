#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/result/hdf5_file.h"
#include "kernels/base/printable.h"
#include "tests/cli/output_options.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace test;

/// The words behind each occurrence of `before` in a text, up to the next blank.
std::set<std::string> words_behind(const std::string& text, const std::string& before) {
  std::set<std::string> words;
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at)) {
    at += before.size();
    words.insert(text.substr(at, text.find_first_of(" \n", at) - at));
  }
  return words;
}

TEST(Outputs, AllCommandsAndOptionsAreWalked) {
  const Program thinwire;
  std::set<std::string> walked(test::other_commands.begin(), test::other_commands.end());
  for (const WritingCommand& command : test::writing_commands) {
    walked.insert(command.name.substr(0, command.name.find(' ')));
    if (command.name == "nec2c") continue;  // its help is nec2c's own
    const std::string help = thinwire("help " + command.name).out;
    std::set<std::string> options;
    for (const std::string& option : words_behind(help, "--"))
      if (help.find("--" + option + " FILE") != help.npos ||
          help.find("--" + option + " ] FILE") != help.npos)
        options.insert(option);
    EXPECT_EQ(options,
              std::set<std::string>(command.outputs.begin(), command.outputs.end()))
        << command.name;
  }
  EXPECT_EQ(words_behind(thinwire("help").out, "\n  thinwire "), walked);
}

TEST(Outputs, OneThatFailsLeavesTheOthersAndTheTable) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const WritingCommand& command : test::writing_commands) {
    if (!command.runs_anywhere) continue;
    for (const std::string& failing : command.outputs) {
      SCOPED_TRACE(command.name + " --" + failing);
      const Program thinwire;
      test::write_inputs(thinwire);
      std::string line = command.name + ' ' + command.arguments;
      std::vector<std::string> others;
      for (const std::string& output : command.outputs) {
        const bool fails = output == failing;
        if (!fails) others.push_back("other." + output);
        line += " --" + output + ' ' + (fails ? "/dev/full" : others.back());
      }
      const auto run = thinwire(line);
      EXPECT_EQ(run.code, 5) << run.err;
      EXPECT_EQ(run.out.empty(), command.name == "nec2c");
      const std::size_t last = run.err.rfind('\n', run.err.size() - 2) + 1;
      EXPECT_EQ(run.err.find("thinwire: /dev/full", last), last) << run.err;
      for (const std::string& other : others)
        EXPECT_TRUE(thinwire.has(other) || thinwire.has(other + ".s1p")) << other << '\n'
                                                                         << run.err;
    }
  }
}

/// Each output of each command in a folder of its own.
template <class Action>
void for_each_output(Action&& action) {
  for (const WritingCommand& command : test::writing_commands)
    for (const std::string& output : command.outputs) {
      SCOPED_TRACE(command.name + " --" + output);
      const Program thinwire;
      test::write_inputs(thinwire);
      action(thinwire, command, output);
    }
}

TEST(Outputs, NoneReplacesAnInput) {
  for_each_output([](const Program& thinwire, const WritingCommand& command,
                     const std::string& output) {
    if (command.input.empty()) return;
    const std::string text = read_file(thinwire / command.input),
                      name = output == "touchstone" ? "x.s1p" : "x.mtx";
    std::vector<std::string> inputs = {name};
    if (command.input != "m.mtx") inputs.push_back(name + ".part");
    if (output == "output" && command.input == "dipole.nec" && command.name != "nec2c")
      inputs.push_back(name + ".journal");
    for (const std::string& input : inputs) {
      std::string arguments = command.arguments;
      arguments.replace(arguments.find(command.input), command.input.size(), input);
      thinwire.write(input, text);
      const auto run = thinwire(command.name + ' ' + arguments + " --" + output + ' ' +
                                name + (command.name == "nec2c" ? "" : " --force"));
      EXPECT_EQ(run.code, 5) << input << run.err;
      EXPECT_TRUE(contains(run.err, "reads and would be overwritten"));
      EXPECT_EQ(read_file(thinwire / input), text) << input;
      std::filesystem::remove(thinwire / input);
    }
  });
}

TEST(Outputs, StandardInputAndMatricesAreInputs) {
  const Program thinwire;
  test::write_inputs(thinwire);
  const std::string text = read_file(thinwire / "dipole.nec");
  for (const char* command : {"solve", "converge"}) {
    const auto run =
        thinwire(std::string(command) + " - --csv dipole.nec --force <dipole.nec");
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_EQ(read_file(thinwire / "dipole.nec"), text);
  }
  const std::string control = "GE 0\nFR 0 1 0 0 299.8 0\n";
  thinwire.write("wg.nec",
                 "CE\nGW 1 5 0 0 -.25 0 0 .25 .001\n" + control + "WG m.h5\nEN\n");
  thinwire.write("gf.nec", "CE\nGF 0 m.h5\n" + control + "EX 0 1 3 0 1 0\nXQ\nEN\n");
  ASSERT_EQ(thinwire("solve wg.nec -o none").code, 0);
  const std::string matrix = read_file(thinwire / "m.h5");
  for (const char* arguments :
       {"solve gf.nec -o m.h5 --force", "solve gf.nec -o none --csv m.h5 --force",
        "nec2c -i gf.nec -o m.h5"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_EQ(read_file(thinwire / "m.h5"), matrix) << arguments;
  }
  EXPECT_EQ(thinwire("solve gf.nec -o m.out").code, 0);
  // Also those of a deck that is refused, and of decks that report solves.
  thinwire.write("refused.nec", "CE\nGF 0 m.h5\nGW 1 5 0 0 1 0 0 2 .001\nGE\nEN\n");
  for (const char* arguments :
       {"nec2c -i refused.nec -o m.h5", "report gf.nec --no-browser -o m.h5 --force"}) {
    EXPECT_EQ(thinwire(arguments).code, 5) << arguments;
    EXPECT_EQ(read_file(thinwire / "m.h5"), matrix) << arguments;
  }
}

TEST(Outputs, ResultsOfDecksThatReportSolvesReplaceNoInputAndNoOther) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec").code, 0);
  const std::string result = read_file(thinwire / "dipole.h5");
  for (const char* files : {"dipole.h5 dipole.nec", "dipole.nec dipole.h5"})
    EXPECT_EQ(thinwire(std::string("report --no-browser -o p.html ") + files).code, 5);
  std::filesystem::create_directory(thinwire / "sub");
  thinwire.write("sub/dipole.nec", read_file(thinwire / "dipole.nec"));
  EXPECT_EQ(thinwire("report --no-browser -o p.html dipole.nec sub/dipole.nec").code, 2);
  EXPECT_EQ(read_file(thinwire / "dipole.h5"), result);
}

TEST(Outputs, ComeWhereStandardErrorCannotBeWrittenTo) {
  const Program thinwire;
  for (const char* to : {"2>/dev/full", "2>&-"}) {
    const auto run = thinwire(std::string("solve dipole.nec -o e.h5 --csv e.csv ") + to);
    EXPECT_EQ(run.code, 0) << to;
    EXPECT_TRUE(contains(run.out, "VSWR")) << to;
    EXPECT_EQ(thinwire(std::string("info e.h5 ") + to).code, 0) << to;
    EXPECT_EQ(thinwire(std::string("solve missing.nec ") + to).code, 5) << to;
  }
}

TEST(Outputs, NoTwoAreOneFile) {
  for_each_output([](const Program& thinwire, const WritingCommand& command,
                     const std::string& output) {
    for (const std::string& other : command.outputs) {
      // To a Touchstone file with another suffix its own is added.
      if (other == "touchstone" || (other <= output && output != "touchstone")) continue;
      for (const char* name : {"./x.s1p", "x.s1p.part"}) {
        const auto run = thinwire(command.name + ' ' + command.arguments + " --" +
                                  output + " x.s1p --" + other + ' ' + name + " --force");
        EXPECT_EQ(run.code, 2) << name << run.err;
        EXPECT_TRUE(contains(run.err, "is named for two outputs"));
      }
    }
  });
}

TEST(Outputs, EachReplacesItsOwnKindOnly) {
  const Program thinwire;
  test::write_inputs(thinwire);
  struct Written {
    std::string option, name;  ///< with the command before the option
  };
  std::vector<Written> written;
  for (const WritingCommand& command : test::writing_commands) {
    if (!command.runs_anywhere || command.name == "nec2c") continue;
    std::string line = command.name + ' ' + command.arguments;
    for (const std::string& output : command.outputs) {
      const std::string name = "f" + std::to_string(written.size()) + ".s1p";
      written.push_back(
          {command.name + ' ' + command.arguments + " --" + output + ' ', name});
      line += " --" + output + ' ' + name;
    }
    // The second time it replaces what it wrote the first time.
    for (int time = 0; time < 2; ++time) {
      const auto run = thinwire.succeeds(line);
    }
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    // Reports of two commands differ in the kind of their HDF5 files only: four further
    // on is another kind.
    const std::string name = written[(i + 4) % written.size()].name,
                      before = read_file(thinwire / name);
    const auto run = thinwire(written[i].option + name);
    EXPECT_EQ(run.code, 5) << written[i].option << name << run.err;
    EXPECT_TRUE(contains(run.err, "exists and is "));
    EXPECT_EQ(read_file(thinwire / name), before);
  }
}

TEST(Outputs, AMatrixDoesNotReplaceAResult) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec -o r.h5").code, 0);
  const std::string result = read_file(thinwire / "r.h5");
  thinwire.write("wg.nec",
                 "CE\nGW 1 5 0 0 -.25 0 0 .25 .001\nGE 0\nFR 0 1 0 0 299.8 0\nWG "
                 "r.h5\nEN\n");
  for (const char* arguments : {"solve wg.nec -o none", "nec2c -i wg.nec"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_EQ(read_file(thinwire / "r.h5"), result) << arguments;
  }
  EXPECT_EQ(thinwire("solve wg.nec -o none --force").code, 0);
}

TEST(Outputs, NamesAreTriedBeforeTheWork) {
  for_each_output([](const Program& thinwire, const WritingCommand& command,
                     const std::string& output) {
    // With .part, 255 characters and one.
    const std::string name = std::string(247, 'x') + ".s1p";
    const auto run =
        thinwire(command.name + ' ' + command.arguments + " --" + output + ' ' + name);
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_TRUE(contains(run.err, "name too long"));
    EXPECT_EQ(run.out, "");
    std::filesystem::create_directory(thinwire / "y.s1p.part");
    EXPECT_EQ(
        thinwire(command.name + ' ' + command.arguments + " --" + output + " y.s1p").code,
        5);
  });
}

TEST(Outputs, NoneIsNoFile) {
  for_each_output([](const Program& thinwire, const WritingCommand& command,
                     const std::string& output) {
    if (!command.runs_anywhere) return;
    thinwire.succeeds(command.name + ' ' + command.arguments + " --" + output + " none");
    EXPECT_FALSE(thinwire.has("none") || thinwire.has("none.s1p"));
    EXPECT_EQ(
        thinwire(command.name + ' ' + command.arguments + " --" + output + " ''").code,
        2);
  });
}

TEST(Outputs, WhatIsReadIsARegularFile) {
  const Program thinwire;
  thinwire.write("gf.nec",
                 "CE\nGF 0 fifo\nGE 0\nFR 0 1 0 0 300 0\nEX 0 1 3 0 1 0\nXQ\nEN\n");
  ASSERT_EQ(thinwire.shell("mkfifo fifo && mkfifo dipole.h5.journal").code, 0);
  for (const char* arguments :
       {"solve gf.nec", "info fifo", "solve dipole.nec --resume"}) {
    const auto run =
        thinwire.shell(std::string("timeout 10 '") + THINWIRE_PROGRAM + "' " + arguments);
    EXPECT_EQ(run.code, 5) << arguments << run.err;
    EXPECT_TRUE(contains(run.err, "not a regular file"));
  }
  // A deck from a pipe stays allowed.
  EXPECT_EQ(thinwire
                .shell(std::string("cat dipole.nec >fifo & '") + THINWIRE_PROGRAM +
                       "' solve fifo -o none")
                .code,
            0);
}

TEST(Outputs, AreWrittenThoughNobodyReadsMessages) {
  const Program thinwire;
  const auto into_a_closed_pipe = [&](const std::string& command) {
    return thinwire.shell("(sleep .2; " + command + "; echo $? >code) | true");
  };
  into_a_closed_pipe(std::string("'") + THINWIRE_PROGRAM +
                     "' solve dipole.nec --progress json -o a.h5 2>&1 >table");
  EXPECT_EQ(read_file(thinwire / "code"), "0\n");
  EXPECT_TRUE(thinwire.has("a.h5"));
  // Nor is it an error that `head` has seen enough.
  into_a_closed_pipe(std::string("'") + THINWIRE_PROGRAM + "' info a.h5 2>errors");
  EXPECT_EQ(read_file(thinwire / "code"), "5\n");
  EXPECT_EQ(read_file(thinwire / "errors"), "");
}

TEST(Outputs, DoNotReplaceALinkToNothing) {
  const Program thinwire;
  ASSERT_EQ(thinwire.shell("ln -s gone.h5 link.h5").code, 0);
  const auto run = thinwire("solve dipole.nec -o link.h5");
  EXPECT_EQ(run.code, 5);
  EXPECT_EQ(run.err,
            "thinwire: link.h5: is a link to a file that does not exist. Remove the "
            "link.\n");
  EXPECT_EQ(thinwire.shell("test -L link.h5").code, 0);
}

/// Where a text has what a terminal would obey or another line than its own, or is not
/// UTF-8; npos where it is safe.
std::size_t unsafe_at(const std::string& text) {
  if (!is_utf8(text)) return 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if (code == '\n' ? text.compare(i + 1, 3, "ZZZ") == 0
                     : (code < 0x20 && code != '\t') || code == 0x7f)
      return i;
    if (code == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return i;
  }
  return text.npos;
}

TEST(Outputs, NamesAndCommentsAreMadeSafe) {
  const std::string name =
      "a\x1b[31m\nZZZ\xc2\x9b"
      "2J.nec";
  for (const WritingCommand& command : test::writing_commands) {
    if (command.input != "dipole.nec") continue;
    SCOPED_TRACE(command.name);
    const Program thinwire;
    test::write_inputs(thinwire);
    std::string deck = read_file(thinwire / "dipole.nec");
    // Decks with other control characters than these are refused.
    deck.replace(0, 2,
                 "CM caf\xe9 \x9b"
                 "31m\nCE");
    thinwire.write(name, deck);
    std::string line = command.name + ' ' + command.arguments;
    line.replace(line.find("dipole.nec"), 10, "\"$name\"");
    for (const std::string& output : command.outputs)
      line += " --" + output + " f." + output;
    const auto run =
        thinwire.shell("name=\"$(printf 'a\\033[31m\\nZZZ\\302\\2332J.nec')\"\n'" +
                       std::string(THINWIRE_PROGRAM) + "' " + line);
    EXPECT_EQ(run.code, 0) << run.err;
    const bool is_nec2c = command.name == "nec2c";
    std::vector<std::string> texts = {run.out, run.err};
    for (const std::string& output : command.outputs)
      if (output == "touchstone")
        texts.push_back(read_file(thinwire / "f.touchstone.s1p"));
      else if (output == "output" && !is_nec2c)
        texts.push_back(thinwire("info f.output").out);
      else if (output != "output-deck")  // the deck's own text, as it is
        texts.push_back(read_file(thinwire / ("f." + output)));
    for (const std::string& text : texts) {
      EXPECT_FALSE(text.empty() && !is_nec2c && &text == &texts[0]);
      EXPECT_EQ(unsafe_at(text), text.npos) << text.substr(0, 2000);
    }
    if (command.name != "solve") continue;
    const Hdf5Reader result(thinwire / "f.output");
    EXPECT_EQ(result.text("/input/deck").substr(0, 8), "CM caf\xc3\xa9");
  }
  const Program thinwire;
  const auto run =
      thinwire.shell("'" + std::string(THINWIRE_PROGRAM) +
                     "' solve \"$(printf 'missing\\033[31m\\nZZZ\\302\\233.nec')\"");
  EXPECT_EQ(run.code, 5);
  EXPECT_EQ(test::line_count(run.err), 1u) << run.err;
  EXPECT_EQ(unsafe_at(run.err), run.err.npos) << run.err;
}

TEST(Outputs, CouplingsOfRunsOfOneFrequencyAreWritten) {
  const Program thinwire;
  thinwire.write("cp.nec",
                 "CE\nGW 1 11 0 0 -.25 0 0 .25 .001\nGW 2 11 .2 0 -.25 .2 0 .25 .001\n"
                 "GE\nFR 0 1 0 0 299.8 0\nCP 1 6 2 6\nEX 0 1 6 0 1 0\nXQ\n"
                 "EX 0 2 6 0 1 0\nXQ\nEN\n");
  const auto run = thinwire.succeeds("solve cp.nec");
  EXPECT_FALSE(run.out.empty());
  EXPECT_TRUE(Hdf5Reader(thinwire / "cp.h5").exists("/coupling/0/linville"));
}

}  // namespace
}  // namespace thinwire
