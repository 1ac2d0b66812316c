#include "bench/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "io/result/output_file.h"

namespace thinwire {
namespace {

/// Colours that colour-blind people can tell apart (Okabe and Ito 2008).
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#000000", "#8c8c00"};

/// From values to pixels along one axis.
class Axis {
 public:
  Axis(const LinePlot& plot, bool vertical, double first_pixel, double last_pixel)
      : logarithmic_(vertical ? plot.log_y : plot.log_x),
        first_pixel_(first_pixel),
        last_pixel_(last_pixel) {
    bool any = false;
    for (const PlotSeries& series : plot.series)
      for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        const double value = vertical ? series.y[i] : series.x[i];
        const bool drawn = std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
                           !(plot.log_x && series.x[i] <= 0) &&
                           !(plot.log_y && series.y[i] <= 0);
        if (!drawn) continue;
        low_ = any ? std::min(low_, value) : value;
        high_ = any ? std::max(high_, value) : value;
        any = true;
      }
    empty_ = !any;
    widen(vertical);
  }

  bool empty() const { return empty_; }
  bool holds(double value) const {
    return std::isfinite(value) && !(logarithmic_ && value <= 0);
  }
  double pixel(double value) const {
    const double share = logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                      : (value - low_) / (high_ - low_);
    return first_pixel_ + share * (last_pixel_ - first_pixel_);
  }
  std::vector<double> ticks() const { return axis_ticks(low_, high_, logarithmic_); }
  /// 2 .. 9 times the powers of ten of a logarithmic axis.
  std::vector<double> minor_ticks() const {
    std::vector<double> ticks;
    if (!logarithmic_ || empty_) return ticks;
    for (double power = std::floor(std::log10(low_)); power <= std::log10(high_); ++power)
      for (int factor = 2; factor < 10; ++factor)
        if (const double tick = factor * std::pow(10.0, power);
            low_ <= tick && tick <= high_)
          ticks.push_back(tick);
    return ticks;
  }

 private:
  /// Leaves room around the points; a linear axis of times starts at zero.
  void widen(bool vertical) {
    if (empty_) {
      low_ = 1;
      high_ = 2;
    } else if (logarithmic_) {
      const double room = std::max(std::pow(high_ / low_, 0.06), 1.1);
      low_ /= room;
      high_ *= room;
    } else {
      if (vertical && low_ > 0) low_ = 0;
      const double span = high_ > low_ ? high_ - low_ : std::max(std::abs(high_), 1.0);
      high_ += 0.06 * span;
      const double room = 0.03 * span;
      low_ = low_ >= 0 && low_ < room ? 0 : low_ - room;
    }
  }

  bool logarithmic_, empty_ = true;
  double low_ = 0, high_ = 1;
  double first_pixel_, last_pixel_;
};

struct Frame {
  double left, top, right, bottom;
};

class SvgPlot {
 public:
  SvgPlot(const LinePlot& plot, int width, int height)
      : plot_(plot),
        width_(width),
        height_(height),
        frame_{72, 40, width - legend_width(plot), height - 52.0},
        x_(plot, false, frame_.left, frame_.right),
        y_(plot, true, frame_.bottom, frame_.top) {}

  std::string draw() {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Arial, sans-serif\" "
        "font-size=\"12\" role=\"img\">\n",
        width_, height_);
    put("<title>{}</title>\n", xml_escaped(plot_.title));
    put("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width_, height_);
    text((frame_.left + frame_.right) / 2, 22, "middle", plot_.title,
         " font-size=\"15\" font-weight=\"bold\"");
    axes();
    if (x_.empty())
      text((frame_.left + frame_.right) / 2, (frame_.top + frame_.bottom) / 2, "middle",
           "no data");
    std::size_t entries = 0;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const PlotSeries& series = plot_.series[s];
      const std::size_t own = series.colour < 0 ? s : series.colour;
      curve(series, colours[own % colours.size()]);
      if (!series.name.empty()) legend(series, entries++, colours[own % colours.size()]);
    }
    put("</svg>\n");
    return std::move(out_);
  }

 private:
  /// Returns a width that is common to all plots with a legend, so that their frames
  /// align.
  static double legend_width(const LinePlot& plot) {
    const auto named = [](const PlotSeries& series) { return !series.name.empty(); };
    const auto& all = plot.series;
    return std::any_of(all.begin(), all.end(), named) ? 310 : 16;
  }

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }
  void text(double x, double y, const char* anchor, std::string_view words,
            std::string_view style = "") {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
        style, xml_escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, double width,
            std::string_view style = "") {
    put("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{}\"{}/>\n",
        x1, y1, x2, y2, colour, width, style);
  }
  static std::string_view dashes(const PlotSeries& series) {
    return series.dashed ? " stroke-dasharray=\"6 4\"" : "";
  }
  /// Points on a line are filled, others are rings: many of them stay readable.
  void marker(double x, double y, const PlotSeries& series, const char* colour) {
    put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.8\" fill=\"{}\" stroke=\"{}\"/>\n", x,
        y, series.line ? colour : "#ffffff", colour);
  }

  void axes() {
    for (const double tick : y_.minor_ticks())
      line(frame_.left, y_.pixel(tick), frame_.right, y_.pixel(tick), "#f0f0f0", 1);
    for (const double tick : plot_.x_ticks.empty() ? x_.ticks() : plot_.x_ticks) {
      const double x = x_.pixel(tick);
      line(x, frame_.top, x, frame_.bottom, "#e0e0e0", 1);
      text(x, frame_.bottom + 17, "middle", fmt::format("{:.6g}", tick));
    }
    for (const double tick : y_.ticks()) {
      const double y = y_.pixel(tick);
      line(frame_.left, y, frame_.right, y, "#e0e0e0", 1);
      text(frame_.left - 7, y + 4, "end", fmt::format("{:.6g}", tick));
    }
    put("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"none\" stroke=\"#404040\"/>\n",
        frame_.left, frame_.top, frame_.right - frame_.left, frame_.bottom - frame_.top);
    text((frame_.left + frame_.right) / 2, height_ - 14, "middle", plot_.x_label);
    const double middle = (frame_.top + frame_.bottom) / 2;
    text(18, middle, "middle", plot_.y_label,
         fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
  }

  void curve(const PlotSeries& series, const char* colour) {
    std::string path;
    bool drawing = false;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!x_.holds(series.x[i]) || !y_.holds(series.y[i])) {
        drawing = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x_.pixel(series.x[i]),
                          y_.pixel(series.y[i]));
      drawing = true;
    }
    if (series.line && !path.empty())
      put("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path,
          colour, dashes(series));
    if (!series.markers) return;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
      if (x_.holds(series.x[i]) && y_.holds(series.y[i]))
        marker(x_.pixel(series.x[i]), y_.pixel(series.y[i]), series, colour);
  }

  void legend(const PlotSeries& series, std::size_t index, const char* colour) {
    const double x = frame_.right + 14,
                 y = frame_.top + 12 + 19 * static_cast<double>(index);
    if (series.line) line(x, y, x + 26, y, colour, 2, dashes(series));
    if (series.markers) marker(x + 13, y, series, colour);
    text(x + 32, y + 4, "start", series.name);
  }

  const LinePlot& plot_;
  int width_, height_;
  Frame frame_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // XML has no other control characters.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  return out;
}

std::vector<double> axis_ticks(double low, double high, bool logarithmic) {
  std::vector<double> ticks;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    for (double power = std::floor(std::log10(low)); power <= std::log10(high); ++power)
      for (int factor = 1; factor < 10; ++factor) {
        const double tick = factor * std::pow(10.0, power);
        const bool shown =
            factor == 1 || decades < 1 || (decades < 3 && (factor == 2 || factor == 5));
        if (shown && low <= tick && tick <= high) ticks.push_back(tick);
      }
    return ticks;
  }
  const double raw = (high - low) / 7;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double step = power * (raw > 5 * power   ? 10
                               : raw > 2 * power ? 5
                               : raw > power     ? 2
                                                 : 1);
  const double slack = 1e-9 * step;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i)
    ticks.push_back(i == 0 ? 0 : i * step);  // no negative zero
  return ticks;
}

std::string plot_svg(const LinePlot& plot, int width, int height) {
  return SvgPlot(plot, width, height).draw();
}

std::string plot_svg_file(const std::vector<LinePlot>& plots) {
  constexpr int width = 1060, height = 440;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {0} -->\n<svg "
      "xmlns=\"http://www.w3.org/2000/svg\" width=\"{1}\" height=\"{2}\" "
      "viewBox=\"0 0 {1} {2}\">\n",
      text_signature, width, height * plots.size());
  for (std::size_t i = 0; i < plots.size(); ++i)
    out += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", height * i,
                       plot_svg(plots[i], width, height));
  return out + "</svg>\n";
}

}  // namespace thinwire
