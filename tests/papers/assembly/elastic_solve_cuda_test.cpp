#include "tests/kernels/device/device_test_support.h"
#include "tests/papers/assembly/pulled_column.h"

namespace thinwire {
namespace {

using namespace testing;

class ElasticSolveOnDevice : public OnDevice {};

TEST_F(ElasticSolveOnDevice, FindsTheStrainOfAColumn) {
  const PulledColumn column;
  for (const bool assemble_on_gpu : {false, true})
    column.expect_strain(device_elastic_solve(column.body, column.connectivity,
                                              column.load, assemble_on_gpu,
                                              column.control()));
}

}  // namespace
}  // namespace thinwire
