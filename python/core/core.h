#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/result/result_arrays.h"
#include "kernels/base/monitor.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {
class Planner;
}

// Declarations that the bindings share. Python sees arrays that are read-only and never
// copied: they view a solution, which they keep alive, or own the vector that they were
// made of.
namespace thinwire::python {

namespace nb = nanobind;

/// A view of memory that `owner` keeps alive. strides: in elements; none: the last index
/// runs fastest.
template <class T>
nb::object view_of(const T* data, std::vector<std::size_t> shape, nb::handle owner,
                   const std::vector<std::int64_t>& strides = {}) {
  nb::ndarray<nb::numpy, const T> array(data, shape.size(), shape.data(), owner,
                                        strides.empty() ? nullptr : strides.data());
  return array.cast(nb::rv_policy::reference);
}

/// An array that takes a vector over.
template <class T>
nb::object array_from(std::vector<T>&& values, std::vector<std::size_t> shape) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(
      kept, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
  return view_of(kept->data(), std::move(shape), owner);
}

/// Returns a one-dimensional array.
template <class T>
nb::object array_from(std::vector<T>&& values) {
  const std::size_t count = values.size();
  return array_from(std::move(values), {count});
}

/// Returns an array of a result. owner: what keeps the solution alive that it looks into;
/// null: none, the array is copied.
nb::object numpy_array(ResultArray&& array, nb::handle owner = {});

/// Collects arrays that a result file of the solution would have.
class [[gnu::visibility("hidden")]] SolutionArrays : public ArrayVisitor {
 public:
  /// wanted: path of an array, or of a group with a slash behind it; empty: none.
  SolutionArrays(const Problem& problem, const Solution& solution, double reference_ohm,
                 std::string wanted, nb::handle owner = {});

  bool wants(const std::string& path) override;
  void array(ResultArray && array) override;
  void attribute(const std::string& group, const char* name, const AttributeValue& value)
      override {
    attributes[group + '/' + name] = value;
  }
  /// The only array that was wanted; None where there is none.
  nb::object found() const;

  std::vector<std::string> paths;                    ///< of all, where none is wanted
  std::map<std::string, AttributeValue> attributes;  ///< "/pattern/0/run"
  nb::dict arrays;                                   ///< by the last parts of their paths

 private:
  std::string wanted_;
  nb::handle owner_;
};

/// A structure as a deck describes it, and warnings of its reading.
struct ReadProblem {
  Problem problem;
  std::vector<std::string> warnings;
  double read_s = 0;
};

/// A problem and what came of it.
struct Solved {
  std::shared_ptr<const ReadProblem> input;
  Options options;
  Solution solution;

  const Problem& problem() const { return input->problem; }
};

/// Does long work on another thread while this one, without the GIL, watches over it: it
/// reports the progress to `progress`, a function of step and fraction or None, and
/// checks for Ctrl-C. After that, or after an exception from `progress`, the work is
/// stopped; a part that can't be (a factorisation) is left alone after half a second, and
/// so `work` must own all that it uses. found: where the work has ended by then, what it
/// has is the attribute `found` of the exception.
void run_interruptibly(std::function<void(const Monitor&)> work, nb::object progress,
                       const std::function<nb::object()>& found = {});

/// Returns the Options that Python gave, by the names of the command line. Throws
/// Error{usage}.
Options options_from(const nb::dict& given);
/// Throws Error{usage} where the CPU solves: of options that have a placement.
void refuse_idle_placement(Planner& planner, const Options& options);
/// Measures the CPU's rates once for each number of threads, where a solve is long enough
/// for the choice between solvers to matter.
void choose_cpu_rates(Planner& planner, Options& options);

void bind_errors(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_many(nb::module_& m);
void bind_optimize(nb::module_& m);
void bind_solution(nb::module_& m);
void bind_fields(nb::module_& m);
void bind_file(nb::module_& m);
void bind_report(nb::module_& m);
void bind_export(nb::module_& m);

}  // namespace thinwire::python
