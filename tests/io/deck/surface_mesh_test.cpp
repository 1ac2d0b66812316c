#include "io/deck/surface_mesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>

#include "io/deck/deck.h"
#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire::surface_mesh_test {
namespace {

/// The surface of a cube, 1 wide, as text of STL.
std::string cube_stl() {
  constexpr int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  constexpr int side[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                              {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  std::string out = "solid cube\n";
  for (const auto& s : side)
    for (const int skipped : {3, 1}) {
      out += "facet normal 0 0 0\n outer loop\n";
      for (int i = 0; i < 4; ++i)
        if (i != skipped)
          out += fmt::format("  vertex {} {} {}\n", corner[s[i]][0], corner[s[i]][1],
                             corner[s[i]][2]);
      out += " endloop\nendfacet\n";
    }
  return out + "endsolid\n";
}

/// A plate of n x n squares in gmsh's format 2.2.
std::string plate_msh(int n, double width) {
  std::string out = fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n",
                                (n + 1) * (n + 1));
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      out += fmt::format("{} {} {} 0\n", 10 + i * (n + 1) + j, i * width, j * width);
  out += fmt::format("$EndNodes\n$Elements\n{}\n1 15 2 0 1 10\n", n * n + 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = 10 + i * (n + 1) + j;
      out += fmt::format("{} 3 2 0 1 {} {} {} {}\n", 2 + i * n + j, a, a + 1, a + n + 2,
                         a + n + 1);
    }
  return out + "$EndElements\n";
}

/// Two triangles in gmsh's format 4.1.
const std::string msh4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 "
    "0\n1 0 "
    "0\n1 1 0\n0 1 0\n$EndNodes\n$Elements\n2 3 1 3\n1 1 1 1\n7 1 2\n2 1 2 2\n1 1 2 3\n2 "
    "1 3 "
    "4\n$EndElements\n";

struct Grid {
  Problem problem;
  std::map<std::array<double, 2>, int> by_size;
  double longest_m = 0, surface_m2 = 0;
};

Grid grid_of(const SurfaceMesh& mesh) {
  Grid grid;
  std::vector<std::string> warnings;
  grid.problem = read_deck(wire_grid_deck(mesh, 30e6, "test"), "grid.nec", warnings);
  for (const Segment& s : grid.problem.structure.segments()) {
    const double length = norm(s.end_m - s.start_m);
    grid.longest_m = std::max(grid.longest_m, length);
    grid.surface_m2 += 2 * std::numbers::pi * s.radius_m * length;
  }
  return grid;
}

std::string error_of(const std::function<void()>& action) {
  return test::error_message(ErrorKind::deck, [&] { action(); });
}

TEST(SurfaceMesh, CubeOfTriangles) {
  std::vector<std::string> notes;
  const SurfaceMesh mesh = cleaned(read_surface_mesh(cube_stl(), "c.stl", 1), 2, notes);
  EXPECT_EQ(mesh.vertex_m.size(), 8U);
  EXPECT_EQ(mesh.cell.size(), 12U);
  EXPECT_TRUE(notes.empty()) << notes[0];
  const Grid grid = grid_of(mesh);
  EXPECT_EQ(grid.problem.structure.segments().size(), 18U);
  EXPECT_NEAR(grid.surface_m2, 2 * 6, 1e-3);
  EXPECT_EQ(read_surface_mesh(cube_stl(), "c.stl", 1e-3).vertex_m[1].y, 1e-3);
}

TEST(SurfaceMesh, LongEdgesAreCutWithoutGaps) {
  std::vector<std::string> notes;
  const SurfaceMesh mesh = cleaned(read_surface_mesh(cube_stl(), "c.stl", 1), 0.3, notes);
  const Grid grid = grid_of(mesh);
  EXPECT_LE(grid.longest_m, 0.3 + 1e-6);
  EXPECT_NEAR(grid.surface_m2, 12, 0.01);
  // Euler: V - E + F = 2, and no rim.
  EXPECT_EQ(
      mesh.vertex_m.size() - grid.problem.structure.segments().size() + mesh.cell.size(),
      2U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("no edge is longer than 0.3 m"), std::string::npos) << notes[0];
}

TEST(SurfaceMesh, SquaresHaveTheEqualAreaRadius) {
  std::vector<std::string> notes;
  const SurfaceMesh mesh =
      cleaned(read_surface_mesh(plate_msh(4, 0.5), "p.msh", 1), 1, notes);
  EXPECT_EQ(mesh.cell.size(), 16U);
  const Grid grid = grid_of(mesh);
  EXPECT_EQ(grid.problem.structure.segments().size(), 40U);
  int inner = 0;
  for (const Segment& s : grid.problem.structure.segments())
    inner += std::abs(s.radius_m - 0.5 / (2 * std::numbers::pi)) < 1e-5;
  EXPECT_EQ(inner, 24);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "16 edges on the rim of the surface, which is open");
}

TEST(SurfaceMesh, FineMeshesAreCoarsened) {
  std::vector<std::string> notes;
  const SurfaceMesh mesh =
      cleaned(read_surface_mesh(plate_msh(40, 0.05), "p.msh", 1), 0.5, notes);
  const Grid grid = grid_of(mesh);
  EXPECT_LT(mesh.cell.size(), 200U);
  EXPECT_LE(grid.longest_m, 0.5 + 1e-6);
  EXPECT_NEAR(grid.surface_m2, 2 * 4, 1.6);  // the rim moves inwards by half a box
  EXPECT_NE(notes[0].find("of a finer mesh joined"), std::string::npos) << notes[0];
}

TEST(SurfaceMesh, Gmsh4AndBinaryStl) {
  std::vector<std::string> notes;
  const SurfaceMesh four = read_surface_mesh(msh4, "m.msh", 1);
  EXPECT_EQ(four.vertex_m.size(), 4U);
  EXPECT_EQ(four.cell.size(), 2U);
  const SurfaceMesh text = read_surface_mesh(cube_stl(), "c.stl", 1);
  std::string binary(80, ' ');
  const auto word = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) binary += static_cast<char>(value >> (8 * i));
  };
  word(12);
  for (std::size_t t = 0; t < 12; ++t) {
    for (int i = 0; i < 3; ++i) word(0);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& v = text.vertex_m[text.cell[t][i]];
      for (const double x : {v.x, v.y, v.z})
        word(std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    }
    binary += std::string(2, '\0');
  }
  EXPECT_EQ(
      wire_grid_deck(cleaned(read_surface_mesh(binary, "b.stl", 1), 2, notes), 3e7, ""),
      wire_grid_deck(cleaned(text, 2, notes), 3e7, ""));
  EXPECT_NE(error_of([&] {
              (void)read_surface_mesh(binary.substr(0, 84 + 6 * 50), "b.stl", 1);
            }).find("holds 6 triangles and names 12: cut short"),
            std::string::npos);
  const std::string whole = cube_stl();
  EXPECT_NE(error_of([&] {
              (void)read_surface_mesh(whole.substr(0, whole.find("endsolid")), "c.stl",
                                      1);
            }).find("no endsolid: cut short"),
            std::string::npos);
}

TEST(SurfaceMesh, SaysWhatItCleans) {
  std::string twice = cube_stl();
  const std::string facets = twice.substr(twice.find("facet"));
  twice += facets + "facet\nvertex 0 0 0\nvertex 1 0 0\nvertex .5 0 0\nendsolid\n";
  std::vector<std::string> notes;
  const SurfaceMesh mesh = cleaned(read_surface_mesh(twice, "c.stl", 1), 2, notes);
  EXPECT_EQ(mesh.cell.size(), 12U);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "1 cell without area dropped");
  EXPECT_EQ(notes[1], "12 doubled cells dropped");
}

TEST(SurfaceMesh, OtherFilesAreRefused) {
  for (const auto& [bytes, text] :
       {std::pair{std::string("GW 1 9"), "neither STL nor"},
        {std::string("solid x\nendsolid"), "no triangles"},
        {std::string("solid x\nvertex 0 0 0\n"), "lacks corners"},
        {std::string("solid x\nvertex 0 0 a\n"), "2: a number was expected (got 'a')"},
        {std::string("$MeshFormat\n4.1 1 8\n"), "only gmsh's text formats"},
        {std::string("$MeshFormat\n2.2 0 8\n$Nodes\n0\n"), "no $Elements"}})
    EXPECT_NE(error_of([&] { read_surface_mesh(bytes, "x", 1); }).find(text),
              std::string::npos)
        << text;
}

TEST(SurfaceMesh, CutAndChangedFilesAreErrorsOrSurfaces) {
  std::mt19937 random(1);
  for (const std::string& whole : {cube_stl(), plate_msh(2, 1), msh4})
    for (int n = 0; n < 2000; ++n) {
      std::string changed = whole;
      if (n % 3 == 0) changed.resize(random() % whole.size());
      for (int i = 0; i < 3 && !changed.empty(); ++i)
        changed[random() % changed.size()] = "0123456789-.e \n\x80x"[random() % 17];
      error_of([&] {
        std::vector<std::string> notes;
        const SurfaceMesh mesh = cleaned(read_surface_mesh(changed, "f", 1), 1e3, notes);
        (void)wire_grid_deck(mesh, 1e6, "");
      });
    }
}

}  // namespace
}  // namespace thinwire::surface_mesh_test
