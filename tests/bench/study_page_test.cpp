#include "bench/study_page.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "io/result/output_file.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Returns the document inside a page.
nlohmann::json document_in(const std::string& page) {
  const std::string before = "type=\"application/json\">";
  const std::size_t first = page.find(before) + before.size();
  return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
}

LinePlot sample() {
  return {"Times <of> \"it\" & more",
          "threads",
          "us",
          false,
          false,
          {{"first", {1, 2, 3}, {10, 20, 15}}, {"se<cond", {1, 3}, {5, 5}}}};
}

TEST(StudyPage, HoldsEverythingInOnePage) {
  Table table("one", "Table </script> one");
  table.add_texts("name", "name", {"a", "b & c"});
  table.add_numbers("time_s", "time, ms", "s", {0.0015, nan}, 1e3);
  const std::string page = study_page("A <title>", {{"GPU", "none & <nothing>"}},
                                      {"It is 2 < 3."}, {sample()}, {table});
  EXPECT_TRUE(page.starts_with("<!doctype html>\n"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  // By this thinwire knows the file as its own.
  EXPECT_LT(page.find(text_signature), 1024u);
  EXPECT_TRUE(contains(page, "<title>A &lt;title></title>"));
  // Self-contained: nothing is fetched, and no text of the document is read as HTML.
  for (const char* part : {"src=", "href=\"http", "<nothing>", "se<cond", "{{"})
    EXPECT_FALSE(contains(page, part));
  const nlohmann::json document = document_in(page);
  EXPECT_EQ(document["title"], "A <title>");
  EXPECT_EQ(document["header"],
            nlohmann::json::parse(R"([["GPU", "none & <nothing>"]])"));
  EXPECT_EQ(document["findings"][0], "It is 2 < 3.");
  EXPECT_EQ(document["plots"][0]["title"], "Times <of> \"it\" & more");
  EXPECT_EQ(document["plots"][0]["series"][1]["y"], nlohmann::json({5, 5}));
  const nlohmann::json& columns = document["tables"][0]["columns"];
  EXPECT_EQ(columns[0]["cells"], nlohmann::json({"a", "b & c"}));
  EXPECT_EQ(columns[1]["cells"], nlohmann::json({"1.5", "-"}));
}

TEST(StudyPage, BreaksCurvesWhereAnAxisCannotShowAValue) {
  LinePlot plot = sample();
  plot.series = {{"gap", {1, 2, 3, 4}, {1, nan, 0, 3}}};
  const auto y = [&] {
    return document_in(study_page("", {}, {}, {plot}, {}))["plots"][0]["series"][0]["y"];
  };
  EXPECT_EQ(y(), nlohmann::json({1, nullptr, 0, 3}));
  plot.log_y = true;
  EXPECT_EQ(y(), nlohmann::json({1, nullptr, nullptr, 3}));
}

}  // namespace
}  // namespace thinwire
