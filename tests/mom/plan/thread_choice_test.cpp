#include "mom/plan/thread_choice.h"

#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

TEST(ThreadChoice, OneForWhatIsShortOnTheCpu) {
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  Options options;
  EXPECT_TRUE(is_for_one_thread(problem, options));
  options.threads = 2;
  EXPECT_FALSE(is_for_one_thread(problem, options));
  options.threads = 0;
  // The CPU does not take what only a GPU can do.
  options.precision = PrecisionChoice::mixed;
  EXPECT_FALSE(is_for_one_thread(problem, options));
}

}  // namespace
}  // namespace thinwire
