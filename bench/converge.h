#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/result_store.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// How a mesh study is done. `solve`: but for mesh and refinement.
struct ConvergeOptions {
  Options solve;
  /// Meshes that are predicted to take longer are left out, but for the coarsest of each
  /// kind and the reference.
  double max_seconds = 60;
  /// Pieces for each element of a graded mesh to hold the bar against; 0: none.
  int reference = 0;
  /// Keeps what meshes give, and has that of a study that was stopped: the same study
  /// goes on from there. Null: none.
  ResultStore* store = nullptr;
};

/// One mesh of a study and what it gives.
struct MeshStudy {
  MeshChoice mesh = MeshChoice::graded;
  int refinement = 1;
  /// Whether the same mesh was solved with integrals in pieces half as long (HalvedMesh)
  /// and tables of a real ground to a tenth of their error.
  bool finer_integrals = false;
  std::string device, solver, operator_name;  ///< as planned; empty: finer_integrals
  std::size_t unknowns = 0;
  double seconds = 0;  ///< predicted where left_out
  bool left_out = false;
  std::vector<Complex> impedance_ohm;  ///< of each port; empty where left out
  double gain_dbi =
      std::numeric_limits<double>::quiet_NaN();  ///< greatest of the patterns
  /// Change of each impedance that errors of the model may cause; of the default mesh.
  std::vector<double> model_ohm;
  std::vector<std::string> warnings;  ///< of its solve
};

/// Where an infinitely fine mesh would go at one port. The bar is a radius in the plane
/// of impedances: the sum of that of the sequence of meshes, what finer integrals change,
/// and what errors of the model may change.
struct PortLimit {
  int tag = 0;
  std::int64_t segment = 0;
  Gap gap = Gap::segment;
  Complex impedance_ohm;
  double bar_ohm = 0;
  /// Change by finer integrals on the default mesh; NaN where that was not studied.
  double integrals_ohm = std::numeric_limits<double>::quiet_NaN();
  /// Largest change to first order by the errors of mom/warnings/model_errors.h.
  double model_ohm = 0;
};

/// How much of the input power changes at a place of the antenna from the default mesh to
/// one twice as fine, as a share of the magnitudes of what changes at all places.
struct MeshCost {
  std::string place;  ///< "source at tag 1 segment 6", "open end of tag 2"
  double share = 0;
};

/// A study of one run at one frequency.
struct ConvergeReport {
  std::size_t run = 0;
  double frequency_hz = 0;
  std::vector<MeshStudy> meshes;
  std::vector<PortLimit> ports;
  double gain_dbi = std::numeric_limits<double>::quiet_NaN();  ///< extrapolated
  double gain_bar_db = 0;
  std::vector<MeshCost> costs;  ///< the ten dearest, largest first; empty where not known

  /// Returns the warnings of all meshes, each once.
  std::vector<std::string> warnings() const;
};

/// Limit and radius of an error bar from a sequence of values on meshes 1, 2 and 4 times
/// as fine, or on the first two of them. The changes d1 and d2 of such a sequence fall
/// like a power of the element's length; with q = |d2| / |d1|, kept within 1/4 and 0.7,
/// the limit is the last value + d2 q / (1 - q), and the bar 0.9 of that step, more where
/// q was beyond these bounds.
struct SequenceLimit {
  Complex value;
  double bar = 0;
};
SequenceLimit sequence_limit(const std::vector<Complex>& values);

/// Solves the middle frequency of the first run with sources on meshes as given and
/// graded, each 1, 2 and 4 times as fine, and the graded one with finer integrals. Throws
/// Error{deck} where no run has a source or the matrix is a file's (GF), and what solve()
/// throws.
ConvergeReport converge(const Problem& problem, const ConvergeOptions& options);

/// Meshes, ports and costs.
std::vector<Table> converge_tables(const ConvergeReport& report);
/// Changes of the impedance against the unknowns.
std::vector<LinePlot> converge_plots(const ConvergeReport& report);
/// Returns the report as one JSON document, with these warnings.
std::string converge_json(const Problem& problem, const ConvergeReport& report,
                          const std::vector<std::string>& warnings);

}  // namespace thinwire
