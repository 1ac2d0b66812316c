#include "bench/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace thinwire {
namespace {

/// Whether every tag that opens closes, in order, and attributes are quoted: enough of
/// XML for what is written here.
::testing::AssertionResult well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos;
       at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "no end of tag";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with("?") || tag.starts_with("!")) continue;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1))
        return ::testing::AssertionFailure() << "unexpected </" << tag.substr(1) << ">";
      open.pop_back();
      continue;
    }
    std::size_t quotes = 0;
    for (const char c : tag) quotes += c == '"';
    if (quotes % 2 != 0) return ::testing::AssertionFailure() << "quotes in " << tag;
    if (!tag.ends_with("/")) open.push_back(tag.substr(0, tag.find(' ')));
  }
  if (!open.empty()) return ::testing::AssertionFailure() << open.back() << " stays open";
  return ::testing::AssertionSuccess();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

LinePlot sample() {
  return {"Times <of> \"it\" & more",
          "threads",
          "us",
          false,
          false,
          {{"first", {1, 2, 3}, {10, 20, 15}}, {"se<cond", {1, 3}, {5, 5}}}};
}

TEST(LinePlot, IsWellFormedAndEscapesNames) {
  const std::string svg = plot_svg(sample());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("Times &lt;of&gt; &quot;it&quot; &amp; more"), std::string::npos);
  EXPECT_NE(svg.find("se&lt;cond"), std::string::npos);
  // Three and two points, and one sample in the legend each.
  EXPECT_EQ(count(svg, "<circle"), 7u);
  EXPECT_EQ(count(svg, "<path"), 2u);
  EXPECT_TRUE(well_formed(plot_svg_file({sample(), sample()})));
}

TEST(LinePlot, BreaksWhereAValueIsMissing) {
  LinePlot plot = sample();
  plot.series = {
      {"gap", {1, 2, 3, 4}, {1, std::numeric_limits<double>::quiet_NaN(), 2, 3}}};
  const std::string svg = plot_svg(plot);
  const std::size_t path = svg.find(" d=\"");
  ASSERT_NE(path, std::string::npos);
  const std::string d = svg.substr(path, svg.find('"', path + 4) - path);
  EXPECT_EQ(count(d, "M"), 2u) << d;
  EXPECT_EQ(count(d, "L"), 1u) << d;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePlot, LeavesOutWhatALogarithmCannotShow) {
  LinePlot plot = sample();
  plot.log_y = true;
  plot.series = {{"zero", {1, 2, 3}, {0, 10, 1000}}};
  const std::string svg = plot_svg(plot);
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(LinePlot, SaysWhenThereIsNothing) {
  LinePlot plot = sample();
  plot.series.clear();
  EXPECT_NE(plot_svg(plot).find("no data"), std::string::npos);
  EXPECT_TRUE(well_formed(plot_svg(plot)));
  // One point, and points all alike: axes still have a length.
  plot.series = {{"one", {5}, {7}}};
  EXPECT_EQ(plot_svg(plot).find("nan"), std::string::npos);
  plot.log_x = plot.log_y = true;
  EXPECT_EQ(plot_svg(plot).find("nan"), std::string::npos);
}

TEST(LinePlot, TicksAreRoundAndInside) {
  EXPECT_EQ(axis_ticks(0, 10, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  for (const double high : {0.013, 1.0, 37.0, 1024.0, 3e6}) {
    const std::vector<double> ticks = axis_ticks(0, high, false);
    EXPECT_GE(ticks.size(), 3u) << high;
    EXPECT_LE(ticks.size(), 8u) << high;
    EXPECT_LE(ticks.back(), high * (1 + 1e-9));
  }
  EXPECT_EQ(axis_ticks(900, 3100, true), (std::vector<double>{900, 1000, 2000, 3000}));
  EXPECT_EQ(axis_ticks(900, 11000, true), (std::vector<double>{1000, 2000, 5000, 10000}));
  EXPECT_EQ(axis_ticks(0.5, 2e4, true), (std::vector<double>{1, 10, 100, 1000, 10000}));
}

}  // namespace
}  // namespace thinwire
