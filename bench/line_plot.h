#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thinwire {

/// One curve. x and y have the same length; a value that is not finite, or not positive
/// on a logarithmic axis, interrupts the line.
struct PlotSeries {
  std::string name;  ///< in the legend; empty: not there
  std::vector<double> x, y;
  bool line = true;     ///< joins the points
  bool markers = true;  ///< draws the points
  bool dashed = false;  ///< the line
  int colour = -1;      ///< series of one colour belong together; -1: its own
};

/// A plot of a few curves over one axis.
struct LinePlot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series;
  std::vector<double> x_ticks = {};  ///< empty: round numbers
};

/// The plot as one SVG element, width x height pixels: frame, grid, ticks at round
/// numbers, labels, legend at the right. Names appear escaped. Without a point to draw,
/// it says "no data".
std::string plot_svg(const LinePlot& plot, int width = 1060, int height = 440);

/// Plots one below the other as a document of its own: XML heading and a comment by which
/// thinwire knows the file as its own (output_file.h).
std::string plot_svg_file(const std::vector<LinePlot>& plots);

/// & < > " ' as XML wants them.
std::string xml_escaped(std::string_view text);

/// Round numbers from about `low` to about `high`, both inside: 1, 2 or 5 times a power
/// of ten apart on a linear axis; on a logarithmic one powers of ten, with multiples
/// of them where that gives few. low < high; low > 0 on a logarithmic axis.
std::vector<double> axis_ticks(double low, double high, bool logarithmic);

}  // namespace thinwire
