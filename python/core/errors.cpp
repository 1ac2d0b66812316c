#include "kernels/base/choice.h"
#include "kernels/base/printable.h"

#include "python/core/core.h"

namespace thinwire {

constexpr auto words_of(ErrorKind) {
  using enum ErrorKind;
  return std::to_array<Word<ErrorKind>>({{usage, "usage"},
                                         {deck, "deck"},
                                         {geometry, "geometry"},
                                         {device, "device"},
                                         {memory, "memory"},
                                         {file, "file"},
                                         {numeric, "numeric"},
                                         {interrupted, "interrupted"}});
}

namespace python {
namespace {

/// Raises the exception that thinwire._errors has for the kind.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    // Values that a usage error quotes may have line breaks.
    const std::string text =
        error.kind() == ErrorKind::usage ? printable(error.what()) : error.what();
    const nb::object exception =
        nb::module_::import_("thinwire._errors")
            .attr("error_of")(std::string(name_of(error.kind())), text);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace python
}  // namespace thinwire
