#include "mom/discretization/proximity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/grouping.h"
#include "kernels/base/parallel.h"
#include "kernels/element/internal_impedance.h"
#include "mom/discretization/end_faces.h"
#include "mom/discretization/smooth_ramp.h"

namespace thinwire {
namespace {

/// Inductance that a bend takes away, in mu / (2 pi) radii, for one radian, and the power
/// of the angle by which it grows: those of surface meshes (docs/theory/method.md).
constexpr double bend_inductance = 0.55, bend_power = 1.75;

/// The correction is that of statics: full up to 0.5 of k distance, none from 1 on.
double static_weight(double k_distance) {
  return smooth_ramp(k_distance, 1, 0.5);
}

std::uint64_t hash_of(const std::vector<std::int64_t>& numbers) {
  std::uint64_t hash = 0;
  for (const std::int64_t number : numbers) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

/// Finds what acts on what, and then sums the forms of all stations.
class Proximity::Search {
 public:
  Search(std::span<const Element> elements, const Basis& basis, Medium medium,
         std::vector<WireMaterial> materials)
      : elements_(elements.size()),
        neighbours_(elements, basis, medium),
        stations_(neighbours_, std::move(materials)),
        faces_(end_face_forms(elements, basis, medium)) {}

  /// After find_alike().
  bool empty() const {
    return alike_.empty() && neighbours_.bends().empty() && faces_.empty();
  }

  /// Lists the conductors of wires that have stations.
  std::vector<Conductor> find_conductors() {
    std::vector<Conductor> list;
    conductor_.assign(neighbours_.real(), perfect);
    for (std::uint32_t p = 0; p < neighbours_.real(); ++p) {
      const WireMaterial& m = stations_.material(p);
      if (m.conductivity_s_per_m == 0 || neighbours_.near(p).empty()) continue;
      const Conductor wanted = {neighbours_.wire(p).radius_m, m.conductivity_s_per_m,
                                m.relative_permeability};
      const auto found = std::find(list.begin(), list.end(), wanted);
      conductor_[p] = static_cast<std::uint32_t>(found - list.begin());
      if (found == list.end()) list.push_back(wanted);
    }
    for (std::uint32_t& conductor : conductor_)
      if (conductor == perfect) conductor = static_cast<std::uint32_t>(list.size());
    conductors_ = list.size();
    return list;
  }

  /// Returns multiplications, those for wires that are alike counted once.
  double find_alike() {
    std::vector<std::uint64_t> hash(neighbours_.real());
    for_each_parallel(
        neighbours_.real(),
        [&](std::size_t i) {
          const auto p = static_cast<std::uint32_t>(i);
          if (!neighbours_.near(p).empty()) hash[p] = hash_of(stations_.surroundings(p));
        },
        64);
    // The last group of each hash, of each conductor.
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::uint32_t p = 0; p < neighbours_.real(); ++p) {
      if (neighbours_.near(p).empty()) continue;
      constexpr std::size_t most = 4096;
      const auto [at, is_new] = known.try_emplace(hash[p] + conductor_[p], alike_.size());
      if (is_new || alike_[at->second].size() == most ||
          conductor_[alike_[at->second][0]] != conductor_[p]) {
        at->second = alike_.size();
        alike_.emplace_back();
      }
      alike_[at->second].push_back(p);
    }
    // So far, wires are together that have one hash; compare them.
    const std::size_t groups = alike_.size();
    std::vector<std::vector<std::uint32_t>> unlike(groups);
    for_each_parallel(groups, [&](std::size_t g) {
      const auto first = stations_.surroundings(alike_[g][0]);
      std::erase_if(alike_[g], [&](std::uint32_t p) {
        if (p == alike_[g][0] || stations_.surroundings(p) == first) return false;
        unlike[g].push_back(p);
        return true;
      });
    });
    for (const auto& of : unlike)
      for (const std::uint32_t p : of) alike_.push_back({p});
    work_.resize(alike_.size());
    for_each_parallel(work_.size(), [&](std::size_t g) {
      work_[g] = stations_.multiplications(alike_[g][0], alike_[g].size());
      if (work_[g] == 0) alike_[g].clear();
    });
    std::erase_if(alike_, [](const auto& wires) { return wires.empty(); });
    std::erase(work_, 0.0);
    return std::accumulate(work_.begin(), work_.end(), 0.0);
  }

  /// Makes the sums. Throws what the monitor does.
  Sums sums(const Monitor& monitor) const {
    Sums result;
    for (std::uint32_t c = 0; c <= conductors_; ++c) {
      const std::vector<std::size_t> first_slot = list_slots(c, result);
      add_forms(c, first_slot, monitor, result);
    }
    drop_empty_slots(result);
    add_bends(result);
    for (const EndFaceForm& face : faces_) {
      Slot slot{face.p, face.q, static_cast<std::uint32_t>(conductors_), face.radius_m};
      slot.charge[0] = face.value_m;
      result.slots.push_back(slot);
    }
    return result;
  }

 private:
  /// Lists the pairs of elements that act together at stations of a conductor, with empty
  /// forms. Returns where those of each element begin, [elements + 1].
  std::vector<std::size_t> list_slots(std::uint32_t conductor, Sums& sums) const {
    const Groups stations =
        group(neighbours_.real(), elements_, [&](std::size_t i, const auto& put) {
          const auto p = static_cast<std::uint32_t>(i);
          if (conductor_[p] != conductor) return;
          for (const std::uint32_t q : neighbours_.near(p))
            put(neighbours_.element(q), p);
        });
    const std::size_t rows_at_once = std::max<std::size_t>(256, elements_ / 64),
                      parts = (elements_ + rows_at_once - 1) / rows_at_once;
    std::vector<std::vector<Slot>> slots(parts);
    std::vector<std::size_t> first_slot(elements_ + 1, 0);
    first_slot[0] = sums.slots.size();
    for_each_parallel(parts, [&](std::size_t part) {
      std::vector<std::size_t> seen(elements_, elements_);
      std::vector<std::uint32_t> others;
      for (std::size_t e = part * rows_at_once;
           e < std::min(elements_, (part + 1) * rows_at_once); ++e) {
        others.clear();
        for (std::uint64_t i = stations.first[e]; i < stations.first[e + 1]; ++i)
          for (const std::uint32_t wire : neighbours_.near(stations.member[i]))
            if (const std::uint32_t q = neighbours_.element(wire);
                q <= e && seen[q] != e) {
              seen[q] = e;
              others.push_back(q);
            }
        std::sort(others.begin(), others.end());
        first_slot[e + 1] = others.size();
        for (const std::uint32_t q : others)
          slots[part].push_back({static_cast<std::uint32_t>(e), q, conductor,
                                 std::numeric_limits<double>::infinity()});
      }
    });
    for (std::size_t e = 0; e < elements_; ++e) first_slot[e + 1] += first_slot[e];
    for (std::vector<Slot>& of : slots) {
      sums.slots.insert(sums.slots.end(), of.begin(), of.end());
      of = {};
    }
    if (conductors_ > 0) sums.losses.resize(sums.slots.size());
    return first_slot;
  }

  /// Leaves out pairs that act together nowhere.
  void drop_empty_slots(Sums& sums) const {
    std::size_t kept = 0;
    for (std::size_t s = 0; s < sums.slots.size(); ++s) {
      if (sums.slots[s].distance_m == std::numeric_limits<double>::infinity()) continue;
      sums.slots[kept] = sums.slots[s];
      if (conductors_ > 0) sums.losses[kept] = sums.losses[s];
      ++kept;
    }
    sums.slots.erase(sums.slots.begin() + static_cast<std::ptrdiff_t>(kept),
                     sums.slots.end());
    if (conductors_ > 0) sums.losses.resize(kept);
  }

  /// Adds the forms of all wires of a conductor to the slots.
  void add_forms(std::uint32_t conductor, const std::vector<std::size_t>& first_slot,
                 const Monitor& monitor, Sums& sums) const {
    constexpr std::size_t entries_at_once = std::size_t{1} << 23;
    const double work_at_once =
        std::max(1e8, 0.02 * std::accumulate(work_.begin(), work_.end(), 0.0));
    for (std::size_t first = 0, end = 0; first < alike_.size(); first = end) {
      std::size_t entries = 0;
      double work = 0;
      for (; end < alike_.size() && entries < entries_at_once && work < work_at_once;
           ++end) {
        work += work_[end];
        const std::size_t near = neighbours_.near(alike_[end][0]).size();
        entries += near * (9 * near + alike_[end].size());
      }
      std::vector<ProximityForms> forms(end - first);
      for_each_parallel(forms.size(), [&](std::size_t i) {
        const std::uint32_t p = alike_[first + i][0];
        if (conductor_[p] == conductor && !monitor.stopped())
          forms[i] = stations_.forms(p, conductor < conductors_);
      });
      monitor.report("proximity", (conductor + static_cast<double>(end) /
                                                   static_cast<double>(alike_.size())) /
                                      static_cast<double>(conductors_ + 1));
      add_to_slots(forms, first, first_slot, sums);
    }
  }

  /// A column of the forms of the wire p.
  struct Row {
    std::uint32_t p, forms, column;
  };

  /// forms: of alike_ from `first` on.
  void add_to_slots(const std::vector<ProximityForms>& forms, std::size_t first,
                    const std::vector<std::size_t>& first_slot, Sums& sums) const {
    std::vector<std::pair<std::uint32_t, Row>> rows;
    for (std::uint32_t f = 0; f < forms.size(); ++f)
      for (const std::uint32_t p : alike_[first + f])
        for (std::uint32_t c = 0; c < forms[f].columns.size(); ++c)
          rows.push_back({neighbours_.element(wire_of(forms[f], c, p)), {p, f, c}});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> begin;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i == 0 || rows[i].first != rows[i - 1].first) begin.push_back(i);
    begin.push_back(rows.size());
    for_each_parallel(begin.size() - 1, [&](std::size_t i) {
      const std::uint32_t e = rows[begin[i]].first;
      for (std::size_t row = begin[i]; row < begin[i + 1]; ++row)
        add_row(forms[rows[row].second.forms], rows[row].second, first_slot[e], sums);
    });
  }

  std::uint32_t wire_of(const ProximityForms& forms, std::size_t column,
                        std::uint32_t p) const {
    return neighbours_.near(p)[forms.columns[column].near];
  }

  /// Adds the pairs of a column with those of lower or equal elements to slots from
  /// `first_slot` on.
  void add_row(const ProximityForms& forms, const Row& row, std::size_t first_slot,
               Sums& sums) const {
    const Vec3 tangent = neighbours_.wire(row.p).tangent;
    const auto along = [&](std::size_t column) {
      return forms.columns[column].of_currents
                 ? dot(neighbours_.wire(wire_of(forms, column, row.p)).tangent, tangent)
                 : 0;
    };
    const std::size_t column = row.column;
    const std::uint32_t first = wire_of(forms, column, row.p),
                        p = neighbours_.element(first);
    const double first_along = along(column);
    Slot* const begin = sums.slots.data() + first_slot;
    Slot* at = begin;
    for (std::size_t other = 0; other < forms.columns.size(); ++other) {
      const std::uint32_t second = wire_of(forms, other, row.p),
                          q = neighbours_.element(second);
      if (q > p) continue;
      // Columns are almost in the order of the slots.
      if (q < at->q) at = begin;
      while (at->q != q) ++at;
      at->distance_m = std::min(at->distance_m, forms.nearest_m);
      const double charge = neighbours_.factor(first) * neighbours_.factor(second),
                   current = charge * first_along * along(other);
      // Entry (a, b) of the pair: lower triangles alone are there.
      const std::size_t step_a = column >= other ? forms.stride : 1,
                        step_b = column >= other ? 1 : forms.stride,
                        from = 3 * (column * step_a + other * step_b);
      const auto add = [&](Form& sum, const ProximityForms::Entries& entries,
                           double factor) {
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b)
            sum[3 * a + b] += factor * (column == other && a < b
                                            ? entries[from + b * step_a + a * step_b]
                                            : entries[from + a * step_a + b * step_b]);
      };
      add(at->charge, forms.charge, charge);
      if (current == 0) continue;
      add(at->current, forms.current.empty() ? forms.charge : forms.current, current);
      if (forms.once.empty()) continue;
      LossForms& losses = sums.losses[static_cast<std::size_t>(at - sums.slots.data())];
      add(losses.once, forms.once, current);
      add(losses.twice, forms.twice, current);
      if (!forms.close.empty()) add(losses.close, forms.close, current);
    }
  }

  /// Adds the inductance of bends.
  void add_bends(Sums& sums) const {
    for (const Bend& bend : neighbours_.bends()) {
      const BasisFunction& f = *bend.function;
      const double inductance = bend.weight * bend_inductance *
                                std::pow(bend.angle, bend_power) * bend.radius_m;
      // The current at the bend, the mean of its two sides.
      const auto power = [&](int side, int n) {
        return 0.5 * f.sign[side] * (f.end[side] == 0 && n == 1 ? -1 : 1);
      };
      for (const auto& [one, two] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 1)}) {
        Slot slot{f.element[one], f.element[two], static_cast<std::uint32_t>(conductors_),
                  0};
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            slot.current[3 * i + j] = -inductance * power(one, i) * power(two, j);
        sums.slots.push_back(slot);
      }
    }
  }

  static constexpr auto perfect = std::numeric_limits<std::uint32_t>::max();
  std::size_t elements_, conductors_ = 0;
  ProximityNeighbours neighbours_;
  ProximityStations stations_;
  std::vector<EndFaceForm> faces_;
  std::vector<std::uint32_t> conductor_;  ///< of each real wire, as in Slot
  /// Wires of one conductor whose forms are equal but for rounding.
  std::vector<std::vector<std::uint32_t>> alike_;
  std::vector<double> work_;  ///< multiplications, for each of alike_
};

Proximity::Proximity(std::span<const Element> elements, const Basis& basis, Medium medium,
                     std::vector<WireMaterial> materials)
    : elements_(elements),
      basis_(basis),
      search_(std::make_unique<Search>(elements, basis, medium, std::move(materials))),
      conductors_(search_->find_conductors()),
      multiplications_(search_->find_alike()),
      empty_(search_->empty()) {}

Proximity::~Proximity() = default;

void Proximity::prepare(const Monitor& monitor) const {
  const std::lock_guard lock(preparing_);
  if (!search_) return;
  sums_ = search_->sums(monitor);
  list_terms(sums_);
  search_.reset();
}

void Proximity::list_terms(Sums& sums) const {
  // add(m, n, entry, weight), n <= m, for what a slot adds.
  const auto for_terms = [this](const Slot& slot, const auto& add) {
    for (std::uint32_t i = 0; i < 2; ++i)
      for (std::uint32_t j = 0; j < 2; ++j)
        for (const BasisWeight& m : basis_.at(slot.p, static_cast<int>(i)))
          for (const BasisWeight& n : basis_.at(slot.q, static_cast<int>(j))) {
            const double weight = m.weight * n.weight;
            if (n.function <= m.function) add(m.function, n.function, 2 * i + j, weight);
            if (slot.p != slot.q && m.function <= n.function)
              add(n.function, m.function, 2 * i + j, weight);
          }
  };
  const Groups rows =
      group(sums.slots.size(), basis_.size(), [&](std::size_t s, const auto& put) {
        for_terms(sums.slots[s], [&](std::size_t m, std::size_t, std::uint32_t, double) {
          put(m, static_cast<std::uint32_t>(s));
        });
      });
  struct Row {
    std::vector<std::uint32_t> column;
    std::vector<Term> terms;  ///< updates counted in the row
  };
  std::vector<Row> found(basis_.size());
  for_each_parallel(
      found.size(),
      [&](std::size_t row) {
        std::vector<std::pair<std::uint32_t, Term>> terms;
        for (std::uint64_t i = rows.first[row]; i < rows.first[row + 1]; ++i) {
          const std::uint32_t s = rows.member[i];
          if (i > rows.first[row] && rows.member[i - 1] == s) continue;
          for_terms(sums.slots[s], [&](std::size_t m, std::size_t n, std::uint32_t entry,
                                       double weight) {
            if (m == row)
              terms.push_back({static_cast<std::uint32_t>(n), {0, s, entry, weight}});
          });
        }
        std::stable_sort(terms.begin(), terms.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        Row& result = found[row];
        for (auto& [n, term] : terms) {
          if (result.column.empty() || result.column.back() != n)
            result.column.push_back(n);
          term.update = static_cast<std::uint32_t>(result.column.size() - 1);
          result.terms.push_back(term);
        }
      },
      16);
  for (std::size_t row = 0; row < found.size(); ++row) {
    const auto first = static_cast<std::uint32_t>(sums.places.size());
    for (const std::uint32_t n : found[row].column)
      sums.places.push_back({static_cast<std::uint32_t>(row), n, 0});
    for (Term term : found[row].terms) {
      term.update += first;
      sums.terms.push_back(term);
    }
    found[row] = {};
  }
}

std::vector<MatrixUpdate> Proximity::updates(double k, bool of_charges) const {
  prepare({});
  std::vector<Complex> amplitude;
  for (const Conductor& c : conductors_)
    amplitude.push_back(harmonic_amplitude(k * speed_of_light_m_per_s / (2 * pi),
                                           c.radius_m, c.conductivity_s_per_m,
                                           c.relative_permeability));
  // Impedances, ohm, of the four pairs of shape functions.
  std::vector<std::array<Complex, 4>> impedance(sums_.slots.size());
  for_each_cheap(sums_.slots.size(), [&](std::size_t i) {
    const Slot& slot = sums_.slots[i];
    const double weight = static_weight(k * slot.distance_m) * eta0_ohm / (2 * pi);
    const ShapePolynomials p(elements_[slot.p].length_m, k),
        q(elements_[slot.q].length_m, k);
    for (int e = 0; e < 4; ++e) {
      const auto of_currents = [&](const Form& form) {
        return product(p.current[e / 2], form, q.current[e % 2]);
      };
      Complex x = of_currents(slot.current);
      if (slot.conductor < conductors_.size()) {
        const Complex f = amplitude[slot.conductor];
        const double s = x.real(), once = of_currents(sums_.losses[i].once),
                     twice = of_currents(sums_.losses[i].twice),
                     close = of_currents(sums_.losses[i].close);
        x = f * (once + f * (3 * s - 2 * once - twice + f * (twice - 2 * s + once)));
        x += 3.5 * close * f * f * (1.0 - f) * (1.0 - f) / (2.5 - 1.5 * f);
      }
      x *= k;
      if (of_charges) x -= product(p.charge[e / 2], slot.charge, q.charge[e % 2]) / k;
      impedance[i][e] = Complex(-x.imag(), x.real()) * weight;
    }
  });
  std::vector<MatrixUpdate> list = sums_.places;
  for (const Term& term : sums_.terms)
    list[term.update].value += term.weight * impedance[term.slot][term.entry];
  return list;
}

}  // namespace thinwire
