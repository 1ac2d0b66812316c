#include "io/page/stored_result.h"
#include "python/core/core.h"

namespace thinwire::python {
void bind_file(nb::module_& m) {
  using File = Hdf5Reader;
  nb::class_<File>(m, "File")
      .def(
          "__init__",
          [](File* self, const std::string& path) { new (self) File(open_result(path)); })
      .def("exists", &File::exists)
      .def("children", &File::children)
      .def("text", &File::text)
      .def("strings", &File::strings)
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
      .def("doubles",
           [](const File& self, const std::string& name) {
             return array_from(self.doubles(name), self.shape(name));
           })
      .def("integers",
           [](const File& self, const std::string& name) {
             return array_from(self.integers(name), self.shape(name));
           })
      .def("complexes", [](const File& self, const std::string& name) {
        return array_from(self.complexes(name), self.shape(name));
      });
}

}  // namespace thinwire::python
