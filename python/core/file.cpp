#include "io/page/stored_result.h"
#include "python/core/core.h"

namespace thinwire::python {

nb::object numpy_array(ResultArray&& array, nb::handle owner) {
  return std::visit(
      [&]<class Values>(Values& values) -> nb::object {
        using T = typename Values::value_type;
        if constexpr (std::is_same_v<T, std::string>)
          return nb::cast(values);
        else if constexpr (std::is_same_v<Values, std::vector<T>>)
          return array_from(std::move(values), std::move(array.shape));
        else if (owner)
          return view_of(values.data(), std::move(array.shape), owner);
        else
          return array_from(std::vector(values.begin(), values.end()),
                            std::move(array.shape));
      },
      array.values);
}

SolutionArrays::SolutionArrays(const Problem& problem, const Solution& solution,
                               double reference_ohm, std::string wanted, nb::handle owner)
    : wanted_(std::move(wanted)), owner_(owner) {
  visit_arrays(problem, solution, reference_ohm, *this);
}

bool SolutionArrays::wants(const std::string& path) {
  if (wanted_.empty()) paths.push_back(path);
  return path == wanted_ || (wanted_.ends_with('/') && path.starts_with(wanted_));
}

void SolutionArrays::array(ResultArray&& array) {
  const std::string name = array.path.substr(array.path.rfind('/') + 1);
  arrays[name.c_str()] = numpy_array(std::move(array), owner_);
}

nb::object SolutionArrays::found() const {
  if (arrays.size() == 0) return nb::none();
  return nb::borrow((*arrays.begin()).second);
}

void bind_file(nb::module_& m) {
  using File = Hdf5Reader;
  nb::class_<File>(m, "File")
      .def(
          "__init__",
          [](File* self, const std::string& path) { new (self) File(open_result(path)); })
      .def("exists", &File::exists)
      .def("has_array",
           [](const File& self, const std::string& name) {
             if (!self.exists(name)) return false;
             try {
               (void)self.shape(name);
               return true;
             } catch (const Error&) {  // a group
               return false;
             }
           })
      .def("children", &File::children)
      .def("text", &File::text)
      .def("attribute_text",
           [](const File& self, const std::string& object, const std::string& name) {
             return self.attribute_text(object, name.c_str());
           })
      .def("attribute_integer",
           [](const File& self, const std::string& object, const std::string& name) {
             return self.attribute_integer(object, name.c_str());
           })
      .def("attribute_real",
           [](const File& self, const std::string& object, const std::string& name) {
             return self.attribute_real(object, name.c_str());
           })
      .def("array", [](const File& self, const std::string& name) {
        return std::visit(
            [&](auto&& values) {
              return numpy_array({name, {}, {}, {}, self.shape(name), std::move(values)});
            },
            self.values(name));
      });
}

}  // namespace thinwire::python
