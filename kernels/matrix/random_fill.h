#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "kernels/device/device.h"

namespace thinwire {

/// Random numbers in [-1/2, 1/2) of type Real, as many as `bytes` hold: some made on the
/// host and repeated, which times do not show.
template <class Real>
void fill_with_random(void* memory, std::size_t bytes, const DeviceStream& stream) {
  std::mt19937_64 generator(20121);
  std::uniform_real_distribution<Real> uniform(Real(-0.5), Real(0.5));
  std::vector<Real> some(std::min<std::size_t>(bytes / sizeof(Real), 1u << 20));
  for (Real& value : some) value = uniform(generator);
  auto* to = static_cast<std::byte*>(memory);
  std::size_t done = some.size() * sizeof(Real);
  copy_bytes(to, some.data(), done, stream);
  while (done < bytes) {
    const std::size_t more = std::min(done, bytes - done);
    copy_bytes(to + done, to, more, stream);
    done += more;
  }
  stream.synchronize();
}

}  // namespace thinwire
