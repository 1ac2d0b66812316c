#include "bench/table.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/result/hdf5_file.h"
#include "io/result/output_file.h"
#include "io/result/output_guard.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire::table_test {
namespace {

Table sample() {
  Table table("product", "Products");
  table.add_numbers("unknowns", "N", "1", {1000, 131072});
  table.add_texts("what", "what", {"plain", "a, \"b\""});
  table.add_numbers("median_s", "median, us", "s",
                    {1.25e-6, std::numeric_limits<double>::quiet_NaN()}, 1e6);
  return table;
}

TEST(Table, IsAlignedForPeople) {
  EXPECT_EQ(table_text(sample()),
            "Products\n"
            "       N  what    median, us\n"
            "    1000  plain         1.25\n"
            "  131072  a, \"b\"           -\n");
}

TEST(Table, IsCsvInUnitsWithQuotes) {
  Table other("gaps", "Not measured");
  other.add_numbers("unknowns", "N", "1", {2000});
  other.add_texts("why", "why", {"too large"});
  const std::string csv = tables_csv({sample(), other}, {{"GPU", "none"}});
  EXPECT_TRUE(contains(csv, text_signature));
  EXPECT_TRUE(
      contains(csv,
               "# GPU: none\n# table product: Products\n# table gaps: Not measured\n"
               "table,unknowns,what,median_s,why\n"
               "product,1000,plain,1.25e-06,\nproduct,131072,\"a, \"\"b\"\"\",,\n"
               "gaps,2000,,,too large\n"));
}

TEST(Table, IsReadBackFromHdf5) {
  const test::TemporaryFolder folder;
  const auto path = folder / "tables.h5";
  Hdf5Writer out(path);
  write_tables_hdf5(out, {sample()}, {{"CPU threads", "8"}}, "bench", "thinwire bench");
  PartFile part(path);
  part.write(out.take_image());
  part.commit();
  EXPECT_EQ(kind_of_file(path), report_kind("bench"));
  const Hdf5Reader in(path);
  EXPECT_EQ(in.attribute_text("/", "content"), "bench");
  EXPECT_EQ(in.attribute_text("/", "cpu_threads"), "8");
  EXPECT_EQ(in.doubles("/product/unknowns"), (std::vector<double>{1000, 131072}));
  EXPECT_EQ(in.doubles("/product/median_s")[0], 1.25e-6);
  EXPECT_EQ(in.strings("/product/what")[1], "a, \"b\"");
  EXPECT_EQ(in.attribute_text("/product/median_s", "units"), "s");
  EXPECT_EQ(in.integers("/product/row"), (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace thinwire::table_test
