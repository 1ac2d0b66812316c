#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "io/result/hdf5_file.h"
#include "tests/cli/output_options.h"

namespace thinwire {
namespace {

using test::Program;
using test::WritingCommand;

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

TEST(Outputs, CouplingsOfRunsOfOneFrequencyAreWritten) {
  const Program thinwire;
  thinwire.write("cp.nec",
                 "CE\nGW 1 11 0 0 -.25 0 0 .25 .001\nGW 2 11 .2 0 -.25 .2 0 .25 .001\n"
                 "GE\nFR 0 1 0 0 299.8 0\nCP 1 6 2 6\nEX 0 1 6 0 1 0\nXQ\n"
                 "EX 0 2 6 0 1 0\nXQ\nEN\n");
  const auto run = thinwire("solve cp.nec");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(run.out.empty());
  EXPECT_TRUE(Hdf5Reader(thinwire / "cp.h5").exists("/coupling/0/linville"));
}

}  // namespace
}  // namespace thinwire
