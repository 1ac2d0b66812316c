// Files of EZNEC, made here by the published layout of their records.
#include "io/deck/eznec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <sstream>

#include "io/deck/deck.h"
#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire::eznec_test {
namespace {

class EznecFile {
 public:
  explicit EznecFile(std::uint16_t records) : bytes_((records + 3U) * 170, '\0') {
    word(0, 0, records).word(0, 48, records).word(0, 63, 1304).word(0, 114, 51);
    text(0, 18, "Back-yard antenna             ");
    real(0, 5, 14.2F).letter(0, 54, 'F').letter(0, 117, 'Z').letter(0, 123, 'H');
    for (std::uint16_t i = 1; i <= records; ++i) word(i, 44, 0xFFFF);
  }
  EznecFile& word(std::size_t record, std::size_t offset, std::uint16_t value) {
    bytes_[170 * record + offset] = static_cast<char>(value & 0xFF);
    bytes_[170 * record + offset + 1] = static_cast<char>(value >> 8);
    return *this;
  }
  EznecFile& real(std::size_t record, std::size_t offset, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    word(record, offset, static_cast<std::uint16_t>(bits));
    return word(record, offset + 2, static_cast<std::uint16_t>(bits >> 16));
  }
  EznecFile& letter(std::size_t record, std::size_t offset, char value) {
    bytes_[170 * record + offset] = value;
    return *this;
  }
  EznecFile& text(std::size_t record, std::size_t offset, const std::string& value) {
    bytes_.replace(170 * record + offset, value.size(), value);
    return *this;
  }
  EznecFile& wire(std::size_t record, const std::vector<float>& ends, float diameter,
                  std::uint16_t segments) {
    for (std::size_t i = 0; i < 6; ++i) real(record, 16 + 4 * i, ends[i]);
    return real(record, 40, diameter).word(record, 46, segments);
  }
  /// A block behind the records, of words and numbers.
  EznecFile& block(std::uint16_t type, const std::string& content) {
    const auto size = static_cast<std::uint32_t>(content.size() + 7);
    for (const std::uint32_t part : {type | (size & 0xFFFF) << 16, size >> 16})
      for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(part >> (8 * i));
    bytes_.erase(bytes_.size() - 2);  // 2 bytes of type, 4 of length
    bytes_ += '\1';
    bytes_ += content;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string numbers(std::uint32_t count, const std::vector<float>& values) {
  std::string out;
  const auto add = [&](std::uint32_t bits) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i));
  };
  add(count);
  for (const float value : values) add(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// The message of an Error{file}; empty where there is none.
std::string file_error(const std::function<void()>& action) {
  return test::error_message(ErrorKind::file, [&] { action(); });
}

/// A dipole of 11 segments with a source of 1 V (rms) in its middle.
EznecFile dipole() {
  EznecFile file(1);
  file.wire(1, {0, -5, 10, 0, 5, 10}, 0.002F, 11).word(0, 50, 1);
  return file.word(1, 48, 1).real(1, 50, 50).real(1, 54, 1).real(1, 58, 90).letter(1, 62,
                                                                                   'V');
}

Problem read(const EznecFile& file) {
  std::istringstream in(file.bytes());
  std::vector<std::string> warnings;
  Problem problem = read_deck(read_deck_text(in, "a.ez"), "a.ez", warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  return problem;
}

TEST(Eznec, DipoleWithSource) {
  const EznecFile file = dipole();
  EXPECT_TRUE(is_eznec(file.bytes()));
  EXPECT_FALSE(is_eznec(std::string(1000, 'x')));
  const Problem problem = read(file);
  EXPECT_EQ(problem.comments.at(0), "Back-yard antenna");
  ASSERT_EQ(problem.structure.segments().size(), 11U);
  EXPECT_NEAR(problem.structure.segments()[0].radius_m, 1e-3, 1e-9);
  EXPECT_NEAR(problem.structure.segments()[0].start_m.y, -5, 1e-9);
  const auto& run = problem.runs.at(0);
  EXPECT_NEAR(run.frequency_hz.at(0), 14.2e6, 1);
  ASSERT_EQ(run.sources.size(), 1U);
  EXPECT_EQ(run.sources[0].segment, 5U);
  EXPECT_NEAR(std::abs(run.sources[0].voltage_v - Complex(0, std::sqrt(2))), 0, 1e-6);
  EXPECT_EQ(run.ground.kind, Ground::Kind::none);
}

TEST(Eznec, PlacesAreInPercentOfTheWire) {
  for (const auto& [percent, segment] : {std::pair{0.F, 0U},
                                         {4.54F, 0U},
                                         {13.7F, 1U},
                                         {50.F, 5U},
                                         {95.5F, 10U},
                                         {100.F, 10U}})
    EXPECT_EQ(read(dipole().real(1, 50, percent)).runs[0].sources[0].segment, segment)
        << percent;
}

TEST(Eznec, GaugesGroundsLossesAndSweeps) {
  EznecFile file = dipole();
  file.word(1, 44, 12).letter(0, 54, 'R').real(1, 0, 0.005F).real(1, 4, 13);
  file.real(0, 98, 1.724e-8F).real(0, 102, 1);
  std::string sweep(18, '\0');
  sweep += numbers(0, {14, 14.35F, 0.05F}).substr(4) + std::string(2, '\0');
  file.block(99, "unknown")
      .block(11, sweep)
      .block(12, numbers(1, {2.3F, 0.0005F, 0.01F}));
  const Problem problem = read(file);
  EXPECT_NEAR(problem.structure.segments()[0].radius_m, 2.053e-3 / 2, 1e-6);
  const auto& run = problem.runs.at(0);
  EXPECT_EQ(run.ground.kind, Ground::Kind::sommerfeld);
  EXPECT_EQ(run.frequency_hz.size(), 8U);
  EXPECT_NEAR(run.frequency_hz.back(), 14.35e6, 10);
  const std::string cards = eznec_cards(file.bytes(), "a.ez");
  EXPECT_NE(cards.find("\nLD 5 1 0 0 5.80046"), cards.npos) << cards;
  EXPECT_NE(cards.find("\nIS 0 1 0 0 2.3 1.8"), cards.npos) << cards;
  file.letter(0, 123, 'M');
  EXPECT_EQ(read(file).runs[0].ground.kind, Ground::Kind::mininec);
  EXPECT_EQ(read(dipole().letter(0, 54, 'P')).runs[0].ground.kind, Ground::Kind::perfect);
}

TEST(Eznec, LoadsAndCurrentSources) {
  EznecFile file = dipole();
  file.letter(1, 62, 'I').word(0, 52, 1).word(1, 63, 1).real(1, 65, 20);
  file.real(1, 69, 10).real(1, 73, -50);
  const auto has = [&](const char* card) {
    const std::string cards = eznec_cards(file.bytes(), "a.ez");
    return cards.find(card) != cards.npos ? std::string() : cards;
  };
  EXPECT_EQ(has("\nLD 4 1 3 3 10 -50\n"), "");
  EXPECT_EQ(has("\nEX 6 1 6 0 "), "");
  file.letter(0, 117, 'R').real(1, 151, 2).real(1, 155, 1e-6F).real(1, 159, 1e-10F);
  EXPECT_EQ(has("\nLD 0 1 3 3 2 1e-06 1e-10\n"), "");
  EXPECT_EQ(has(file.letter(1, 150, 'P').bytes().empty() ? "" : "\nLD 1 1 3 3 2"), "");
  file.letter(1, 150, 'T').real(1, 163, 10);  // Q = 2 pi 10 MHz 1 uH / 2 ohm
  EXPECT_EQ(has("\nLD 6 1 3 3 31.41593 1e-06 1e-10\n"), "");
  EXPECT_EQ(read(file).runs[0].loads.size(), 1U);
}

TEST(Eznec, LinesAndStubs) {
  EznecFile file(2);
  file.wire(1, {0, -5, 10, 0, 5, 10}, 0.002F, 11)
      .wire(2, {3, -5, 10, 3, 5, 10}, 0.002F, 11);
  file.word(0, 50, 1).word(1, 48, 1).real(1, 50, 50).real(1, 54, 1).letter(1, 62, 'V');
  file.word(0, 120, 2);
  // Crossed, of the distance, and a shorted stub of 90 degrees.
  file.word(1, 125, 1).real(1, 127, 50).word(1, 131, 2).real(1, 133, 50);
  file.real(1, 137, -450).real(1, 145, 0.66F);
  file.word(2, 125, 2).real(2, 127, 50).word(2, 131, 0xFFFF);
  file.real(2, 137, 50).real(2, 141, -90).real(2, 145, 0.66F);
  const Problem problem = read(file);
  ASSERT_EQ(problem.structure.segments().size(), 23U);  // one of the stub's end
  const auto& networks = problem.runs.at(0).networks;
  ASSERT_EQ(networks.size(), 2U);
  EXPECT_NEAR(networks[0].length_m, 3 / 0.66, 1e-5);
  EXPECT_TRUE(networks[0].crossed);
  EXPECT_NEAR(networks[1].length_m, 299.792458 / 14.2 / 4, 1e-5);
  EXPECT_EQ(networks[1].segment[1], 22U);
}

/// Layout of the blocks: ezparse's.
TEST(Eznec, LossyLinesTransformersAndLNetworks) {
  const auto words = [](std::initializer_list<std::uint32_t> values) {
    std::string bytes;
    for (const std::uint32_t value : values)
      for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  };
  const auto floats = [](std::vector<float> values) {
    return numbers(0, values).substr(4);
  };
  EznecFile file(2);
  file.wire(1, {0, -5, 10, 0, 5, 10}, 0.002F, 11)
      .wire(2, {3, -5, 10, 3, 5, 10}, 0.002F, 11);
  file.word(0, 50, 1).word(1, 48, 1).real(1, 50, 50).real(1, 54, 1).letter(1, 62, 'V');
  file.word(0, 114, 51).word(0, 120, 1).word(0, 152, 1).word(0, 156, 1);
  file.word(1, 125, 1).real(1, 127, 50).word(1, 131, 2).real(1, 133, 50);
  file.real(1, 137, 50).real(1, 141, 10).real(1, 145, 0.66F);
  file.block(14, words({1}) + floats({1.5F, 50}));
  const std::string ends = words({0, 0, 1, 2}) + floats({0, 0, 50, 25});
  file.block(15, words({1}) + ends + floats({0, 0, 50, -200}));
  EznecFile by_parts = file;
  file.letter(0, 89, 'Z')
      .block(17, words({1}) + ends + floats({0, 0, 0, 0, 10, 40, 0, -80}) + words({0}));
  const std::string cards = eznec_cards(file.bytes(), "a.ez");
  EXPECT_NE(cards.find("\nTL 1 6 2 6 50 10 0 0 0 0 4.92126 50 0.66\n"), cards.npos)
      << cards;
  EXPECT_NE(cards.find("\nLN 1 6 2 3 T -2\nLN 1 6 2 3 S4 10 40 0 P4 0 -80 0\n"),
            cards.npos)
      << cards;
  EXPECT_EQ(read(file).runs.at(0).networks.size(), 3U);
  by_parts.letter(0, 89, 'R')
      .block(17,
             words({1}) + ends + floats(std::vector<float>(8)) + words({1}) +
                 floats({0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 2e-6F, 1e-6F, 0, 1e-10F, 0, 10}) +
                 std::string("\0\0ST", 4));
  const std::string parts = eznec_cards(by_parts.bytes(), "a.ez");
  EXPECT_NE(parts.find(" S0 2 2e-06 0 P6 12.56637 1e-06 1e-10\n"), parts.npos) << parts;
  by_parts.block(17, words({1}) + ends);  // cut off
  EXPECT_THROW(eznec_cards(by_parts.bytes(), "a.ez"), Error);
}

TEST(Eznec, AllOfASampleIsRead) {
  std::vector<std::string> warnings;
  const Problem problem = read_deck_file(
      std::filesystem::path(THINWIRE_SOURCE_DIR) / "tests/decks/two_dipoles.ez",
      warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  const auto& run = problem.runs.at(0);
  EXPECT_EQ(run.loads.size(), 6U);  // two metals, three loads, a sheath
  EXPECT_EQ(run.sources.size(), 2U);
  EXPECT_EQ(run.networks.size(), 2U);
  EXPECT_EQ(run.frequency_hz.size(), 3U);
  EXPECT_EQ(problem.reference_ohm, 75);
}

TEST(Eznec, WhatCannotBeSaidIsRefused) {
  const auto message = [](const EznecFile& file) {
    return file_error([&] { (void)eznec_cards(file.bytes(), "a.ez"); });
  };
  EXPECT_NE(message(dipole().letter(1, 62, 'W')).find("split source"), std::string::npos);
  EXPECT_NE(message(dipole().word(1, 48, 9)).find("wire 9"), std::string::npos);
  EXPECT_NE(message(dipole().word(0, 0, 900)).find("damaged"), std::string::npos);
  EXPECT_NE(message(dipole().word(0, 152, 1)).find("transformers"), std::string::npos);
  EXPECT_NE(message(dipole().real(1, 16, NAN)).find("no number"), std::string::npos);
  EXPECT_NE(message(dipole().real(0, 5, -1)).find("frequency"), std::string::npos);
  EXPECT_NE(message(dipole().word(0, 50, 2)).find("do not fit"), std::string::npos);
}

TEST(Eznec, CutAndChangedFilesAreErrorsOrDecks) {
  EznecFile whole = dipole();
  whole.block(12, numbers(1, {2.3F, 0.0005F, 0.01F}));
  const std::string& bytes = whole.bytes();
  for (std::size_t size = 340; size < bytes.size(); ++size)
    (void)file_error(
        [&] { (void)eznec_cards(std::string_view(bytes).substr(0, size), "a.ez"); });
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const char c : {'\xFF', '\x7F', '\x80'}) {
      std::string changed = bytes;
      changed[i] = c;
      (void)file_error([&] { (void)eznec_cards(changed, "a.ez"); });
    }
}

}  // namespace
}  // namespace thinwire::eznec_test
