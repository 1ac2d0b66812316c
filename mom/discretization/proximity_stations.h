#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/element/wire_harmonics.h"
#include "mom/discretization/proximity_neighbours.h"

namespace thinwire {

/// Properties of a wire that the proximity effect depends on.
struct WireMaterial {
  double conductivity_s_per_m = 0;  ///< 0: perfect
  double relative_permeability = 1;
  double sheath_radius_m = 0;  ///< 0: none
  double sheath_permittivity = 1;

  bool operator==(const WireMaterial&) const = default;
};

/// Sums over the stations of a wire for charges or currents on pairs of `columns`:
/// entries (3 i + a, 3 j + b), for the a-th and b-th power along them, of symmetric
/// matrices whose lower triangles are kept, by rows. With B and S as in Proximity:
struct ProximityForms {
  /// A wire that drives harmonics at stations, and whether its currents do, too.
  struct Column {
    std::uint32_t near;  ///< index into the wires near
    bool of_currents;
  };
  double nearest_m = std::numeric_limits<double>::infinity();  ///< of all stations
  std::vector<Column> columns{};
  std::size_t stride = 0;
  using Entries = std::vector<double>;
  Entries charge{};   ///< -sum of w (B x^a)^T S (B x^b)
  Entries current{};  ///< the same without sheaths; empty where there are none
  /// -sum of w (B x^a)^T (B x^b), and with S^2 and N in between; empty if not asked for,
  /// `close` also where no wires are close.
  Entries once{}, twice{}, close{};
};

/// The stations of wires: cross-sections in which harmonics are eliminated.
class ProximityStations {
 public:
  /// neighbours must outlive this. materials: of the elements, or none.
  ProximityStations(const ProximityNeighbours& neighbours,
                    std::vector<WireMaterial> materials);

  const WireMaterial& material(std::uint32_t wire) const;
  /// Returns about how many multiplications forms() takes, and adding them for that many
  /// wires; 0 where nothing acts.
  double multiplications(std::uint32_t p, std::size_t wires) const;
  /// Describes a wire and all near ones by numbers that a translation or rotation of all
  /// of them does not change. Wires with the same numbers have equal forms.
  std::vector<std::int64_t> surroundings(std::uint32_t p) const;
  ProximityForms forms(std::uint32_t p, bool of_losses) const;

 private:
  struct Section;
  struct Place;
  struct Stations;
  template <class Visit>
  void for_stations(std::uint32_t p, const Visit& visit) const;
  Vec3 offset_at(std::uint32_t p, std::uint32_t q, double t_m) const;
  void cut(const Place& place, Section& section) const;
  /// The number of harmonics that every section has.
  std::size_t responses() const { return sheaths_ ? 2 : 1; }
  void make_harmonics(Section& section) const;
  void add_station(const Place& place, Section& section, ProximityForms& forms,
                   Stations& stations) const;
  int integrate(const Place& place, const Section& section, std::uint32_t wire,
                std::vector<double>& potential) const;
  bool integrate_skew(const Place& place, const Section& section, std::uint32_t wire,
                      std::vector<double>& potential) const;
  void multiply(const Stations& stations, std::size_t near, bool of_losses,
                ProximityForms& forms) const;

  const ProximityNeighbours& neighbours_;
  std::vector<WireMaterial> materials_;
  bool sheaths_ = false;  ///< whether any wire has one
};

}  // namespace thinwire
