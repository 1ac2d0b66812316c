#pragma once

#include <random>
#include <string>
#include <vector>

namespace thinwire::fuzz {

using Random = std::mt19937_64;

/// One to five random changes of a deck: bytes flipped, fields deleted, swapped,
/// duplicated or replaced by odd numbers and formulas, lines deleted, doubled, moved,
/// taken from another deck or made of common numbers, or cards renamed; of a file with
/// bytes 0, bytes alone. The same generator state gives the same deck on every machine.
std::string mutate(const std::string& deck, const std::vector<std::string>& others,
                   Random& random);

}  // namespace thinwire::fuzz
