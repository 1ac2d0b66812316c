#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device_info.h"
#include "mom/plan/plan.h"

namespace thinwire {

/// The GPUs that a request for cuda names, the first of them in use. Throws
/// Error{device}: what Gpu::use does, or several that are not of one model.
std::vector<DeviceInfo> gpus_of(const DeviceRequest& request);

/// Sets which GPUs a plan is for, and its name.
void name_gpus(Plan& plan, std::span<const DeviceInfo> gpus);
/// "cuda:0,1" of that name.
std::string short_name(const Plan& plan);

/// At what rates GPUs are to share work, the fastest 1 (steady_rates). One: {1}, without
/// measuring it. Throws Error{device}.
std::vector<double> rates_of(std::span<const DeviceInfo> gpus);
/// Returns the joint rate of all GPUs, in units of the GPU that was measured for the
/// predictions.
double joint_rate(std::span<const DeviceInfo> gpus, std::span<const double> rates);
/// "cuda:1 multiplies at 0.75 of the rate of the fastest GPU"; empty where they are
/// alike.
std::string uneven_rates(std::span<const DeviceInfo> gpus, std::span<const double> rates);

/// Sets Plan::gpu_weights: shares of plan.matrix_bytes at the rates of the
/// GPUs, within what each has free where `beside` bytes are taken on each. Returns
/// whether they fit.
bool set_gpu_weights(Plan& plan, std::span<const DeviceInfo> gpus,
                     std::span<const double> rates, std::size_t beside);

/// Lets the other GPUs take part in the fields, at these rates, where the first GPU does
/// the rest alone because its matrix is too small to be shared or there is none. Notes it
/// in plan.why.
void share_fields(Plan& plan, std::span<const DeviceInfo> gpus,
                  std::span<const double> rates);

/// Rates to share by, of measured ones: parts of the fastest, in eighths, one at least; 1
/// where none was measured (0). Bits depend on the shares, and what is measured differs a
/// little from run to run: GPUs of one model that are within a sixteenth share evenly in
/// every run, and only one that is clearly slower gets less.
std::vector<double> steady_rates(std::span<const double> measured);

/// Caps for shares_within() in steps of 1/32, so that a little more or less free memory
/// leaves the shares as they are; as given where the whole would no longer fit.
std::vector<double> steady_caps(std::span<const double> caps);

/// Shares of a whole, their sum 1, for owners that work at such rates: in proportion to
/// them, but none larger than its cap; the others take what one cannot. Where the caps
/// add up to less than the whole, in proportion to the caps. rates > 0, caps >= 0, not
/// all 0.
std::vector<double> shares_within(std::span<const double> rates,
                                  std::span<const double> caps);

}  // namespace thinwire
