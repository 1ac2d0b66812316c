#include "mom/optimize/goal.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

std::string refusal(const char* text) {
  return test::error_message(ErrorKind::usage, [&] { (void)goal_of(text); });
}

TEST(Goal, ReadsABoundOverABand) {
  const Goal goal = goal_of("max_vswr(144:146) < 1.3");
  EXPECT_EQ(goal.quantity, Goal::Quantity::vswr);
  EXPECT_EQ(goal.over, Goal::Over::largest);
  EXPECT_EQ(goal.aim, Goal::Aim::below);
  EXPECT_EQ(goal.bound, 1.3);
  EXPECT_EQ(goal.weight, 1);
  EXPECT_EQ(goal.frequency_hz, (std::vector{144e6, 144.5e6, 145e6, 145.5e6, 146e6}));
}

TEST(Goal, ReadsAnObjectiveWithAWeightADirectionAndAFrequency) {
  const Goal goal = goal_of(" 2.5*gain( 90, 30, 14.1 )max");
  EXPECT_EQ(goal.quantity, Goal::Quantity::gain);
  EXPECT_EQ(goal.aim, Goal::Aim::largest);
  EXPECT_EQ(goal.weight, 2.5);
  EXPECT_EQ(goal.direction->theta_deg, 90);
  EXPECT_EQ(goal.direction->phi_deg, 30);
  EXPECT_EQ(goal.frequency_hz, std::vector{14.1e6});
  EXPECT_FALSE(goal.is_bound());
}

TEST(Goal, TellsADirectionFromAFrequencyByTheirNumber) {
  EXPECT_FALSE(goal_of("gain max").direction);
  EXPECT_FALSE(goal_of("gain(145) max").direction);
  EXPECT_EQ(goal_of("gain(145) max").frequency_hz, std::vector{145e6});
  EXPECT_TRUE(goal_of("gain(90,-45) max").direction);
  EXPECT_TRUE(goal_of("gain(90,-45) max").frequency_hz.empty());
  EXPECT_EQ(goal_of("min_fb(80,0,144:146:2) > 20").frequency_hz.size(), 2U);
}

TEST(Goal, IsAsGoodAsItsWorstFrequencyWhereItDoesNotSay) {
  EXPECT_EQ(goal_of("vswr < 2").over, Goal::Over::largest);
  EXPECT_EQ(goal_of("vswr min").over, Goal::Over::largest);
  EXPECT_EQ(goal_of("gain > 10").over, Goal::Over::smallest);
  EXPECT_EQ(goal_of("gain max").over, Goal::Over::smallest);
  EXPECT_EQ(goal_of("x = 0").over, Goal::Over::each);
  EXPECT_EQ(goal_of("mean_r = 50").over, Goal::Over::mean);
}

TEST(Goal, CapitalLettersMeanTheSame) {
  EXPECT_EQ(goal_of("VSWR < 2").quantity, Goal::Quantity::vswr);
  EXPECT_EQ(goal_of("|Z| Min").aim, Goal::Aim::smallest);
  EXPECT_EQ(goal_of("Mean_Gain(90,0) MAX").over, Goal::Over::mean);
}

TEST(Goal, NamesASource) {
  EXPECT_EQ(goal_of("|z|@2(7.1) < 100").source, 1U);
  EXPECT_EQ(goal_of("r@1 = 50").source, 0U);
  EXPECT_NE(refusal("gain@2 max").find("of a source"), std::string::npos);
  EXPECT_NE(refusal("r@0 = 50").find("from 1"), std::string::npos);
}

TEST(Goal, SaysWhereItsTextIsWrong) {
  EXPECT_EQ(goal_of("SWR < 2").quantity, goal_of("vswr < 2").quantity);
  EXPECT_EQ(refusal("s11 < 2"),
            "--goal 's11 < 2': 's' is no function. There are vswr, r, x, |z|, gain, "
            "fb, efficiency, each also with min_, max_ or mean_ before it (at character "
            "1). Goals are like \"vswr(144:146) < 1.5\" or \"gain(90,0) max\".");
  const auto says = [](const char* text, const char* why) {
    EXPECT_NE(refusal(text).find(why), std::string::npos) << refusal(text);
  };
  says("", "expected a function");
  says("vswr", "expected <, >, = or one of min, max (at character 5)");
  says("vswr <", "expected a bound, a number (at character 7)");
  says("vswr < 2 dB", "expected nothing more");
  says("vswr < 0.5", "a VSWR is 1 or more");
  says("vswr(144:146 < 2", "a closing parenthesis is missing (at character 14)");
  says("vswr(146:144) < 2", "from the lower to the higher");
  says("vswr(144:146:1) < 2", "2 to 10000 frequencies");
  says("vswr(90,0) < 2", "expected one frequency");
  says("vswr(-3) < 2", "must be positive");
  says("fb > 20", "fb needs a direction");
  says("fb(145) > 20", "fb needs a direction");
  says("gain(144:146,90,0) max", "the frequencies must come last");
  says("gain(1,2,3,4) max", "expected (THETA, PHI)");
  says("0 * gain max", "a weight must be positive");
  says("2 gain max", "expected *");
  says("gain(90,0) maximal", "min, max");
  says("vswr < nan", "expected a bound");
  says("vswr < 1e999", "expected a bound");
  says("x = 1e308", "a bound must be");
  says("x > -1e13", "a bound must be");
  says("1e-300 * x = 0", "a weight must be");
}

}  // namespace
}  // namespace thinwire
