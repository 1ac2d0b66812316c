#include "mom/problem/stored_matrix.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {

Options options_for_stored(const Problem& problem, Options options) {
  const bool written =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return !run.matrix_file.empty(); });
  if (!problem.stored && !written) return options;
  const char* card = written ? "WG" : "GF";
  if (options.device.kind == DeviceRequest::Kind::cuda ||
      options.operator_choice == OperatorChoice::toeplitz ||
      options.operator_choice == OperatorChoice::fft)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: {} takes the whole matrix on the CPU. Leave --device and "
                    "--operator out.",
                    problem.name, card));
  options.device = {DeviceRequest::Kind::cpu, 0};
  options.operator_choice = OperatorChoice::dense;
  if (!problem.stored) return options;
  const StoredMatrix& stored = *problem.stored;
  if (options.mesh != stored.mesh || options.refinement != stored.refinement ||
      options.kernel != stored.kernel)
    throw Error(ErrorKind::usage,
                fmt::format("{}: its matrix was made with --mesh {} --refine {} --kernel "
                            "{}. Give the same here.",
                            stored.name, name_of(stored.mesh), stored.refinement,
                            name_of(stored.kernel)));
  return options;
}

}  // namespace thinwire
