#include "geometry/tag_index.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Tags 2 2 0 1 2, so that tag 2 lies in two pieces.
Structure scattered() {
  Structure s;
  s.add_wire(2, 2, {0, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(0, 1, {0, 1, 0}, {1, 1, 0}, 0.001);
  s.add_wire(1, 1, {0, 2, 0}, {1, 2, 0}, 0.001);
  s.add_wire(2, 1, {0, 3, 0}, {1, 3, 0}, 0.001);
  return s;
}

TEST(TagIndex, AgreesWithTheStructure) {
  const Structure s = scattered();
  const TagIndex index(s.segments());
  for (std::size_t i = 0; i < s.segments().size(); ++i) {
    EXPECT_EQ(index.within_tag(i), s.within_tag(i)) << i;
    EXPECT_EQ(index.find(0, static_cast<std::int64_t>(i) + 1), i);
    const int tag = s.segments()[i].tag;
    if (tag != 0) {
      EXPECT_EQ(index.find(tag, index.within_tag(i)), i);
    }
  }
  EXPECT_EQ(index.find(2, 3), 4u);
}

TEST(TagIndex, ListsTheSegmentsOfATag) {
  const TagIndex index(scattered().segments());
  const auto two = index.segments_of(2);
  EXPECT_EQ(std::vector<std::uint32_t>(two.begin(), two.end()),
            (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(index.segments_of(0).size(), 5u);
  EXPECT_TRUE(index.segments_of(3).empty());
  EXPECT_TRUE(index.segments_of(-1).empty());
}

TEST(TagIndex, RefusesWhatIsNotThere) {
  const TagIndex index(scattered().segments());
  EXPECT_THROW(index.find(2, 4), Error);
  EXPECT_THROW(index.find(2, 0), Error);
  EXPECT_THROW(index.find(3, 1), Error);
  EXPECT_THROW(index.find(0, 6), Error);
}

}  // namespace
}  // namespace thinwire
