// Reads results with xarray, netCDF4 and pandas.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;

/// Two runs of other ports and frequencies, patterns of both, a near field; a comment in
/// Latin-1.
constexpr const char* two_runs =
    "CE two dipoles, caf\xe9\nGW 1 11 0 0 -.25 0 0 .25 .001\nGW 2 11 .3 0 -.25 .3 0 .25 "
    ".001\n"
    "GE\nEX 0 1 6 0 1\nFR 0 3 0 0 290 5\nRP 0 7 5 1001 0 0 30 90\n"
    "NE 0 2 3 4 1 1 1 .1 .1 .1\nXQ\nEX 0 1 6 0 1\nEX 0 2 6 0 1\nFR 0 2 0 0 299.8 5\n"
    "RP 0 9 1 1000 0 0 10 0\nXQ\nEN\n";

TEST(ResultReaders, XarrayAndNetcdfOpenResults) {
  const Program thinwire;
  if (thinwire.shell("python3 -c 'import h5py, h5netcdf, netCDF4, xarray'").code != 0)
    GTEST_SKIP() << "no h5py, h5netcdf, netCDF4 or xarray";
  thinwire.write("two.nec", two_runs);
  ASSERT_EQ(thinwire("solve two.nec --save-matrix --touchstone two --solver cocg").code,
            0);
  ASSERT_EQ(thinwire("solve dipole.nec").code, 0);
  const auto run = thinwire.shell("python3 '" + std::string(THINWIRE_SOURCE_DIR) +
                                  "/tests/cli/open_result.py' two.h5 dipole.h5");
  EXPECT_EQ(run.code, 0) << run.err;
}

}  // namespace
}  // namespace thinwire
