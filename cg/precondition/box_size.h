#pragma once

namespace thinwire {

/// Boxes of at most `box` cells along each axis, grown by `overlap` cells on all sides.
struct BoxSize {
  double box = 0, overlap = 0;
  bool operator==(const BoxSize&) const = default;
};

}  // namespace thinwire
