#pragma once

#include <string>
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

/// A plot of a few curves over one axis, which a page draws (study_page.h).
struct LinePlot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series;
  std::vector<double> x_ticks = {};  ///< empty: round numbers
};

}  // namespace thinwire
