// mesh_bench SIDE|DECK...: what it takes to read or make a structure, to find its lattice
// and to mesh it as given, on the CPU, step by step. SIDE: SIDE x SIDE half-wave dipoles
// of 21 segments.
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "geometry/end_clusters.h"
#include "geometry/end_nodes.h"
#include "geometry/lattice.h"
#include "io/deck/deck.h"
#include "mom/operators/lattice_basis.h"

namespace {

using namespace thinwire;

class Steps {
 public:
  void done(const char* name) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double cpu = cpu_seconds();
    std::printf("  %-28s %9.4f s, of all threads %9.4f s\n", name, seconds, cpu - cpu_);
    std::fflush(stdout);
    start_ = Clock::now();
    cpu_ = cpu;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
  Clock::time_point start_ = Clock::now();
  double cpu_ = cpu_seconds();
};

Structure dipoles(std::int64_t side) {
  Structure structure;
  structure.add_wire(1, 21, {0, 0, -0.25}, {0, 0, 0.25}, 1e-3);
  structure.move(0, side - 1, {}, {0.5, 0, 0}, 0);
  structure.move(0, side - 1, {}, {0, 0.5, 0}, 0);
  return structure;
}

void run(const std::string& what) {
  Steps steps;
  const bool is_side = std::isdigit(static_cast<unsigned char>(what.front())) != 0;
  std::vector<std::string> warnings;
  const Structure structure = is_side ? dipoles(std::strtol(what.c_str(), nullptr, 10))
                                      : read_deck_file(what, warnings).structure;
  steps.done(is_side ? "structure" : "reading");
  std::printf("  %zu segments\n", structure.segments().size());
  (void)EndClusters(structure.segments());
  steps.done("touching ends");
  const LatticeSearch search = find_lattice(structure);
  steps.done("lattice");
  MeshOptions options;
  options.graded = false;
  (void)join_ends(structure, options);
  steps.done("nodes");
  (void)WireMesh(structure, options);
  steps.done("wire mesh, nodes included");
  const Discretization where(structure, options);
  steps.done("mesh and basis, all included");
  if (!search.lattice) return;
  (void)LatticeBasis(where, *search.lattice);
  steps.done("basis of the lattice");
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::printf("%s\n", argv[i]);
    run(argv[i]);
  }
}
