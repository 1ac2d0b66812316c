#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

TEST(BenchSparse, MeasuresAndWritesEverything) {
  const Program thinwire;
  std::ofstream(thinwire / "m.mtx")
      << "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n2 1 1\n3 3 4\n";
  const auto run = thinwire.succeeds(
      "bench sparse --device cpu --scale 0.001 --repeats 1 --matrix band3 m.mtx --format "
      "csr rbp-csr runs --type z -o b.h5 --csv b.csv --html b.html");
  for (const char* text : {"band3", "m.mtx", "rbp-csr", "bytes by formula",
                           "say nothing of the papers' findings"})
    EXPECT_TRUE(contains(run.out, text));
  EXPECT_FALSE(contains(run.out, "The paper:"));
  EXPECT_TRUE(contains(run.err, "y = A x in type z"));
  const Hdf5Reader in(thinwire / "b.h5");
  EXPECT_EQ(in.attribute_text("/", "content"), "bench sparse");
  for (const double error : in.doubles("/sparse/error")) EXPECT_LT(error, 1e-14);
  EXPECT_TRUE(contains(test::read_file(thinwire / "b.html"), "Findings"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "b.csv"), "\ntable,matrix,format,"));
  thinwire.succeeds("info b.h5");
}

TEST(BenchSparse, RefusesInOneLine) {
  const Program thinwire;
  const auto expect = [&](const std::string& arguments, const char* why, int code) {
    const auto run = thinwire("bench sparse --device cpu " + arguments);
    EXPECT_EQ(run.code, code) << arguments;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
    EXPECT_TRUE(contains(run.err, why));
    EXPECT_EQ(run.out, "");
  };
  expect("--matrix bandx", "There are: band1, band3", 2);
  expect("--format jds", "There are: csr, crs-vector", 2);
  expect("--type q", "--type must be d, z, s or c (got 'q')", 2);
  expect("--scale 0", "--scale must be above 0", 2);
  expect("--repeats 0", "--repeats must be 1", 2);
  expect("--matrix nowhere.mtx", "no such file", 5);
  std::ofstream(thinwire / "cut.mtx")
      << "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n";
  expect("--matrix cut.mtx", "ends after 1 of 3 entries", 5);
  std::ofstream(thinwire / "huge.mtx")
      << "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n";
  expect("--matrix huge.mtx --type s", "1e+300, beyond single precision", 5);
  std::filesystem::create_directory(thinwire / "folder.mtx");
  expect("--matrix folder.mtx", "is a folder", 5);
  std::ofstream(thinwire / "empty.mtx")
      << "%%MatrixMarket matrix coordinate real general\n0 0 0\n";
  expect("--matrix empty.mtx", "the matrix is empty (0 x 0)", 5);
  std::ofstream(thinwire / "h.mtx")
      << "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 0 1\n";
  for (const char* type : {"d", "s"})
    expect(std::string("--matrix band1 h.mtx --type ") + type,
           "h.mtx holds complex values, which real numbers cannot. Use --type z or c.",
           2);
  expect("--matrix h.mtx --type z --gmres 3", "--gmres solves with real matrices", 2);
  expect("--assembly --matrix band1", "--matrix contradicts --assembly", 2);
  expect("--assembly --type z", "--type contradicts --assembly", 2);
  expect("--assembly --colours 8 0", "--colours must be 1 .. 100000 (got 0)", 2);
  expect("--colours 8", "--colours has no effect without --assembly", 2);
}

TEST(BenchSparse, RefusesAnAssemblyThatDoesNotFit) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer reserves more than the limit";
#endif
  const Program thinwire;
  const auto run =
      thinwire.shell("ulimit -v 1500000; OMP_NUM_THREADS=2 '" THINWIRE_PROGRAM
                     "' bench sparse --assembly --device cpu --scale 1");
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_TRUE(contains(run.err, "1e+06 elements need 2.48 GB of the host's memory but"));
}

TEST(BenchSparse, MeasuresAssembly) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "bench sparse --assembly --device cpu --scale 0.0002 --repeats 1 --colours 8 30 -o "
      "a.h5 --csv a.csv --html a.html");
  for (const char* text : {"(4) all threads", "(5) one thread", "solver 91.97 %"})
    EXPECT_TRUE(contains(run.out, text));
  EXPECT_TRUE(contains(run.err, "stiffness of 216 trilinear hexahedra"));
  const Hdf5Reader in(thinwire / "a.h5");
  EXPECT_EQ(in.doubles("/assembly/error").size(), 4u);
  EXPECT_EQ(in.doubles("/whole/iterations").size(), 2u);
  EXPECT_TRUE(contains(test::read_file(thinwire / "a.html"), "</html>"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "a.csv"), "\ntable,device,version,"));
}

TEST(BenchSparse, MultipliesComplexFilesInComplexNumbers) {
  const Program thinwire;
  std::ofstream(thinwire / "h.mtx")
      << "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 0 1\n";
  const auto run = thinwire.succeeds(
      "bench sparse --device cpu --repeats 1 --matrix h.mtx --format csr rbp-ell "
      "segmented-scan runs runs-real --type z -o h.h5");
  const std::vector<double> errors =
      Hdf5Reader(thinwire / "h.h5").doubles("/sparse/error");
  EXPECT_EQ(errors.size(), 3u);
  for (const double error : errors) EXPECT_LT(error, 1e-15);
  for (const char* gap : {"not symmetric", "runs-real takes a real matrix"})
    EXPECT_TRUE(contains(run.out, gap));
}

TEST(BenchSparse, CallsTheStandardOneTimesItself) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "bench sparse --device cpu --scale 0.001 --repeats 1 --matrix band1 --format csr "
      "rows-cyclic -o r.h5");
  EXPECT_EQ(Hdf5Reader(thinwire / "r.h5").doubles("/sparse/ratio"),
            std::vector<double>{1});
  EXPECT_TRUE(contains(run.out, "csr: on the CPU also the product of rows-cyclic"));
}

TEST(BenchSparse, PlotsThreeMatrices) {
  const Program thinwire;
  thinwire.succeeds(
      "bench sparse --device cpu --scale 0.001 --repeats 1 --matrix ladder1 ladder4 "
      "ladder16 --format csr ell --html p.html");
  const std::string page = test::read_file(thinwire / "p.html");
  for (const char* text : {"</html>", "Rate of the products"})
    EXPECT_TRUE(contains(page, text));
}

TEST(BenchSparse, IsKnownToHelpAndCompletion) {
  const Program thinwire;
  EXPECT_TRUE(contains(thinwire("help bench sparse").out, "--matrix"));
  EXPECT_TRUE(contains(thinwire("bench sparse --list").out, "dc2-like"));
  EXPECT_TRUE(contains(thinwire("help").out, "thinwire bench sparse [options]"));
  EXPECT_EQ(thinwire("complete bench sp").out, "sparse\n");
  EXPECT_EQ(thinwire("complete bench sparse --form").out, "--format\n");
  EXPECT_EQ(thinwire("complete bench sparse --type z").out, "z\n");
}

}  // namespace
}  // namespace thinwire
