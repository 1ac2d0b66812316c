#include "mom/excitation/excitation.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {

Ports::Ports(const Discretization& discretization, std::span<const Source> sources,
             std::span<const Network> networks, double k)
    : discretization_(discretization),
      sources_(sources),
      networks_(networks),
      k_rad_per_m_(k) {
  for (const Source& source : sources) places_.push_back(source);
  for (const Network& network : networks) {
    std::array<std::size_t, 2> ends{};
    for (std::size_t end = 0; end < 2; ++end) {
      Source place;
      place.segment = network.segment[end];
      ends[end] = port_at(place);
    }
    of_networks_.push_back(ends);
  }
  for (const Source& place : places_)
    functional_.push_back(place.kind == Source::Kind::delta_gap
                              ? discretization.start_current(place.segment)
                              : discretization.mean_current(place.segment, k));
  for (std::size_t p = 0; p < sources.size(); ++p) {
    const bool connected =
        std::any_of(of_networks_.begin(), of_networks_.end(),
                    [p](const auto& ends) { return ends[0] == p || ends[1] == p; });
    if (!functional_[p].empty() || connected) continue;
    const std::size_t segment = sources[p].segment;
    throw Error(
        ErrorKind::geometry,
        fmt::format(
            "{}: source on tag {} segment {}: no current can flow there (the wire is one "
            "segment with free ends). Give the wire at least three segments.",
            discretization.structure().origin(segment, sources[p].line),
            discretization.structure().segments()[segment].tag,
            discretization.structure().within_tag(segment)));
  }
}

std::string Ports::network_origin() const {
  if (networks_.empty()) return "";
  const Network& first = networks_.front();
  return discretization_.structure().origin(first.segment[0], first.line);
}

/// The port there, which may be new.
std::size_t Ports::port_at(const Source& place) {
  const auto known =
      std::find_if(places_.begin(), places_.end(),
                   [&](const Source& other) { return place.same_place(other); });
  const auto port = static_cast<std::size_t>(known - places_.begin());
  if (known == places_.end()) places_.push_back(place);
  return port;
}

std::vector<Complex> Ports::excitation() const {
  std::vector<Complex> v(discretization_.unknowns());
  for (std::size_t p = 0; p < sources_.size(); ++p)
    for (const BasisWeight& w : functional_[p])
      v[w.function] += sources_[p].voltage_v * w.weight;
  return v;
}

std::vector<Complex> Ports::unit_excitation(std::size_t port) const {
  std::vector<Complex> v(discretization_.unknowns());
  for (const BasisWeight& w : functional_[port]) v[w.function] += w.weight;
  return v;
}

Complex Ports::current(std::size_t port, std::span<const Complex> coefficients) const {
  Complex sum = 0;
  for (const BasisWeight& w : functional_[port])
    sum += w.weight * coefficients[w.function];
  return sum;
}

PortResult Ports::result(std::size_t port, Complex voltage_v, Complex current_a) const {
  const std::size_t segment = places_[port].segment;
  PortResult result;
  result.tag = discretization_.structure().segments()[segment].tag;
  result.segment = discretization_.structure().within_tag(segment);
  result.segment_index = segment;
  result.voltage_v = voltage_v;
  result.current_a = current_a;
  result.impedance_ohm = voltage_v / current_a;
  result.power_w = 0.5 * (voltage_v * std::conj(current_a)).real();
  return result;
}

}  // namespace thinwire
