#include "mom/systems/field_sharing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/discretization/discretization.h"
#include "mom/systems/field_group.h"
#include "mom/systems/shared_backend.h"
#include "tests/cg/on_ranks.h"

namespace thinwire {
namespace {

using Values = std::vector<double>;

TEST(PlaceRanges, FollowOneAnotherByTheRates) {
  for (const Values& rates : {Values{1}, Values{1, 1, 1}, Values{1, 0.25}, Values{2, 5}})
    for (const std::size_t places : {0, 1, 2, 3, 100, 361}) {
      std::size_t next = 0;
      for (std::size_t owner = 0; owner < rates.size(); ++owner) {
        const PlaceRange range = places_of(places, owner, rates);
        EXPECT_EQ(range.first, next);
        next += range.count;
      }
      EXPECT_EQ(next, places);
    }
  EXPECT_EQ(places_of(100, 0, Values{1, 0.25}).count, 80u);
  EXPECT_EQ(places_of(100, 1, Values{1, 1}).first, 50u);
}

/// Backend whose fields are sums on the CPU, shared by a FieldGroup.
class Group final : public FieldSharingBackend {
 public:
  explicit Group(Values rates) : group_(std::move(rates), [](std::size_t) {}) {}
  std::string name() const override { return "group"; }
  std::unique_ptr<System> make_system(const SystemInput&) const override { return {}; }
  double terms_at_once() const override { return 1; }
  double max_power_terms() const override { return 1; }

  mutable std::atomic<int> parts = 0;
  std::size_t in_all = 0;

 private:
  void share(const Field& field, const AtPlaces& at) const override {
    group_.share(field.places, [&](PlaceRange part) {
      ++parts;
      at(part);
    });
  }
  void far_field_part(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                      std::size_t directions_in_all) const override {
    EXPECT_EQ(directions_in_all, in_all);
    thinwire::far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> e_v_per_m,
                           std::size_t points_in_all) const override {
    EXPECT_EQ(points_in_all, in_all);
    thinwire::electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> h_a_per_m,
                           std::size_t points_in_all) const override {
    EXPECT_EQ(points_in_all, in_all);
    thinwire::magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }
  FieldGroup group_;
};

/// A bent wire with a current, directions and points around it.
struct Case {
  double k_rad_per_m;
  CurrentMoments moments;
  NearFieldSources sources;
  std::vector<Direction> directions;
  std::vector<Vec3> points_m;

  explicit Case(std::size_t places, int segments = 40, double k = 2 * pi)
      : k_rad_per_m(k) {
    Structure structure;
    structure.add_wire(1, segments, {0, 0, 0}, {0, 0, 1}, 1e-3);
    structure.add_wire(2, segments, {0, 0, 1}, {0.7, 0.2, 1.3}, 1e-3);
    const Discretization antenna(structure, {});
    const auto& elements = antenna.elements();
    std::vector<Complex> current(2 * elements.size());
    for (std::size_t i = 0; i < current.size(); ++i)
      current[i] = {std::cos(0.1 * static_cast<double>(i)), 0.3};
    moments = current_moments(elements, current, k_rad_per_m, GreensKernel::exact,
                              Medium::free_space());
    sources = near_field_sources(elements, current, k_rad_per_m, GreensKernel::exact,
                                 Medium::free_space());
    for (std::size_t i = 0; i < places; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(places);
      directions.push_back({pi * t, 20 * t});
      points_m.push_back({std::sin(20 * t), std::cos(20 * t), 2 * t});
    }
  }

  /// All fields, one after another.
  std::vector<Complex> fields_by(const Backend& backend) const {
    const std::size_t n = directions.size();
    std::vector<Complex> all(8 * n);
    const std::span<Complex> to = all;
    backend.far_field(moments, directions, k_rad_per_m, to.first(n), to.subspan(n, n));
    backend.electric_field(sources, points_m, k_rad_per_m, to.subspan(2 * n, 3 * n));
    backend.magnetic_field(sources, points_m, k_rad_per_m, to.subspan(5 * n));
    return all;
  }
};

TEST(FieldSharing, AGroupGivesTheBitsOfOneOwner) {
  for (const std::size_t places : {1, 2, 101}) {
    const Case of(places);
    const std::vector<Complex> alone = of.fields_by(cpu_backend());
    for (const Values& rates : {Values{1}, Values{1, 1}, Values{1, 0.25, 0.5}}) {
      Group group(rates);
      group.in_all = places;
      EXPECT_EQ(of.fields_by(group), alone) << rates.size() << " owners";
      // Owners without a place are not asked.
      EXPECT_EQ(group.parts, 3 * static_cast<int>(std::min(places, rates.size())));
    }
  }
}

TEST(FieldSharing, RanksGetTheBitsOfOne) {
  // Few terms each rank computes itself.
  for (const std::size_t places : {1, 9000}) {
    const Case of(places, 200, 20 * pi);
    if (places > 1) {
      EXPECT_GT(of.moments.size() * places, 1000000u);
    }
    const std::vector<Complex> alone = of.fields_by(cpu_backend());
    for (const int ranks : {2, 3})
      testing::on_ranks(ranks, [&](const Comm& comm) {
        EXPECT_EQ(of.fields_by(SharedBackend(cpu_backend(), comm)), alone);
      });
  }
}

TEST(FieldGroups, EveryOwnerHasItsThreadAsLongAsItLives) {
  std::vector<std::thread::id> started(3);
  const FieldGroup group(Values{1, 1, 1}, [&](std::size_t owner) {
    started[owner] = std::this_thread::get_id();
  });
  EXPECT_EQ(started[0], std::this_thread::get_id());
  EXPECT_EQ((std::set<std::thread::id>(started.begin(), started.end())).size(), 3u);
  for (int round = 0; round < 3; ++round) {
    std::vector<int> seen(30);
    group.share(seen.size(), [&](PlaceRange part) {
      EXPECT_EQ(std::this_thread::get_id(), started[part.first / 10]);
      for (std::size_t i = 0; i < part.count; ++i) ++seen[part.first + i];
    });
    EXPECT_EQ(seen, std::vector<int>(30, 1));
  }
}

TEST(FieldGroups, OneThatFailsFailsTheCallWithItsLine) {
  const FieldGroup group(Values{1, 1, 1}, [](std::size_t) {});
  for (const std::size_t failing : {0, 10, 20}) {
    std::atomic<int> done = 0;
    try {
      group.share(30, [&](PlaceRange part) {
        if (part.first == failing) throw Error(ErrorKind::memory, "no memory");
        ++done;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory);
      EXPECT_STREQ(error.what(), "no memory");
    }
    EXPECT_EQ(done, 2);
  }
  int places = 0;
  group.share(1, [&](PlaceRange part) { places += static_cast<int>(part.count); });
  EXPECT_EQ(places, 1);
}

TEST(FieldGroups, OneThatCannotStartIsThrown) {
  const auto start = [](std::size_t owner) {
    if (owner == 2) throw std::invalid_argument("no such GPU");
  };
  EXPECT_THROW(FieldGroup(Values{1, 1, 1}, start), std::invalid_argument);
}

}  // namespace
}  // namespace thinwire
