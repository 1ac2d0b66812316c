#include "io/result/hdf5_near_field.h"

#include <fmt/format.h>

#include "mom/near_fields.h"

namespace thinwire {
namespace {

struct Axis {
  const char* name;
  Quantity quantity;
};

constexpr Axis grid_axes[2][3] = {
    {{"x_m", {"m", "x"}}, {"y_m", {"m", "y"}}, {"z_m", {"m", "z"}}},
    {{"r_m", {"m", "distance from the origin"}},
     {"phi_deg", {"deg", "azimuth from +x"}},
     {"theta_deg", {"deg", "angle from +z"}}},
};

void write_axis(Hdf5Writer& out, const std::string& name, const Axis& axis,
                const NearFieldRequest& request, int which) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < request.count[which]; ++i)
    values.push_back(request.start[which] + request.step[which] * static_cast<double>(i));
  out.dataset(name, values, {values.size()}, axis.quantity);
  out.make_scale(name, axis.name);
}

/// One request of one run at all frequencies of that run.
void write_near_field(Hdf5Writer& out, const std::string& group,
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

  const bool spherical = request.grid == NearFieldRequest::Grid::spherical;
  const Axis(&axes)[3] = grid_axes[spherical ? 1 : 0];
  out.dataset(name("frequency_hz"), frequency, {frequency.size()}, {"Hz", "frequency"});
  out.make_scale(name("frequency_hz"), "frequency_hz");
  for (int i = 0; i < 3; ++i) write_axis(out, name(axes[i].name), axes[i], request, i);

  const bool electric = request.field == NearFieldRequest::Field::electric;
  const std::string values = name(electric ? "e_v_per_m" : "h_a_per_m");
  Shape shape;
  for (const int i : {2, 1, 0})
    shape.push_back(static_cast<std::size_t>(request.count[i]));
  shape.push_back(3);
  out.dataset(name("position_m"), position, shape, {"m", "position, x y z"});
  shape.insert(shape.begin(), results.size());
  out.dataset(values, field, shape,
              electric ? Quantity{"V/m", "near electric field, peak, x y z"}
                       : Quantity{"A/m", "near magnetic field, peak, x y z"});
  out.attach_scale(values, 0, name("frequency_hz"));
  for (unsigned i = 0; i < 3; ++i) {
    out.attach_scale(name("position_m"), i, name(axes[2 - i].name));
    out.attach_scale(values, i + 1, name(axes[2 - i].name));
  }
  out.attribute(group, "run", static_cast<std::int64_t>(results[0]->run));
  out.attribute(group, "grid", spherical ? "spherical" : "rectangular");
}

}  // namespace

void write_near_fields(Hdf5Writer& out, const Solution& solution) {
  std::size_t k = 0;
  const auto& all = solution.frequencies;
  for (auto first = all.begin(); first != all.end();) {
    std::vector<const FrequencyResult*> results;
    auto next = first;
    for (; next != all.end() && next->run == first->run; ++next)
      results.push_back(&*next);
    for (std::size_t i = 0; i < first->near_fields.size(); ++i)
      if (!first->near_fields[i].field.empty())
        write_near_field(out, fmt::format("/near_field/{}", k++), results, i);
    first = next;
  }
}

}  // namespace thinwire
