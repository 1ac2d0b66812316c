#include "mom/excitation.h"

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {

Ports::Ports(const Discretisation& where, std::span<const Source> sources, double k)
    : where_(where), sources_(sources) {
  for (const Source& source : sources) {
    functional_.push_back(source.kind == Source::Kind::delta_gap
                              ? where.start_current(source.segment)
                              : where.mean_current(source.segment, k));
    if (functional_.back().empty()) {
      const Segment& segment = where.structure().segments()[source.segment];
      throw Error(
          ErrorKind::geometry,
          fmt::format(
              "source on tag {} segment {}: no current can flow there (the wire is one "
              "segment with free ends). Give the wire at least three segments.",
              segment.tag, where.structure().within_tag(source.segment)));
    }
  }
}

std::vector<Complex> Ports::excitation() const {
  std::vector<Complex> v(where_.unknowns());
  for (std::size_t p = 0; p < count(); ++p)
    for (const BasisWeight& w : functional_[p])
      v[w.function] += sources_[p].voltage_v * w.weight;
  return v;
}

std::vector<Complex> Ports::unit_excitation(std::size_t port) const {
  std::vector<Complex> v(where_.unknowns());
  for (const BasisWeight& w : functional_[port]) v[w.function] += w.weight;
  return v;
}

Complex Ports::current(std::size_t port, std::span<const Complex> coefficients) const {
  Complex sum = 0;
  for (const BasisWeight& w : functional_[port])
    sum += w.weight * coefficients[w.function];
  return sum;
}

std::vector<PortResult> Ports::results(std::span<const Complex> coefficients) const {
  std::vector<PortResult> results;
  for (std::size_t p = 0; p < count(); ++p) {
    const Source& source = sources_[p];
    PortResult port;
    port.tag = where_.structure().segments()[source.segment].tag;
    port.segment = where_.structure().within_tag(source.segment);
    port.segment_index = source.segment;
    port.voltage_v = source.voltage_v;
    port.current_a = current(p, coefficients);
    port.impedance_ohm = port.voltage_v / port.current_a;
    port.power_w = 0.5 * (port.voltage_v * std::conj(port.current_a)).real();
    results.push_back(port);
  }
  return results;
}

}  // namespace thinwire
