#include "kernels/matrix/symv_shapes.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

TEST(SymvShapes, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const tuning::SymvShape& shape : symv_shapes) names.insert(name_of(shape));
  EXPECT_EQ(names.size(), symv_shapes.size());
  EXPECT_EQ(name_of({16, 1, 3, 16}), "r16-b1-s3-q16");
}

TEST(SymvShapes, AreFoundByName) {
  for (std::size_t i = 0; i < symv_shapes.size(); ++i)
    EXPECT_EQ(find_symv_shape(name_of(symv_shapes[i])), static_cast<int>(i));
  EXPECT_EQ(find_symv_shape(""), -1);
  EXPECT_EQ(find_symv_shape("r16"), -1);
}

TEST(SymvShapes, FillATileWithWholeWarps) {
  // A thread owns R rows of one column of a 64 x 64 tile.
  EXPECT_EQ(threads_of({16, 1, 3, 16}), 256);
  EXPECT_EQ(threads_of({8, 1, 2, 16}), 512);
  for (const tuning::SymvShape& shape : symv_shapes) {
    EXPECT_EQ(threads_of(shape) * shape.rows, 64 * 64) << name_of(shape);
    EXPECT_LE(threads_of(shape), 1024);
  }
}

TEST(SymvSetting, DefaultIsTheFirstShapeAndWrongOnesAreRefused) {
  const int shapes = static_cast<int>(symv_shapes.size());
  EXPECT_EQ(SymvSetting().shape, 0);
  EXPECT_EQ(SymvSetting().runs_per_block, tuning::symv_runs_per_block);
  for (const SymvSetting right : {SymvSetting{}, {shapes - 1, 1}, {0, 16}})
    EXPECT_NO_THROW(check(right));
  for (const SymvSetting wrong : {SymvSetting{-1, 1}, {shapes, 1}, {0, 0}, {0, 17}}) {
    EXPECT_EQ(test::error_kind([&] { check(wrong); }), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace thinwire
