#include "papers/assembly/elastic_solve.h"

#include <gtest/gtest.h>

#include "tests/papers/assembly/pulled_column.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(ElasticSolve, FindsTheStrainOfAColumn) {
  const PulledColumn column;
  for (const bool one_thread : {true, false})
    column.expect_strain(elastic_solve(column.body, column.connectivity, column.load,
                                       one_thread, column.control()));
}

}  // namespace
}  // namespace thinwire
