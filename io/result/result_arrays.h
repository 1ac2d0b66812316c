#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

struct Field;

/// Numbers or texts, the last axis running fastest. Spans look into the solution.
using ArrayValues = std::variant<std::vector<double>, std::vector<std::int64_t>,
                                 std::vector<Complex>, std::vector<std::string>,
                                 std::span<const double>, std::span<const Complex>>;

/// One array of a result: a dataset of HDF5, an array in Python. What was not computed is
/// NaN.
struct ResultArray {
  std::string path;  ///< of its dataset, "/pattern/0/gain_dbi"
  std::string units, long_name;
  std::vector<std::string> axes;  ///< paths of the arrays that its dimensions run along
  std::vector<std::size_t> shape;
  ArrayValues values;

  bool is_axis() const { return axes.size() == 1 && axes[0] == path; }
};

using AttributeValue = std::variant<std::int64_t, double, std::string>;

/// Visitor of the arrays of a solution.
class ArrayVisitor {
 public:
  virtual ~ArrayVisitor() = default;
  /// False for an array that is not needed, and not put together then.
  virtual bool wants(const std::string& path) = 0;
  virtual void array(ResultArray&& array) = 0;
  virtual void attribute(
      const std::string& group, const char* name,
      const std::variant<std::int64_t, double, std::string>& value) = 0;
};

/// Passes the arrays of a solution to `visitor`, axes before the arrays that run along
/// them. The arrays follow from mom/postprocess/result_fields.h.
///
/// F counts the frequencies of all runs in the deck's order, and /run_index [F] says of
/// which run each one is; P counts the ports of all runs together, in the order in which
/// they first appear, and a port that a run does not feed is NaN in its rows of the
/// [F, P] arrays. /pattern/<k> counts the requests of all runs from 0, along the
/// frequencies of its own run.
void visit_arrays(const Problem& problem, const Solution& solution, double reference_ohm,
                  ArrayVisitor& visitor);

/// Splits a text at its single blanks.
std::vector<std::string_view> words_of(std::string_view text);

/// Calls `use` with each field that may become an array and the name that Python has for
/// the type of its values.
void visit_fields(const std::function<void(const Field& field, const char* type)>& use);

}  // namespace thinwire
