#include "mom/systems/field_group.h"

#include <utility>

namespace thinwire {

FieldGroup::FieldGroup(std::vector<double> rates,
                       const std::function<void(std::size_t owner)>& start)
    : rates_(std::move(rates)), threads_(static_cast<int>(rates_.size())) {
  threads_.run([&](const Comm& comm) { start(static_cast<std::size_t>(comm.rank())); });
}

void FieldGroup::share(std::size_t places,
                       const std::function<void(PlaceRange)>& at) const {
  const std::lock_guard lock(one_at_a_time_);
  threads_.run([&](const Comm& comm) {
    const PlaceRange mine =
        places_of(places, static_cast<std::size_t>(comm.rank()), rates_);
    if (mine.count > 0) at(mine);
  });
}

}  // namespace thinwire
