#include "io/result/journal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "io/result/checksum.h"
#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using Results = std::map<std::string, std::string>;

const nlohmann::json work = {{"command", "solve"},
                             {"deck", "CM caf\xe9\nEN\n"},
                             {"options", {{"mesh", "graded"}, {"tolerance", 1e-6}}}};
const Results results = {{"0", "3.25"}, {"1", "a b c"}, {"7", ""}};

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() : path_(folder_ / "r.h5.journal") {
    Journal journal(path_, work);
    journal.begin();
    for (const auto& [key, text] : results) journal.add(key, text);
    whole_ = test::read_file(path_);
  }

  /// Returns the results that the journal holds, and the number of lines left out.
  std::pair<Results, std::size_t> resumed(const nlohmann::json& of = work) const {
    Results found;
    Journal journal(path_, of);
    const std::size_t left_out = journal.resume(
        [&](const std::string& key, const std::string& text) { found[key] = text; });
    return {found, left_out};
  }
  std::string refusal(const nlohmann::json& of = work) const {
    return test::error_message([&] { (void)resumed(of); });
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_;
  std::string whole_;
};

TEST_F(JournalTest, GivesBackWhatItKept) {
  EXPECT_EQ(resumed(), std::pair(results, std::size_t{0}));
}

TEST_F(JournalTest, LeavesOutDamagedLinesAndRefusesADamagedHeader) {
  const std::size_t header = whole_.find('\n') + 1;
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    std::string damaged = whole_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    test::write_file(path_, damaged);
    if (at < header) {
      ASSERT_TRUE(contains(refusal(), "damaged")) << at;
      ASSERT_EQ(test::read_file(path_), damaged) << "a refusal changes nothing";
      continue;
    }
    const auto [found, left_out] = resumed();
    ASSERT_GE(left_out, 1U) << at;
    ASSERT_LT(found.size(), results.size()) << at;
    for (const auto& [key, text] : found) ASSERT_EQ(results.at(key), text) << at;
  }
}

TEST_F(JournalTest, GoesOnBehindTheLastWholeLineHoweverItWasCutShort) {
  for (std::size_t size = whole_.find('\n') + 1; size < whole_.size(); ++size) {
    test::write_file(path_, whole_.substr(0, size));
    {
      Journal journal(path_, work);
      (void)journal.resume([](const auto&, const auto&) {});
      for (const auto& [key, text] : results) journal.add(key, text);
    }
    ASSERT_EQ(resumed(), std::pair(results, std::size_t{0})) << size;
  }
}

TEST_F(JournalTest, IsOfOneWorkAndNamesWhatDiffers) {
  nlohmann::json other = work;
  other["deck"] = "EN\n";
  EXPECT_TRUE(contains(refusal(other), "another deck"));
  other = work;
  other["command"] = "sweep";
  EXPECT_TRUE(contains(refusal(other), "another command"));
  other = work;
  other["options"]["tolerance"] = 1e-5;
  other["options"]["gradient"] = {"h"};
  EXPECT_TRUE(contains(refusal(other), "other options (--gradient, --tolerance)"));
  other = work;
  other["options"].erase("mesh");
  EXPECT_TRUE(contains(refusal(other), "(--mesh)"));
  other = work;
  other["matrix"] = "0";
  EXPECT_TRUE(contains(refusal(other), "another matrix"));
}

TEST_F(JournalTest, IsOfOneVersionOfTheProgram) {
  const std::size_t end = whole_.find('\n');
  nlohmann::json header = nlohmann::json::parse(whole_.substr(17, end - 17));
  header.at("version") = "0.0.1 (0123abc)";
  const std::string text = header.dump();
  test::write_file(path_, checksum_digits(text) + ' ' + text + whole_.substr(end));
  EXPECT_TRUE(contains(refusal(), "another version of this program"));
}

TEST_F(JournalTest, IsWrittenByOneProcessAtATime) {
  Journal first(path_, work), second(path_, work);
  first.begin();
  EXPECT_THROW(second.begin(), Error);
  EXPECT_THROW((void)second.resume({}), Error);
  // Whatever the user wants, it is in use, and not left of work that was stopped.
  for (const auto& [resume, force] :
       {std::pair(false, false), {true, false}, {false, true}}) {
    const std::string text = test::error_message(
        ErrorKind::file, [&] { Journal::refuse_left(path_, resume, force); });
    EXPECT_TRUE(contains(text, fmt::format("is in use: process {} (", ::getpid())));
    EXPECT_TRUE(contains(text, "io_tests"));
  }
}

TEST_F(JournalTest, ClaimsItsPathBeforeTheFirstResultAndLeavesNothing) {
  std::filesystem::remove(path_);
  {
    Journal first(path_, work);
    first.claim();
    EXPECT_THROW(Journal::refuse_left(path_, false, false), Error);
    EXPECT_THROW(Journal(path_, work).claim(), Error);
    EXPECT_FALSE(first.has_begun());
    // As its process leaves it where it is killed: no results, nothing to resume.
    std::filesystem::copy_file(path_, folder_ / "killed");
    EXPECT_FALSE(Journal::is_left(folder_ / "killed"));
    first.add("0", "3.25");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::filesystem::rename(folder_ / "killed", path_);
  Journal next(path_, work);
  next.claim();
  next.begin();
  next.add("0", "3.25");
  EXPECT_TRUE(Journal::is_left(path_));
}

/// As a kill or a full disk leaves it.
TEST_F(JournalTest, BeginsAnewWhereTheHeaderIsNotWhole) {
  const std::size_t header = whole_.find('\n');
  for (std::size_t size = 0; size <= header; size = size == 0 ? 30 : size + 7) {
    const std::string part = whole_.substr(0, size);
    test::write_file(path_, part);
    EXPECT_FALSE(Journal::is_left(path_)) << size;
    EXPECT_NO_THROW(Journal::refuse_left(path_, false, false)) << size;
    EXPECT_EQ(resumed(), std::pair(Results(), std::size_t{1})) << size;
    test::write_file(path_, part);
    {
      Journal journal(path_, work);
      journal.claim();
      journal.begin();
      for (const auto& [key, text] : results) journal.add(key, text);
    }
    EXPECT_EQ(test::read_file(path_), whole_) << size;
  }
  // Somebody else's file.
  test::write_file(path_, "0123456789abcdef notes");
  EXPECT_TRUE(Journal::is_left(path_));
  EXPECT_TRUE(contains(refusal(), "is no journal"));
}

TEST_F(JournalTest, StartsNoFileForLittleWorkAndLeavesNone) {
  std::filesystem::remove(path_);
  Journal journal(path_, work);
  journal.add("0", "");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(contains(refusal(), "is not there"));
  journal.begin();
  EXPECT_TRUE(contains(test::read_file(path_), " 0 \n"));
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JournalTest, RefusesWhatIsNoRegularFile) {
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(), "no regular file"));
}

}  // namespace
}  // namespace thinwire
