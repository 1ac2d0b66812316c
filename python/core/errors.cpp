#include "kernels/base/error.h"
#include "kernels/base/printable.h"

#include "python/core/core.h"

namespace thinwire::python {
namespace {

const char* word_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::deck:
      return "deck";
    case ErrorKind::geometry:
      return "geometry";
    case ErrorKind::device:
      return "device";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::file:
      return "file";
    case ErrorKind::numeric:
      return "numeric";
    case ErrorKind::interrupted:
      break;
  }
  return "interrupted";
}

/// Raises the exception that thinwire._errors has for the kind.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    // Values that a usage error quotes may have line breaks.
    const std::string text =
        error.kind() == ErrorKind::usage ? printable(error.what()) : error.what();
    const nb::object exception = nb::module_::import_("thinwire._errors")
                                     .attr("error_of")(word_for(error.kind()), text);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace thinwire::python
