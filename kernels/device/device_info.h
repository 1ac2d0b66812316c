#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace thinwire {

/// How a GPU reaches the memory of another.
struct PeerLink {
  int index = 0;         ///< N of the other's cuda:N
  bool direct = false;   ///< without a detour through the host's memory
  bool atomics = false;  ///< over NVLink, which has them, rather than PCIe
};

struct DeviceInfo {
  int index = 0;  ///< N of cuda:N
  std::string name;
  std::string uuid;            ///< its own on this and every host, 32 hexadecimal digits
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
  std::vector<PeerLink> peers;  ///< of a DeviceReport only
  /// Why it cannot be used, a sentence, and what to do, another; empty where it can. What
  /// is not known of it then is zero.
  std::string problem;

  bool usable() const { return problem.empty(); }
  /// The first sentence of the problem, without its full stop.
  std::string why_not() const { return problem.substr(0, problem.find(". ")); }
};

struct DeviceReport {
  bool module = false;  ///< whether the program's CUDA module is there
  int driver_version =
      0;  ///< CUDA that the driver supports, 13000 for 13.0; 0: no driver
  int runtime_version = 0;    ///< CUDA that the module was built with
  std::string architectures;  ///< compute capabilities compiled for: "8.0, 9.0"
  std::vector<DeviceInfo> devices;
  /// One line that says why no GPU can be used and what to do; empty where one can.
  std::string problem;

  /// The first that can be used; null where none can.
  const DeviceInfo* first_usable() const {
    for (const DeviceInfo& device : devices)
      if (device.usable()) return &device;
    return nullptr;
  }
};

}  // namespace thinwire
