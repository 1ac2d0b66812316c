#include "io/result/hdf5_near_field.h"

#include <fmt/format.h>

#include "io/result/hdf5_axes.h"
#include "mom/problem/near_field_request.h"

namespace thinwire {
namespace {

struct GridAxis {
  const char* name;
  Quantity quantity;
};

constexpr const char* grid_names[] = {"rectangular", "spherical", "near_ground"};
constexpr GridAxis grid_axes[3][3] = {
    {{"x_m", {"m", "x"}}, {"y_m", {"m", "y"}}, {"z_m", {"m", "z"}}},
    {{"r_m", {"m", "distance from the origin"}},
     {"phi_deg", {"deg", "azimuth from +x"}},
     {"theta_deg", {"deg", "angle from +z"}}},
    {{"z_m", {"m", "height"}},
     {"phi_deg", {"deg", "azimuth from +x"}},
     {"rho_m", {"m", "horizontal distance from the origin"}}},
};

void write_axis(Hdf5Writer& out, const std::string& name, const GridAxis& axis,
                const NearFieldRequest& request, int which) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < request.count[which]; ++i)
    values.push_back(request.start[which] + request.step[which] * static_cast<double>(i));
  out.axis(name, values, axis.quantity);
}

/// One request of one run at all frequencies of that run, along `along`.
void write_near_field(Hdf5Writer& out, const std::string& group, const std::string& along,
                      const std::vector<const FrequencyResult*>& results,
                      std::size_t index) {
  const NearFieldRequest& request = results[0]->near_fields[index].request;
  const auto name = [&](const char* leaf) { return group + "/" + leaf; };
  std::vector<double> frequency, position;
  std::vector<Complex> field;
  for (const FrequencyResult* result : results) {
    const std::vector<Complex>& values = result->near_fields[index].field;
    frequency.push_back(result->frequency_hz);
    field.insert(field.end(), values.begin(), values.end());
  }
  for (const Vec3 p : near_field_points(request))
    position.insert(position.end(), {p.x, p.y, p.z});

  const auto grid_kind = static_cast<std::size_t>(request.grid);
  const GridAxis(&axes)[3] = grid_axes[grid_kind];
  out.dataset(name("frequency_hz"), frequency, {along}, {"Hz", "frequency"});
  for (int i = 0; i < 3; ++i) write_axis(out, name(axes[i].name), axes[i], request, i);

  // The first coordinate runs fastest.
  Axes grid{name(axes[2].name), name(axes[1].name), name(axes[0].name), hdf5_axes::xyz};
  out.dataset(name("position_m"), position, grid, {"m", "position, x y z"});
  grid.insert(grid.begin(), along);
  const bool electric = request.field == NearFieldRequest::Field::electric;
  out.dataset(name(electric ? "e_v_per_m" : "h_a_per_m"), field, grid,
              electric ? Quantity{"V/m", "near electric field, peak, x y z"}
                       : Quantity{"A/m", "near magnetic field, peak, x y z"});
  out.attribute(group, "run", static_cast<std::int64_t>(results[0]->run));
  out.attribute(group, "grid", grid_names[grid_kind]);
}

}  // namespace

void write_near_fields(Hdf5Writer& out, const Solution& solution) {
  std::size_t k = 0;
  for (const auto& results : hdf5_axes::by_run(solution))
    for (std::size_t i = 0; i < results[0]->near_fields.size(); ++i)
      if (!results[0]->near_fields[i].field.empty())
        write_near_field(out, fmt::format("/near_field/{}", k++),
                         hdf5_axes::of_run(out, solution, results), results, i);
}

}  // namespace thinwire
