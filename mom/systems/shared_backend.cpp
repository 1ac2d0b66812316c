#include "mom/systems/shared_backend.h"

namespace thinwire {
namespace {

/// Sums of fewer terms take a rank less time than what it would wait for the others'.
constexpr double worth_sharing_terms = 1e6;

}  // namespace

void SharedBackend::share(const Field& field, const AtPlaces& at) const {
  if (field.terms() < worth_sharing_terms) return at({0, field.places});
  const PlaceRange mine =
      places_of(field.places, static_cast<std::size_t>(ranks_.rank()), rates_);
  at(mine);
  for (const std::span<Complex> values : field.values) {
    const auto part =
        values.subspan(field.numbers_each * mine.first, field.numbers_each * mine.count);
    const std::vector<Complex> own(part.begin(), part.end());
    ranks_.gather(std::span<const Complex>(own), values);
  }
}

}  // namespace thinwire
