#include "bench/tune_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/plan/report.hpp"
#include "core/plan/svg.hpp"
#include "core/plan/units.hpp"

namespace cerar::tune {
namespace {

namespace svg = plan::svg;

constexpr double kWidth = 760, kHeight = 460;  // of one chart
constexpr double kLeft = 84, kRight = 150, kTop = 56, kBottom = 64;

constexpr const char* kOwn = "#9aa5b1";
constexpr const char* kChosen = "#c2410c";
constexpr const char* kColors[] = {"#1769aa", "#0f766e", "#7c3aed", "#b45309",
                                   "#be185d", "#4d7c0f", "#0369a1", "#6d28d9"};

struct Point {
  std::size_t bytes;
  double seconds;
};
using Curves = std::map<int, std::vector<Point>>;  // by c; 0: Open MPI's own

Curves curves_of(const Sweep& sweep) {
  Curves curves;
  for (const Measured& measured : sweep.sizes) {
    for (const auto& [c, seconds] : least_by_components(measured)) {
      curves[c].push_back({measured.bytes, seconds});
    }
  }
  return curves;
}

struct Axes {
  double top;  // of this chart on the sheet
  double least_bytes = INFINITY, most_bytes = 0;
  int least_decade = 300, most_decade = -300;

  double x(std::size_t bytes) const {
    if (most_bytes == least_bytes) return (kLeft + kWidth - kRight) / 2;
    return kLeft + std::log(static_cast<double>(bytes) / least_bytes) /
                       std::log(most_bytes / least_bytes) * (kWidth - kLeft - kRight);
  }
  double y(double seconds) const {
    const double share = (std::log10(seconds) - least_decade) / (most_decade - least_decade);
    return top + kHeight - kBottom - share * (kHeight - kTop - kBottom);
  }
};

Axes axes_for(const Curves& curves, double top) {
  Axes axes{top};
  for (const auto& [c, points] : curves) {
    for (const Point& point : points) {
      const auto bytes = static_cast<double>(point.bytes);
      axes.least_bytes = std::min(axes.least_bytes, bytes);
      axes.most_bytes = std::max(axes.most_bytes, bytes);
      const double decade = std::log10(point.seconds);
      axes.least_decade = std::min(axes.least_decade, static_cast<int>(std::floor(decade)));
      axes.most_decade = std::max(axes.most_decade, static_cast<int>(std::floor(decade)) + 1);
    }
  }
  return axes;
}

std::string grid(const Axes& axes, const Sweep& sweep) {
  std::string drawing;
  const double bottom = axes.top + kHeight - kBottom;
  for (int decade = axes.least_decade; decade <= axes.most_decade; ++decade) {
    const double seconds = std::pow(10.0, decade), y = axes.y(seconds);
    drawing += svg::line(kLeft, y, kWidth - kRight, y, svg::kPale);
    drawing += svg::text(kLeft - 8, y + 4, "end", plan::format_seconds(seconds));
  }
  const std::size_t step = (sweep.sizes.size() + 6) / 7;  // about seven labels
  for (std::size_t at = 0; at < sweep.sizes.size(); at += step) {
    const double x = axes.x(sweep.sizes[at].bytes);
    drawing += svg::line(x, axes.top + kTop, x, bottom, svg::kPale);
    drawing += svg::text(x, bottom + 18, "middle", plan::format_bytes(sweep.sizes[at].bytes));
  }
  const double middle = axes.top + (kTop + kHeight - kBottom) / 2;
  return drawing +
         svg::text((kLeft + kWidth - kRight) / 2, bottom + 44, "middle", "size of the vector") +
         svg::text(22, middle, "middle", "time of a call",
                   fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle).c_str());
}

std::string name_of(int c, int ranks) {
  if (c == 0) return "Open MPI's own";
  return fmt::format("c = {}{}", c, c <= ranks ? ", exact" : "");
}

std::string curve(int c, const std::vector<Point>& points, const Axes& axes, const char* color) {
  std::string path, drawing;
  for (const Point& point : points) {
    const double x = axes.x(point.bytes), y = axes.y(point.seconds);
    path += fmt::format("{:.1f},{:.1f} ", x, y);
    drawing += svg::dot(x, y, 3, color);
  }
  return svg::polyline(path, color, c == 0 ? R"(stroke-dasharray="6 4")" : "") + drawing;
}

std::string all_curves(const Curves& curves, const Axes& axes, int ranks) {
  std::string drawing;
  double key = axes.top + kTop + 10;
  std::size_t next = 0;
  for (const auto& [c, points] : curves) {
    const char* color = c == 0 ? kOwn : kColors[next++ % std::size(kColors)];
    drawing += curve(c, points, axes, color);
    drawing += svg::dot(kWidth - kRight + 16, key - 4, 4.5, color);
    drawing += svg::text(kWidth - kRight + 26, key, "start", name_of(c, ranks));
    key += 20;
  }
  return drawing + svg::ring(kWidth - kRight + 16, key - 4, 6, kChosen) +
         svg::text(kWidth - kRight + 26, key, "start", "chosen");
}

std::string choices(const Sweep& sweep, const Axes& axes) {
  std::string drawing;
  const std::vector<Configuration> chosen = choose(sweep.sizes);
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const Measured& measured = sweep.sizes[at];
    drawing +=
        svg::ring(axes.x(measured.bytes), axes.y(find(measured, chosen[at])->seconds), 7, kChosen);
  }
  return drawing;
}

std::string one_chart(const Sweep& sweep, const Facts& facts, double top) {
  const Curves curves = curves_of(sweep);
  const Axes axes = axes_for(curves, top);
  const std::string title =
      fmt::format("Time against size, {} ranks, {}, relative error up to {:g}", facts.ranks,
                  plan::name_of(sweep.type), facts.tolerance);
  return svg::text(kLeft, top + 24, "start", title, R"(font-size="15" font-weight="bold")") +
         grid(axes, sweep) + all_curves(curves, axes, facts.ranks) + choices(sweep, axes);
}

}  // namespace

std::string chart(const std::vector<Sweep>& sweeps, const Facts& facts) {
  std::string drawing = svg::begin(kWidth, kHeight * static_cast<double>(sweeps.size()));
  double top = 0;
  for (const Sweep& sweep : sweeps) {
    drawing += one_chart(sweep, facts, top);
    top += kHeight;
  }
  return drawing + "</svg>\n";
}

}  // namespace cerar::tune
