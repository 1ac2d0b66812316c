#include "mom/plan/measure_cpu.h"

#include <gtest/gtest.h>
#include <omp.h>

namespace thinwire {
namespace {

TEST(MeasureCpu, GivesRatesThatACpuCanHave) {
  const int threads = omp_get_max_threads();
  const CpuRates rates = measured_cpu_rates(2);
  EXPECT_EQ(omp_get_max_threads(), threads);
  // A hundred times slower is a CPU of the nineties, or one under sanitizers.
  constexpr double widest = 100;
  const auto expect_near_default = [&](double CpuRates::*rate, const char* what) {
    EXPECT_GT(rates.*rate, CpuRates().*rate / widest) << what;
    EXPECT_LT(rates.*rate, CpuRates().*rate * widest) << what;
  };
  expect_near_default(&CpuRates::fill_entries_per_s, "fill");
  expect_near_default(&CpuRates::product_bytes_per_s, "product");
  expect_near_default(&CpuRates::factor_flops_per_s, "factors");
  expect_near_default(&CpuRates::field_terms_per_s, "far field");
  for (const double times : {rates.computing_threads, rates.reading_threads}) {
    EXPECT_GE(times, 1);
    EXPECT_LE(times, 2);
  }
}

}  // namespace
}  // namespace thinwire
