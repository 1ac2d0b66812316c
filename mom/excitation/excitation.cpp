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
  for (const Source& source : sources) {
    const Source place = place_of(source.segment, source.gap, source.line);
    if (!discretization.mesh().duplicates().empty() && has_port_at(place))
      refuse("source", place.segment, source.line,
             "segments in one place are one wire, and have one source. Leave the other "
             "out");
    places_.push_back(place);
  }
  for (const Network& network : networks) {
    std::array<std::size_t, 2> ends{};
    for (std::size_t end = 0; end < 2; ++end) {
      ends[end] = port_at(place_of(network.segment[end], network.gap[end], network.line));
    }
    of_networks_.push_back(ends);
  }
  for (const Source& place : places_)
    functional_.push_back(discretization.gap_current(place.segment, place.gap, k));
  for (std::size_t p = 0; p < sources.size(); ++p) {
    const bool connected =
        std::any_of(of_networks_.begin(), of_networks_.end(),
                    [p](const auto& ends) { return ends[0] == p || ends[1] == p; });
    if (!functional_[p].empty() || connected) continue;
    refuse("source", sources[p].segment, sources[p].line,
           sources[p].gap == Gap::segment
               ? "no current can flow there (the wire is one segment with free "
                 "ends). Give the wire at least three segments"
               : "no current can flow there (the end of the wire is free). Feed "
                 "another node");
  }
}

std::string Ports::network_origin() const {
  if (networks_.empty()) return "";
  const Network& first = networks_.front();
  return discretization_.structure().origin(first.segment[0], first.line);
}

/// Throws Error{geometry} for a card that names the segment.
void Ports::refuse(std::string_view what, std::size_t segment, int line,
                   std::string_view why) const {
  const Structure& structure = discretization_.structure();
  throw Error(ErrorKind::geometry, fmt::format("{}: {} on tag {} segment {}: {}.",
                                               structure.origin(segment, line), what,
                                               structure.segments()[segment].tag,
                                               structure.within_tag(segment), why));
}

/// A place as the mesh has it: a duplicate's is that of the original.
Source Ports::place_of(std::size_t segment, Gap gap, int line) const {
  const Duplicate* const duplicate = discretization_.mesh().duplicate(segment);
  if (duplicate && duplicate->reversed)
    refuse("port", segment, line,
           "the same piece of wire was given before, in the other direction. Name the "
           "earlier segment");
  Source place;
  place.segment = duplicate ? duplicate->original : segment;
  place.gap = gap;
  return place;
}

bool Ports::has_port_at(const Source& place) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const Source& other) { return place.same_place(other); });
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
  result.gap = places_[port].gap;
  result.voltage_v = voltage_v;
  result.current_a = current_a;
  result.impedance_ohm = voltage_v / current_a;
  result.power_w = 0.5 * (voltage_v * std::conj(current_a)).real();
  return result;
}

}  // namespace thinwire
