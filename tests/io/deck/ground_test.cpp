// GN and GD, and what is computed and refused over real ground.
#include <gtest/gtest.h>

#include <cmath>

#include "mom/postprocess/near_fields.h"
#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::read;

/// A dipole 2 m above the ground; cards from line 4 on.
auto over_ground(const std::string& cards, const std::string& wire = "-2 0 2 2 0 2") {
  return read("CE\nGW 1 9 " + wire + " .001\nGE -1\n" + cards + "\nEN\n");
}

TEST(DeckGround, Gn2IsRealGround) {
  const auto r =
      over_ground("GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ\nGN 1\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings.size(), 0u);
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].ground, Ground::sommerfeld(13, 0.005));
  EXPECT_EQ(r.problem.runs[1].ground, Ground::perfect);
  // eps_r - j sigma / (2 pi f eps0), at a wavelength of 1 m.
  const Complex eps = r.problem.runs[0].ground.permittivity(2 * pi);
  EXPECT_NEAR(eps.real(), 13, 1e-12);
  EXPECT_NEAR(eps.imag(), -0.005 / (2 * pi * speed_of_light_m_per_s * eps0_f_per_m),
              1e-9);
}

TEST(DeckGround, Gn3IsPerfectToCurrents) {
  const auto r = over_ground("GN 3 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.at(0).ground, Ground::mininec(13, 0.005));
}

TEST(DeckGround, NegativeConductivityIsTheImaginaryPart) {
  const auto r = over_ground("GN 2 0 0 0 13 -4\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.at(0).ground.permittivity(0.3), Complex(13, -4));
}

TEST(DeckGround, RefusesWhatIsNotBuiltOverRealGround) {
  const std::string gn = "GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\n";
  EXPECT_EQ(over_ground(gn + "NE 0 1 1 3 0 0 1 0 0 -1").error, "");
  EXPECT_EQ(over_ground("GN 0 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\n"
                        "NE 0 1 1 3 0 0 1 0 0 -1")
                .error,
            "t.nec:7: asks for a field in the ground (z = -1 m), which GN 0 does not "
            "model. Use GN 2.");
  EXPECT_EQ(over_ground("FR 0 2 0 0 30 1\nEX 0 1 5 0 1\nNH 1 1 1 13 5 0 0 0 0 10\n"
                        "GN 0 0 0 0 13 .005\nXQ")
                .error,
            "t.nec:6: asks for a field in the ground (z = -2.5 m), which GN 0 does not "
            "model. Use GN 2.");
  EXPECT_EQ(over_ground(gn + "NH 1 1 1 10 5 0 0 0 0 10").error, "");
  // Once, not again for a run at the deck's end.
  EXPECT_EQ(over_ground("GN 2 0 0 0 10 1e9\nFR 0 1 0 0 0.1\nEX 0 1 5 0 1\nXQ").error,
            "t.nec:7: GN 2: the ground's refractive index at 0.1 MHz is 1.3e+07 "
            "(limit 100000): it is practically a perfect conductor. Use GN 1.");
}

TEST(DeckGround, Gn0HasAScreenOrASecondMedium) {
  const auto r = over_ground(
      "GN 0 8 0 0 13 .005 20 .002\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 4 1 1 0 45\n"
      "GN 0 0 0 0 13 .005 81 4 30 -2\nRP 2 1 1 0 45\nGD 0 0 0 0 5 .001 40 3\n"
      "RP 3 1 1 0 45\nRP 0 1 1 0 45");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].ground, Ground::coefficients(13, 0.005, {8, 20, 0.002}));
  EXPECT_EQ(r.problem.runs[1].ground, Ground::coefficients(13, 0.005));
  // GD belongs to the patterns behind it, not to the run.
  const auto& patterns = r.problem.runs[1].patterns;
  ASSERT_EQ(patterns.size(), 3u);
  EXPECT_EQ(patterns[0].mode, PatternRequest::Mode::line);
  EXPECT_EQ(patterns[0].second->ground, Ground::sommerfeld(81, 4));
  EXPECT_EQ(patterns[0].second->edge_m, 30);
  EXPECT_EQ(patterns[0].second->drop_m, -2);
  EXPECT_EQ(patterns[1].mode, PatternRequest::Mode::circle);
  EXPECT_EQ(patterns[1].second->ground, Ground::sommerfeld(5, 0.001));
  EXPECT_FALSE(patterns[2].second);
}

TEST(DeckGround, WarnsOfWiresBeyondTheEdge) {
  const auto r = over_ground(
      "GN 2 0 0 0 13 .005 5 .001 1.9\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 2 1 1 0 45\n"
      "GD 0 0 0 0 5 .001 2.1\nRP 3 1 1 0 45");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(
      r.warnings[0],
      "t.nec:7: RP segment 9 (tag 1) is beyond the edge at 1.9 m: its current is that "
      "over the first ground.");
}

TEST(DeckGround, ARefusedGroundIsTheOnlyProblem) {
  const std::string refusal =
      over_ground(
          "GN 2 0 0 0 .5\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 1 1 1 0 1 0 0 0 100\n"
          "RP 2 1 1 0 45\nRP 4 1 1 0 45")
          .error;
  EXPECT_TRUE(refusal.starts_with("t.nec:4: GN field 5 (relative permittivity)"))
      << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
}

TEST(DeckGround, ReadsWhatNec2TakesWithAWarning) {
  const auto read_ground = [](const std::string& cards) {
    return over_ground(cards + "\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 2 1 1 0 45");
  };
  const auto none = read_ground("GN -1");
  EXPECT_EQ(none.problem.runs.at(0).patterns.at(0).mode, PatternRequest::Mode::plain);
  EXPECT_EQ(
      none.warnings.back(),
      "t.nec:7: RP field 1 (mode): RP 2 is a pattern over ground, but there is none. "
      "It is read as RP 0, as in NEC-2.");
  const auto no_screen =
      over_ground("GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 4 1 1 0 45");
  EXPECT_EQ(no_screen.problem.runs.at(0).patterns.at(0).mode,
            PatternRequest::Mode::plain);
  EXPECT_NE(no_screen.warnings.back().find("RP 4 is a pattern over a screen"),
            std::string::npos);
  const auto zeros = over_ground(
      "GN 2 0 0 0 13 .005\nGD 0 0 0 0 0 0 0 0\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ");
  EXPECT_EQ(zeros.error, "");
  EXPECT_EQ(zeros.warnings.back(),
            "t.nec:5: GD has only zeros: there is no second ground.");
  const auto small = read_ground("GN 2 0 0 0 .005 .013 81 4 30");
  EXPECT_EQ(small.error, "");
  EXPECT_EQ(small.problem.runs.at(0).ground.relative_permittivity, .005);
  EXPECT_EQ(
      small.warnings.back(),
      "t.nec:4: GN field 5 (relative permittivity): 0.005 is less than that of air, "
      "and used as it stands. Are it and the conductivity exchanged?");
  EXPECT_EQ(read_ground("GN 2 0 0 0 .005 1e-4 81 4 30").error,
            "t.nec:7: the ground's permittivity is below that of air at 30 MHz (0.06). "
            "Soil has 3 to 30.");
}

TEST(DeckGround, RefusesPatternsWithoutTheirGround) {
  const auto refusal = [](const std::string& gn, const std::string& rp) {
    return over_ground(gn + "\nFR 0 1 0 0 30\nEX 0 1 5 0 1\n" + rp).error;
  };
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "RP 3 1 1 0 45"),
            "t.nec:7: RP field 1 (mode): RP 3 needs a second medium beyond an edge. Give "
            "GD, or fields 7 to 10 of GN 0 or GN 2, before it.");
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005 81 4 30", "RP 5 1 1 0 45"),
            "t.nec:7: RP field 1 (mode): RP 5 needs a screen of radial wires. Give GN 0 "
            "with fields 2, 7 and 8 before it.");
  EXPECT_EQ(refusal("GN -1", "RP 1 1 1 0 1 0 0 0 100"),
            "t.nec:7: RP is the field near a ground, but there is no ground. Give GN 2 "
            "(real ground) or GN 1 before it, or use RP 0 or NE.");
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "RP 1 1 1 0 1"),
            "t.nec:7: RP field 9 (distance): must be between 0 and 1e+09 m (got 0). Give "
            "the horizontal distance in metres.");
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "RP 1 1 1 0 -1 0 0 0 100"),
            "t.nec:7: RP field 5 (first height): heights must be between 0 and 1e+09 m "
            "(got -1 to -1).");
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "RP 1 1 1 0 1 0 0 0 1e7"),
            "t.nec:7: asks for a field 1e+06 wavelengths away (limit 20000 over real "
            "ground). Use RP 0, the far field.");
  EXPECT_EQ(
      refusal("GN 2 8 0 0 13 .005 20 .002", "XQ"),
      "t.nec:4: GN field 2 (radials): a screen of radial wires is for GN 0 only, as "
      "in NEC-2. Use GN 0, or draw the radials as wires above the ground or in it.");
  EXPECT_EQ(refusal("GN 0 8 0 0 13 .005", "XQ"),
            "t.nec:4: GN field 7 (screen radius): must be positive, at most 1e9 m (got "
            "0).");
}

TEST(DeckGround, WarnsOfContactByReflectionCoefficients) {
  EXPECT_EQ(read("CE\nGW 1 9 0 0 0 0 0 2 .001\nGE 1\nGN 0 0 0 0 13 .005\nFR 0 1 0 0 30\n"
                 "EX 0 1 1 0 1\nXQ\nEN\n")
                .warnings,
            (std::vector<std::string>{
                "t.nec:7: GN 0 with GE 1: segment 1 (tag 1) stands on the ground, and is "
                "not connected: reflection coefficients mean nothing there. NEC-2's "
                "answer tends to this one as segments get shorter. Use GN 2."}));
}

TEST(DeckGround, Rp1IsTheFieldNearTheGround) {
  const auto r = over_ground(
      "GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 1 3 2 0 1 10 2 90 500");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.at(0).near_fields.size(), 1u);
  const NearFieldRequest& request = r.problem.runs[0].near_fields[0];
  EXPECT_EQ(request.grid, NearFieldRequest::Grid::near_ground);
  EXPECT_EQ(request.field, NearFieldRequest::Field::electric);
  const auto points = near_field_points(request);
  ASSERT_EQ(points.size(), 6u);
  const double phi = 10 * pi / 180;
  EXPECT_LT(norm(points[1] - Vec3{500 * std::cos(phi), 500 * std::sin(phi), 3}), 1e-9);
  EXPECT_LT(norm(points[3] - Vec3{-500 * std::sin(phi), 500 * std::cos(phi), 1}), 1e-9);
}

TEST(DeckGround, Rp1OverReflectionCoefficientsIsWarnedOf) {
  const auto r = over_ground(
      "GN 0 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nRP 1 3 2 0 1 10 2 90 500");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("RP over GN 0 lacks the surface wave"), std::string::npos)
      << r.warnings[0];
}

TEST(DeckGround, WiresBelowAreForGn2) {
  const std::string run = "\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ";
  const auto refusal = [&](const std::string& gn, const std::string& wire) {
    return over_ground(gn + run, wire).error;
  };
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "0 0 -1 0 0 1"), "");
  EXPECT_EQ(refusal("GN 2 0 0 0 13 .005", "-1 0 -.1 1 0 -.1"), "");
  for (const std::string gn : {"GN 0 0 0 0 13 .005", "GN 1", "GN 3 0 0 0 13 .005"}) {
    EXPECT_EQ(
        refusal(gn, "0 0 -1 0 0 1"),
        "t.nec:2: segment 1 (tag 1, segment 1 of it) extends below the " +
            std::string(gn[3] == '0' ? "real" : "perfect") +
            " ground that line 7 runs over (z = -1 and -0.777778 m at its ends). Raise "
            "the structure, or take GN 2 for wires in the ground.");
  }
  // A later ground is asked again.
  EXPECT_NE(refusal("GN 2 0 0 0 13 .005" + run + "\nGN 1", "0 0 -1 0 0 1")
                .find("extends below the perfect ground that line 11 runs over"),
            std::string::npos);
}

TEST(DeckGround, WiresInTheSurfaceAreRaisedOntoIt) {
  for (const std::string gn : {"GN 2", "GN 0"}) {
    const auto r = over_ground(gn + " 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ",
                               "-1 0 0 1 0 0");
    ASSERT_EQ(r.error, "");
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_EQ(
        r.warnings[0],
        "t.nec:7: segment 1 (tag 1, segment 1 of it) and 8 more of 9 segments lie in "
        "the surface of the ground, where NEC-2's answer has no meaning. What is not "
        "below it is raised by 0.001 m (0.0001 wavelengths), so that wires lie on the "
        "ground. Twice as high, Z differs by 33 % (dipoles), 43 % (4 radials) or 9 % "
        "(16): where wires are higher, move them (GM).");
    for (const Segment& s : r.problem.structure.segments()) {
      EXPECT_EQ(s.start_m.z, 0.001);
      EXPECT_EQ(s.end_m.z, 0.001);
    }
  }
}

TEST(DeckGround, StructuresHalfInTheGroundAreRefused) {
  EXPECT_EQ(
      read("CE\nGW 1 9 -2 0 0 2 0 0 .1\nGW 2 9 -2 0 -.4 2 0 -.4 .2\nGE\n"
           "GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ\nEN\n")
          .error,
      "t.nec:2: segment 1 (tag 1, segment 1 of it) lies in the surface of the real "
      "ground that line 8 runs over, and the structure reaches 0.4 m below it. To "
      "stand it on the ground, add GM 0 0 0 0 0 0 0 0.6 before GE (or more, as high "
      "as it is); for free space, remove GN.");
}

TEST(DeckGround, WiresBelowAGroundThatNoCardGives) {
  const auto with = [](const std::string& ge) {
    return read("CE\nGW 1 9 0 0 -2 0 0 2 .001\nGE " + ge +
                "\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ\nEN\n");
  };
  EXPECT_EQ(with("1").error,
            "t.nec:2: segment 1 (tag 1) extends below the ground that GE 1 announces, "
            "and no GN gives. Give GN 2 for wires in the ground, or GE 0 for free "
            "space.");
  const auto without_contact = with("-1");
  EXPECT_EQ(without_contact.error, "");
  ASSERT_EQ(without_contact.warnings.size(), 1u);
  EXPECT_EQ(without_contact.warnings[0],
            "t.nec: GE -1 without GN: there is no ground, and wires below z = 0 are in "
            "free space. Give GN 2 for wires in the ground, or GE 0.");
  EXPECT_EQ(with("0").warnings.size(), 0u);
}

TEST(DeckGround, AGapOnTheSurfaceJoinsWhatGoesOnBelow) {
  const auto with = [](const std::string& rod) {
    return read("CE\nGW 1 9 0 0 0 0 0 2 .001\n" + rod +
                "GE 1\nGN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 5 1 1 0 1\nXQ\nEN\n")
        .error;
  };
  EXPECT_EQ(with(""), "");
  EXPECT_EQ(with("GW 2 3 0 0 0 0 0 -1 .001\n"), "");
  EXPECT_NE(with("GW 2 3 0 0 0 0 0 -1 .001\nGW 3 3 0 0 0 1 0 -1 .001\n")
                .find("where 3 wires meet"),
            std::string::npos);
}

}  // namespace
}  // namespace thinwire
