#include "mom/plan/run_meshes.h"

#include <fmt/format.h>

#include <algorithm>

#include "geometry/wires_below.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"
#include "mom/loads/loads.h"
#include "mom/media/medium.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {
namespace {

/// Elements in the ground for each wavelength there, 2 pi / |k2|, at the run's highest
/// frequency: the shape functions do not know it (docs/theory/method.md).
constexpr double elements_a_ground_wavelength = 30;

/// Gaps of one antenna become gaps of all.
void mesh_alike(const Lattice& lattice, MeshOptions& mesh) {
  mesh.cut_alike = lattice.within_antenna();
  std::vector<char> is_gap(lattice.segments_each, 0);
  for (const std::size_t segment : mesh.gap_segments) is_gap[mesh.cut_alike[segment]] = 1;
  mesh.gap_segments.clear();
  for (std::size_t s = 0; s < mesh.cut_alike.size(); ++s)
    if (is_gap[mesh.cut_alike[s]]) mesh.gap_segments.push_back(s);
}

/// Segments that are longer, in wavelengths, are cut.
constexpr double longest_segment_wavelengths = 0.45;

/// Wave number of a run's highest frequency; 0 for a run without any.
double largest_k_rad_per_m(const Run& run) {
  if (run.frequency_hz.empty()) return 0;
  return wavenumber_rad_per_m(std::ranges::max(run.frequency_hz));
}

/// The longest element in the ground that a run's mesh may have.
double longest_below_m(const Run& run) {
  const double k = largest_k_rad_per_m(run);
  return k == 0 ? 0 : run.ground.wavelength_m(k) / elements_a_ground_wavelength;
}

/// wires_below: whether the structure has any.
MeshOptions mesh_options(const Problem& problem, const Run& run, const Options& options,
                         bool wires_below) {
  MeshOptions mesh;
  mesh.graded = options.mesh == MeshChoice::graded;
  mesh.refinement = options.refinement;
  mesh.perfect_ground = run.ground != Ground::none;
  // Reflection coefficients join nothing: as NEC-2's segments get shorter, the current
  // of its wires vanishes at the ground, too.
  mesh.ground_contact = problem.ground_contact && mesh.perfect_ground &&
                        run.ground.kind != Ground::Kind::coefficients;
  mesh.wires_below = wires_below && run.ground.takes_wires();
  if (const double wavelengths = wavelengths_of_too_long(problem.structure, run);
      wavelengths > 0 && wavelengths <= max_cut_wavelengths)
    mesh.longest_m = coarse_wavelengths * 2 * pi / largest_k_rad_per_m(run);
  // The reduced kernel has no limit for elements shorter than about two radii.
  if (options.kernel == GreensKernel::reduced) mesh.finest_per_radius = 4;
  // Where nothing is graded, gaps do not tell meshes apart.
  if (!mesh.graded) return mesh;
  mesh.bends = problem.stored ? problem.stored->proximity
                              : includes_proximity(problem, run, options);
  if (mesh.wires_below) mesh.longest_below_m = longest_below_m(run);
  mesh.gap_segments = problem.stored ? problem.stored->gap_segments : gap_segments(run);
  return mesh;
}

}  // namespace

const char* why_no_proximity(const Problem& problem, const Run& run,
                             const Options& options) {
  return options.kernel == GreensKernel::reduced ? "the reduced kernel has no surface"
         : problem.stored                        ? "the matrix is a stored one (GF)"
         : run.ground.takes_wires() && has_wires_below(problem.structure)
             ? "wires lie in the ground"
             : nullptr;
}

bool includes_proximity(const Problem& problem, const Run& run, const Options& options) {
  // Larger structures are searched for close wires only on request.
  constexpr std::size_t max_segments = 100'000;
  const bool wanted = options.proximity == SwitchChoice::automatic
                          ? problem.structure.segments().size() <= max_segments
                          : options.proximity == SwitchChoice::on;
  return wanted && why_no_proximity(problem, run, options) == nullptr;
}

double wavelengths_of_too_long(const Structure& structure, const Run& run) {
  const auto& segments = structure.segments();
  const double longest_m = joined_cheap(
      segments.size(), 0.0, [](double a, double b) { return std::max(a, b); },
      [&](std::size_t s) { return norm(segments[s].end_m - segments[s].start_m); });
  const double wavelengths = longest_m * largest_k_rad_per_m(run) / (2 * pi);
  return wavelengths > longest_segment_wavelengths ? wavelengths : 0;
}

std::vector<std::size_t> gap_segments(const Run& run) {
  std::vector<std::size_t> gaps;
  for (const Source& source : run.sources)
    // A gap at a node has no length that the mesh could be fitted to.
    if (source.gap == Gap::segment) gaps.push_back(source.segment);
  for (const Network& network : run.networks)
    for (int end = 0; end < 2; ++end)
      if (network.gap[end] == Gap::segment) gaps.push_back(network.segment[end]);
  for (const Load& load : run.loads)
    // A load spread over a whole wire has no gaps.
    if (load.is_lumped() && load.first == load.last && load.gap == Gap::segment)
      gaps.push_back(load.first);
  std::sort(gaps.begin(), gaps.end());
  gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
  return gaps;
}

RunMeshes::RunMeshes(const Problem& problem, const Options& options)
    : operator_(choose_operator(problem, options)) {
  const bool wires_below = has_wires_below(problem.structure);
  const auto runs = static_cast<double>(std::max<std::size_t>(problem.runs.size(), 1));
  std::vector<MeshOptions> wanted;
  const auto mesh_for = [&](const Run& run) {
    MeshOptions mesh = mesh_options(problem, run, options, wires_below);
    if (operator_.lattice && mesh.graded) mesh_alike(*operator_.lattice, mesh);
    const auto known = std::find(wanted.begin(), wanted.end(), mesh);
    const auto index = static_cast<std::size_t>(known - wanted.begin());
    if (known == wanted.end()) {
      const double first = static_cast<double>(of_run_.size()) / runs;
      meshes_.push_back(std::make_unique<Discretization>(
          problem.structure, mesh, operator_.lattice,
          options.monitor.part(first, first + 1 / runs)));
      wanted.push_back(std::move(mesh));
    }
    if (includes_proximity(problem, run, options))
      meshes_[index]->add_proximity(medium_of(run.ground),
                                    wire_materials(*meshes_[index], run.loads));
    else if (options.proximity == SwitchChoice::on)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: no proximity effect: {}. Leave it out.", problem.name,
                              why_no_proximity(problem, run, options)));
    return index;
  };
  for (const Run& run : problem.runs) of_run_.push_back(mesh_for(run));
  if (meshes_.empty()) (void)mesh_for(Run());
  for (const auto& mesh : meshes_)
    if (mesh->unknowns() == 0)
      throw Error(ErrorKind::geometry,
                  fmt::format("{}: no current can flow (every wire is one segment with "
                              "free ends). Give each wire at least three segments.",
                              problem.structure.origin(0)));
}

void RunMeshes::prepare_proximity(const Monitor& monitor) const {
  const auto count = static_cast<double>(meshes_.size());
  double done = 0;
  for (const auto& mesh : meshes_) {
    mesh->prepare_proximity(monitor.part(done / count, (done + 1) / count));
    ++done;
  }
}

double RunMeshes::proximity_multiplications() const {
  double sum = 0;
  for (const auto& mesh : meshes_) sum += mesh->proximity_multiplications();
  return sum;
}

const Discretization& RunMeshes::largest() const {
  return **std::max_element(
      meshes_.begin(), meshes_.end(),
      [](const auto& a, const auto& b) { return a->unknowns() < b->unknowns(); });
}

}  // namespace thinwire
