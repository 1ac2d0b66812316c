#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device_info.h"
#include "mom/plan/choose_device.h"

namespace thinwire {

/// The GPUs that a request for cuda names, the first of them in use. Throws
/// Error{device}: what Gpu::use does, or several that are not of one model.
std::vector<DeviceInfo> gpus_of(const DeviceRequest& request);

/// Sets which GPUs a choice is for, and its name.
void name_gpus(DeviceChoice& choice, std::span<const DeviceInfo> gpus);
/// "cuda:0,1" of that name.
std::string short_name(const DeviceChoice& choice);

/// Sets DeviceChoice::gpu_weights: shares of choice.matrix_bytes at the rates of the
/// GPUs, within what each has free where `beside` bytes are taken on each. Returns
/// whether they fit.
bool set_gpu_weights(DeviceChoice& choice, std::span<const DeviceInfo> gpus,
                     std::size_t beside);

}  // namespace thinwire
