// Reads the decks in tests/decks, and those of a folder of one's own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> decks_under(const fs::path& folder) {
  std::vector<fs::path> decks;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix == ".nec" || suffix == ".deck") decks.push_back(entry.path());
  }
  return decks;
}

TEST(DeckFolder, OwnDecksAreRead) {
  const std::vector<fs::path> decks =
      decks_under(fs::path(THINWIRE_SOURCE_DIR) / "tests" / "decks");
  EXPECT_GE(decks.size(), 12u);
  for (const fs::path& deck : decks) {
    SCOPED_TRACE(deck.string());
    std::vector<std::string> warnings;
    const Problem problem = read_deck_file(deck, warnings);
    EXPECT_GE(problem.structure.segments().size(), 1u);
    EXPECT_GE(problem.runs.size(), 1u);
  }
}

/// THINWIRE_DECKS=folder: every deck there is read or refused with file and line.
TEST(DeckFolder, DecksOfTheUserAreReadOrRefusedByLine) {
  const char* folder = std::getenv("THINWIRE_DECKS");
  if (folder == nullptr) GTEST_SKIP() << "THINWIRE_DECKS names no folder of decks";
  const std::vector<fs::path> decks = decks_under(folder);
  EXPECT_FALSE(decks.empty());
  std::size_t read = 0;
  for (const fs::path& deck : decks) {
    SCOPED_TRACE(deck.string());
    std::vector<std::string> warnings;
    try {
      read_deck_file(deck, warnings);
      ++read;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find(deck.filename().string() + ":"), 0u) << text;
    }
  }
  std::cout << read << " of " << decks.size()
            << " decks were read, the others refused.\n";
}

}  // namespace
}  // namespace thinwire
