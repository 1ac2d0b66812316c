#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cg/krylov/device_direct.h"
#include "cg/krylov/device_solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/spread_tiles.h"
#include "cg/tiled_operator.h"
#include "kernels/fill/fill.h"
#include "mom/systems/backend.h"
#include "mom/systems/device_owner.h"
#include "mom/systems/host_fill.h"

namespace thinwire {

/// The matrix of one structure on the current GPU: filled there, where wants_host_fill()
/// does not say otherwise, made ready and solved there, frequency by frequency.
///
/// Precision (Options::precision): `double` and `single` say how the matrix is stored;
/// `mixed` stores it in single and refines against the residual of the matrix in double,
/// whose entries are computed anew and never stored.
class DeviceSystem final : public System {
 public:
  /// owner: where several GPUs share the matrix, each with a DeviceSystem of its own.
  explicit DeviceSystem(const SystemInput& input, DeviceOwner owner = {});

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  void prepare(Method method, const Monitor& monitor) override;
  bool direct_fits() const override;
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  void gather_rows(const TakeRows& take) const override { spread().gather_rows(take); }
  bool scatters_rows() const override { return input_.ranks != nullptr; }
  void scatter_rows(const TakeRows& take) const override { spread().scatter_rows(take); }

 private:
  void fill_on_host(const FillParameters& parameters, const Monitor& monitor);
  void fill_on_device(const FillParameters& parameters, const SolverPlan& plan,
                      const Monitor& monitor);
  void prepare_near_pairs(const SolverPlan& plan);
  SolveResult run(std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& limits);
  SolveResult run_direct(std::span<const Complex> v, std::span<Complex> current,
                         const SolverControl& limits);
  SolveResult run_iterative(std::span<const Complex> v, std::span<Complex> current,
                            const SolverControl& control);
  SolveResult refine(std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control);
  SpreadTiles spread() const;
  void download(std::size_t first, std::span<Complex> to) const;
  void residual(std::span<const Complex> v, std::span<const Complex> current,
                std::span<Complex> r);

  SystemInput input_;
  DeviceOwner owner_;
  Method method_;
  Storage storage_;
  bool mixed_;
  bool near_pairs_ready_ = false;  ///< for interpolation, or held not to be worth it
  double near_k_rad_per_m_ = 0;    ///< what the near pairs are of
  Ground ground_ = Ground::none;
  DeviceStream stream_;
  DeviceFill fill_;
  HostFill host_fill_;  ///< of grounds that the GPU does not fill
  GroundCache real_ground_;
  DeviceTiles tiles_;
  TiledOperator operator_;
  std::vector<MatrixUpdate> loads_;
  DeviceBuffer<Complex> x_, y_;  // of the residual, [padded]
  std::unique_ptr<DevicePreconditioner> preconditioner_;
  std::unique_ptr<DeviceDirectSolver> direct_;
};

/// The current GPU; name: as Backend::name().
std::unique_ptr<Backend> make_device_backend(std::string name);

}  // namespace thinwire
