#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;

/// Returns the words that `thinwire complete` offers, separated by spaces.
std::string offered(const std::string& words) {
  const auto run = Program()("complete " + words);
  EXPECT_EQ(run.code, 0) << run.err;
  std::istringstream in(run.out);
  std::string all;
  for (std::string word; std::getline(in, word);) all += (all.empty() ? "" : " ") + word;
  return all;
}

TEST(Completion, Commands) {
  EXPECT_EQ(offered("so"), "solve");
  EXPECT_EQ(
      offered(""),
      "solve sweep optimize check converge convert info report serve match exposure rcs "
      "modes temperature devices tune bench nec2c help version");
  EXPECT_EQ(offered("help ve"), "version");
  EXPECT_EQ(offered("nosuch --"), "");
}

TEST(Completion, Options) {
  EXPECT_EQ(offered("solve --dev"), "--device");
  EXPECT_EQ(offered("solve a.nec --force --prec"), "--precond --precision");
  EXPECT_EQ(offered("solve --deck"), "") << "the deck is an argument";
}

TEST(Completion, Values) {
  EXPECT_EQ(offered("solve --device ''"), "auto cpu cuda");
  EXPECT_EQ(offered("solve --device = c"), "cpu cuda");
  EXPECT_EQ(offered("solve --device ="), "auto cpu cuda");
  EXPECT_EQ(offered("solve --mesh ''"), "graded as-given");
  EXPECT_EQ(offered("bench --precond t"), "two-level");
  EXPECT_EQ(offered("sweep --split ''"), "auto variant none");
}

TEST(Completion, LeavesFilesToTheShell) {
  for (const char* words : {"solve ''", "solve --csv ''", "solve -o ''", "check d",
                            "solve --threads ''", "nec2c -i ''"})
    EXPECT_EQ(offered(words), "") << words;
}

TEST(Completion, EveryValueIsOneThatSolveTakes) {
  const Program thinwire;
  std::istringstream options(offered("solve --"));
  int values = 0;
  for (std::string option; options >> option;) {
    std::istringstream words(offered("solve " + option + " ''"));
    for (std::string word; words >> word; ++values)
      EXPECT_FALSE(
          contains(thinwire("solve dipole.nec --dry-run " + option + " " + word).err,
                   "must be one of"))
          << option << " " << word;
  }
  EXPECT_GT(values, 20);
}

/// "--device" and the like of a page.
std::vector<std::string> options_in(const std::string& page) {
  std::vector<std::string> options;
  for (std::size_t at = page.find("--"); at != std::string::npos;
       at = page.find("--", at + 2))
    options.push_back(page.substr(
        at, page.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at) - at));
  return options;
}

TEST(Manual, HasEveryCommandAndOptionOfTheHelp) {
  const Program thinwire;
  const auto manual = thinwire("manual");
  ASSERT_EQ(manual.code, 0) << manual.err;
  std::string page;
  for (const char c : manual.out)
    if (c != '\\') page += c;
  std::istringstream commands(offered(""));
  for (std::string command; commands >> command;) {
    const std::size_t start = page.find(".SS \"thinwire " + command + " ");
    ASSERT_NE(start, std::string::npos) << command;
    const std::string section = page.substr(start, page.find("\n.S", start) - start);
    if (command == "help") continue;  // its page names options of others
    for (const std::string& option : options_in(thinwire(command + " --help-all").out)) {
      EXPECT_TRUE(contains(section, option)) << command << " " << option;
    }
  }
  EXPECT_TRUE(contains(page, "-o, --output"));
}

TEST(Manual, SaysTheExitStatusThatHelpSays) {
  const Program thinwire;
  std::string help = thinwire("help").out;
  for (char& c : help)
    if (c == '\n') c = ' ';
  const std::string page = thinwire("manual").out;
  std::istringstream in(page.substr(page.find(".SH EXIT STATUS")));
  int statuses = 0;
  for (std::string line; std::getline(in, line) && line != ".SH ENVIRONMENT";)
    if (line.starts_with(".B ")) {
      std::string meaning;
      std::getline(in, meaning);
      EXPECT_TRUE(contains(help, line.substr(3) + " " + meaning)) << line;
      ++statuses;
    }
  EXPECT_EQ(statuses, 7);
}

}  // namespace
}  // namespace thinwire
