#include <array>
#include <span>

#include "io/result/write_pattern.h"
#include "io/result/write_vtk.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> values_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

/// Returns the text of a pattern file by its suffix: of all frequencies for .n14, else of
/// the first. Empty where the pattern lacks directions. gain: [F, T, A].
std::string pattern_file(const std::string& suffix, const std::string& name,
                         const Array<double>& frequency_hz, const Array<double>& theta,
                         const Array<double>& phi, const Array<double>& gain,
                         const Array<double>& efficiency) {
  std::vector<GainPattern> all;
  const std::size_t size = theta.size() * phi.size();
  for (std::size_t i = 0; i < frequency_hz.size(); ++i)
    all.push_back({name, frequency_hz.data()[i], values_of(theta), values_of(phi),
                   values_of(gain).subspan(i * size, size), efficiency.data()[i]});
  if (!covers_upper_half(all.at(0))) return "";
  return suffix == ".msi"   ? msi_text(all[0])
         : suffix == ".n13" ? voacap_13_text(all[0])
                            : voacap_14_text(all);
}

/// fields: names, units and values [n3, n2, n1, xyz]. position: [n3, n2, n1, xyz].
std::string fields_file(
    const std::string& suffix, const Array<double>& position,
    const std::vector<std::tuple<std::string, std::string, Array<Complex>>>& fields) {
  std::vector<GridField> all;
  for (const auto& [name, unit, values] : fields)
    all.push_back({name, unit, values_of(values)});
  const std::array<std::size_t, 3> points = {position.shape(2), position.shape(1),
                                             position.shape(0)};
  return suffix == ".vti" ? fields_vti(values_of(position), points, all)
                          : fields_vts(values_of(position), points, all);
}

}  // namespace

void bind_export(nb::module_& m) {
  m.def("pattern_file", &pattern_file, nb::arg("suffix"), nb::arg("name"),
        nb::arg("frequency_hz"), nb::arg("theta_deg"), nb::arg("phi_deg"),
        nb::arg("gain_dbi"), nb::arg("efficiency"));
  m.def("fields_file", &fields_file, nb::arg("suffix"), nb::arg("position_m"),
        nb::arg("fields"));
  m.def(
      "wires_file",
      [](const Array<double>& start, const Array<double>& end,
         const Array<double>& radius, const Array<double>& tag,
         const Array<Complex>& current) {
        return wires_vtp(values_of(start), values_of(end), values_of(radius),
                         values_of(tag), values_of(current));
      },
      nb::arg("start_m"), nb::arg("end_m"), nb::arg("radius_m"), nb::arg("tag"),
      nb::arg("current_a"));
}

}  // namespace thinwire::python
