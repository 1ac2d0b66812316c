// Surfaces of other programs, as grids of wires.
#include "io/deck/surface_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numbers>
#include <queue>
#include <set>

#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

using std::string_view;
using Cell = std::array<std::size_t, 4>;
using Edge = std::array<std::size_t, 2>;

constexpr std::size_t max_cells = 2'000'000;

[[noreturn]] void refuse(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::deck, fmt::format("{}: {}.", printable(name), problem));
}

std::size_t corners(const Cell& cell) {
  return cell[2] == cell[3] ? 3 : 4;
}

Edge edge_of(std::size_t a, std::size_t b) {
  return {std::min(a, b), std::max(a, b)};
}

std::vector<Edge> edges_of(const Cell& cell) {
  std::vector<Edge> edges;
  for (std::size_t i = 0, n = corners(cell); i < n; ++i)
    edges.push_back(edge_of(cell[i], cell[(i + 1) % n]));
  return edges;
}

double length_m(const SurfaceMesh& mesh, const Edge& edge) {
  return norm(mesh.vertex_m[edge[1]] - mesh.vertex_m[edge[0]]);
}

double area_m2(const SurfaceMesh& mesh, const Cell& cell) {
  const auto& v = mesh.vertex_m;
  return 0.5 * (norm(cross(v[cell[1]] - v[cell[0]], v[cell[2]] - v[cell[0]])) +
                norm(cross(v[cell[2]] - v[cell[0]], v[cell[3]] - v[cell[0]])));
}

/// Words of a text, with numbers among them.
class Words {
 public:
  Words(string_view text, const std::string& name)
      : whole_(text), text_(text), name_(name) {}

  string_view next() {
    constexpr const char* blank = " \t\r\n";
    text_.remove_prefix(std::min(text_.find_first_not_of(blank), text_.size()));
    const string_view word = text_.substr(0, text_.find_first_of(blank));
    text_.remove_prefix(word.size());
    return word;
  }
  double real() {
    string_view word = next();
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() ||
        !std::isfinite(value) || std::abs(value) > 1e30)
      fail(
          fmt::format("a number was expected (got '{}')", printable(word.substr(0, 30))));
    return value;
  }
  std::size_t count(double limit) {
    const double value = real();
    if (!(value >= 0 && value <= limit && value == std::floor(value)))
      fail(fmt::format("a whole number of at most {:g} was expected (got {:g})", limit,
                       value));
    return static_cast<std::size_t>(value);
  }
  /// Goes behind the next `heading`; false where there is none.
  bool find(string_view heading) {
    const std::size_t at = text_.find(heading);
    if (at == text_.npos) return false;
    text_.remove_prefix(at + heading.size());
    return true;
  }

  /// Refuses the text in the line of the last word.
  [[noreturn]] void fail(const std::string& problem) const {
    const string_view read = whole_.substr(0, whole_.size() - text_.size());
    refuse(fmt::format("{}:{}", name_, 1 + std::ranges::count(read, '\n')), problem);
  }

 private:
  string_view whole_, text_;
  const std::string& name_;
};

void add_triangle(SurfaceMesh& mesh) {
  const std::size_t last = mesh.vertex_m.size() - 1;
  mesh.cell.push_back({last - 2, last - 1, last, last});
}

SurfaceMesh read_binary_stl(string_view bytes, const std::string& name) {
  SurfaceMesh mesh;
  const auto bits_at = [&](std::size_t at) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i)
      bits |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return bits;
  };
  const auto real = [&](std::size_t at) {
    const auto value = static_cast<double>(std::bit_cast<float>(bits_at(at)));
    if (!std::isfinite(value) || std::abs(value) > 1e30)
      refuse(name, fmt::format("triangle {}: a corner is no number below 1e30",
                               1 + (at - 84) / 50));
    return value;
  };
  const std::size_t held = (bytes.size() - 84) / 50;
  if (held != bits_at(80))
    refuse(name, fmt::format("it holds {} triangles and names {}: cut short or damaged. "
                             "Export it again",
                             held, bits_at(80)));
  // A normal, three corners and two bytes each.
  for (std::size_t at = 84; at + 50 <= bytes.size(); at += 50) {
    for (std::size_t corner = 1; corner <= 3; ++corner)
      mesh.vertex_m.push_back({real(at + 12 * corner), real(at + 12 * corner + 4),
                               real(at + 12 * corner + 8)});
    add_triangle(mesh);
  }
  return mesh;
}

SurfaceMesh read_text_stl(string_view text, const std::string& name) {
  SurfaceMesh mesh;
  Words words(text, name);
  while (words.find("vertex")) {
    const double x = words.real(), y = words.real();
    mesh.vertex_m.push_back({x, y, words.real()});
    if (mesh.vertex_m.size() % 3 == 0) add_triangle(mesh);
  }
  if (mesh.vertex_m.size() % 3 != 0) refuse(name, "a triangle lacks corners");
  if (!words.find("endsolid"))
    refuse(name, "it has no endsolid: cut short. Export it again");
  return mesh;
}

/// gmsh's versions 2 and 4: nodes with numbers of their own, elements by type.
class GmshReader {
 public:
  GmshReader(string_view text, const std::string& name)
      : words_(text, name), name_(name) {}

  SurfaceMesh read() {
    words_.find("$MeshFormat");
    const double version = words_.real();
    if (words_.count(1) == 1 || version < 2 || version >= 5)
      words_.fail("only gmsh's text formats 2 and 4 are read. Save it as one of these");
    if (!words_.find("$Nodes")) refuse(name_, "it has no $Nodes");
    version < 4 ? read_nodes(words_.count(1e8)) : read_node_blocks();
    if (!words_.find("$Elements")) refuse(name_, "it has no $Elements");
    version < 4 ? read_elements() : read_element_blocks();
    return std::move(mesh_);
  }

 private:
  void read_nodes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = words_.count(1e15);
      add_node(number);
    }
  }
  void add_node(std::size_t number) {
    const double x = words_.real(), y = words_.real();
    node_[number] = mesh_.vertex_m.size();
    mesh_.vertex_m.push_back({x, y, words_.real()});
  }
  void read_node_blocks() {
    const std::size_t blocks = words_.count(1e8);
    for (int i = 0; i < 3; ++i) words_.count(1e15);
    for (std::size_t block = 0; block < blocks; ++block) {
      words_.count(3);
      words_.real();
      if (words_.count(1) == 1) words_.fail("parametric nodes are not read");
      std::vector<std::size_t> numbers;
      for (std::size_t left = words_.count(1e8); left > 0; --left)
        numbers.push_back(words_.count(1e15));
      for (const std::size_t number : numbers) add_node(number);
    }
  }
  void read_elements() {
    for (std::size_t left = words_.count(1e8); left > 0; --left) {
      words_.count(1e15);
      const std::size_t type = words_.count(200);
      for (std::size_t tags = words_.count(100); tags > 0; --tags) words_.real();
      read_element(type);
    }
  }
  void read_element_blocks() {
    const std::size_t blocks = words_.count(1e8);
    for (int i = 0; i < 3; ++i) words_.count(1e15);
    for (std::size_t block = 0; block < blocks; ++block) {
      words_.count(3);
      words_.real();
      const std::size_t type = words_.count(200);
      for (std::size_t left = words_.count(1e8); left > 0; --left) {
        words_.count(1e15);
        read_element(type);
      }
    }
  }
  /// Takes triangles (type 2) and quadrangles (3); lines and points are left out.
  void read_element(std::size_t type) {
    constexpr std::size_t nodes[] = {0, 2, 3, 4};
    const std::size_t n = type == 15 ? 1 : type <= 3 ? nodes[type] : 0;
    if (n == 0)
      words_.fail(
          fmt::format("elements of type {} are not read: triangles (2) and "
                      "quadrangles (3) are. Mesh the surface, in first order",
                      type));
    Cell cell{};
    for (std::size_t i = 0; i < n; ++i) {
      const auto found = node_.find(words_.count(1e15));
      if (found == node_.end()) words_.fail("an element has a node that is not there");
      cell[i] = found->second;
    }
    if (n == 3) cell[3] = cell[2];
    if (n >= 3) mesh_.cell.push_back(cell);
  }

  Words words_;
  const std::string& name_;
  SurfaceMesh mesh_;
  std::map<std::size_t, std::size_t> node_;
};

void note(std::vector<std::string>& notes, std::size_t count, const char* what,
          const char* done) {
  if (count > 0) notes.push_back(fmt::format("{} {}", counted(count, what), done));
}

/// Moves vertices of one box of a grid, `box_m` wide, to their mean. Returns how many
/// vertices that joined.
std::size_t join_vertices(SurfaceMesh& mesh, double box_m) {
  std::map<std::array<double, 3>, std::size_t> boxes;
  std::vector<std::size_t> to(mesh.vertex_m.size());
  std::vector<Vec3> sum;
  std::vector<double> count;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Vec3& p = mesh.vertex_m[i];
    const auto [box, is_new] = boxes.try_emplace(
        {std::round(p.x / box_m), std::round(p.y / box_m), std::round(p.z / box_m)},
        sum.size());
    if (is_new) {
      sum.push_back({0, 0, 0});
      count.push_back(0);
    }
    to[i] = box->second;
    sum[to[i]] = sum[to[i]] + p;
    ++count[to[i]];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = (1 / count[i]) * sum[i];
  for (Cell& cell : mesh.cell)
    for (std::size_t& corner : cell) corner = to[corner];
  const std::size_t joined = mesh.vertex_m.size() - sum.size();
  mesh.vertex_m = std::move(sum);
  return joined;
}

/// Drops cells without area, quadrangles with a corner twice becoming triangles first.
std::size_t drop_flat(SurfaceMesh& mesh) {
  return std::erase_if(mesh.cell, [&](Cell& cell) {
    for (std::size_t i = 0; i + 1 < 4; ++i)
      if (cell[i] == cell[i + 1] && cell[2] != cell[3]) {
        std::rotate(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                    cell.end());
        break;
      }
    if (cell[3] == cell[0] && cell[2] != cell[3]) cell[3] = cell[2];
    const std::set<std::size_t> different(cell.begin(), cell.end());
    if (different.size() < corners(cell)) return true;
    double longest = 0;
    for (const Edge& edge : edges_of(cell))
      longest = std::max(longest, length_m(mesh, edge));
    return !(area_m2(mesh, cell) > 1e-6 * longest * longest);
  });
}

std::size_t drop_doubled(SurfaceMesh& mesh) {
  std::set<Cell> seen;
  return std::erase_if(mesh.cell, [&](Cell cell) {
    std::ranges::sort(cell);
    return !seen.insert(cell).second;
  });
}

double longest_edge(const SurfaceMesh& mesh) {
  double longest = 0;
  for (const Cell& cell : mesh.cell)
    for (const Edge& edge : edges_of(cell))
      longest = std::max(longest, length_m(mesh, edge));
  return longest;
}

double median_edge(const SurfaceMesh& mesh) {
  std::vector<double> lengths;
  for (const Cell& cell : mesh.cell)
    for (const Edge& edge : edges_of(cell)) lengths.push_back(length_m(mesh, edge));
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

/// Bisects edges, the longest first, with the triangles on all their sides, until none is
/// longer than cell_m. Returns the number of triangles that this added.
std::size_t bisect(SurfaceMesh& mesh, double cell_m, const std::string& place) {
  const auto refuse_many = [&] {
    refuse(place,
           fmt::format("more than {} cells of {:g} m. Check the units (--scale), or "
                       "lower --frequency",
                       max_cells, cell_m));
  };
  double expected = 0;
  for (const Cell& cell : mesh.cell) {
    expected += area_m2(mesh, cell) / (cell_m * cell_m);
    for (const Edge& edge : edges_of(cell)) expected += length_m(mesh, edge) / cell_m / 3;
  }
  if (!(expected < static_cast<double>(max_cells))) refuse_many();
  std::vector<Cell> triangles;
  for (const Cell& c : mesh.cell) {
    triangles.push_back({c[0], c[1], c[2], c[2]});
    if (corners(c) == 4) triangles.push_back({c[0], c[2], c[3], c[3]});
  }
  const std::size_t before = triangles.size();
  std::map<Edge, std::vector<std::size_t>> beside;
  using Entry = std::pair<double, Edge>;
  std::priority_queue<Entry> longest;
  const auto connect = [&](std::size_t t) {
    for (const Edge& edge : edges_of(triangles[t])) {
      beside[edge].push_back(t);
      if (const double length = length_m(mesh, edge); length > cell_m)
        longest.push({length, edge});
    }
  };
  for (std::size_t t = 0; t < before; ++t) connect(t);
  while (!longest.empty()) {
    const Edge edge = longest.top().second;
    longest.pop();
    const auto found = beside.find(edge);
    if (found == beside.end()) continue;  // was cut
    const std::vector<std::size_t> sides = found->second;
    const std::size_t middle = mesh.vertex_m.size();
    mesh.vertex_m.push_back(0.5 * (mesh.vertex_m[edge[0]] + mesh.vertex_m[edge[1]]));
    for (const std::size_t t : sides) {
      for (const Edge& old : edges_of(triangles[t])) std::erase(beside[old], t);
      Cell half = triangles[t];
      for (std::size_t i = 0; i < 4; ++i) {
        if (triangles[t][i] == edge[0]) half[i] = middle;
        if (triangles[t][i] == edge[1]) triangles[t][i] = middle;
      }
      triangles.push_back(half);
      connect(t);
      connect(triangles.size() - 1);
    }
    beside.erase(edge);
    if (triangles.size() > max_cells) refuse_many();
  }
  mesh.cell = std::move(triangles);
  return mesh.cell.size() - before;
}

}  // namespace

SurfaceMesh read_surface_mesh(string_view bytes, const std::string& name, double metres) {
  SurfaceMesh mesh;
  if (bytes.starts_with("$MeshFormat"))
    mesh = GmshReader(bytes, name).read();
  else if (bytes.size() >= 84 && (bytes.size() - 84) % 50 == 0 &&
           bytes.substr(0, bytes.size()).find('\0') != bytes.npos)
    mesh = read_binary_stl(bytes, name);
  else if (bytes.starts_with("solid"))
    mesh = read_text_stl(bytes, name);
  else
    refuse(name, "is neither STL nor a mesh of gmsh (.msh)");
  if (mesh.cell.empty()) refuse(name, "it has no triangles or quadrangles");
  if (mesh.cell.size() > max_cells)
    refuse(name, fmt::format("it has more than {} cells. Coarsen the mesh", max_cells));
  for (Vec3& vertex : mesh.vertex_m) vertex = metres * vertex;
  return mesh;
}

SurfaceMesh cleaned(SurfaceMesh mesh, double cell_m, std::vector<std::string>& notes) {
  Vec3 low = mesh.vertex_m.front(), high = low;
  for (const Vec3& v : mesh.vertex_m) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  const double size_m = norm(high - low);
  if (!(size_m > 0)) refuse("mesh", "all corners are in one place");
  // STL gives every triangle corners of its own, rounded to single precision.
  join_vertices(mesh, 1e-6 * size_m);
  note(notes, drop_flat(mesh), "cell", "without area dropped");
  note(notes, drop_doubled(mesh), "doubled cell", "dropped");
  if (mesh.cell.empty()) refuse("mesh", "no cell has an area");
  if (median_edge(mesh) < cell_m / 3) {
    const std::size_t joined = join_vertices(mesh, 0.6 * cell_m);
    drop_flat(mesh);
    drop_doubled(mesh);
    if (mesh.cell.empty())
      refuse("mesh", fmt::format("all of it is smaller than a cell of {:g} m. Check the "
                                 "units (--scale), or raise --frequency",
                                 cell_m));
    note(notes, joined, "corner",
         fmt::format("of a finer mesh joined to cells of about "
                     "{:.3g} m",
                     cell_m)
             .c_str());
  }
  if (longest_edge(mesh) > cell_m)
    note(notes, bisect(mesh, cell_m, "mesh"), "triangle",
         fmt::format("added, so that no edge is longer than {:.3g} m", cell_m).c_str());
  std::map<Edge, std::size_t> sides;
  for (const Cell& cell : mesh.cell)
    for (const Edge& edge : edges_of(cell)) ++sides[edge];
  const auto with = [&](auto&& test) {
    return static_cast<std::size_t>(std::ranges::count_if(
        sides, [&](const auto& side) { return test(side.second); }));
  };
  note(notes, with([](std::size_t n) { return n == 1; }), "edge",
       "on the rim of the surface, which is open");
  note(notes, with([](std::size_t n) { return n > 2; }), "edge",
       "between more than two cells");
  return mesh;
}

std::string wire_grid_deck(const SurfaceMesh& mesh, double frequency_hz,
                           const std::string& comment) {
  std::map<Edge, double> share_m2;
  for (const Cell& cell : mesh.cell)
    for (const Edge& edge : edges_of(cell))
      share_m2[edge] += area_m2(mesh, cell) / static_cast<double>(corners(cell));
  std::string deck = fmt::format(
      "CM {}\nCE A plane wave from above: replace EX by a source\n", printable(comment));
  std::size_t tag = 0;
  for (const auto& [edge, area] : share_m2) {
    const Vec3 &a = mesh.vertex_m[edge[0]], &b = mesh.vertex_m[edge[1]];
    const double length = length_m(mesh, edge);
    const double radius = std::min(area / (std::numbers::pi * length), length / 4);
    fmt::format_to(std::back_inserter(deck),
                   "GW {} 1 {:.7g} {:.7g} {:.7g} {:.7g} {:.7g} {:.7g} {:.4g}\n", ++tag,
                   a.x, a.y, a.z, b.x, b.y, b.z, radius);
  }
  return deck + fmt::format("GE 0\nFR 0 1 0 0 {:.9g}\nEX 1 1 1 0 0 0 0\nXQ\nEN\n",
                            frequency_hz / 1e6);
}

}  // namespace thinwire
