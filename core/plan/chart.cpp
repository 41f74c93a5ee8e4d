#include "core/plan/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/plan/report.hpp"
#include "core/plan/svg.hpp"

namespace cerar::plan {
namespace {

// Pixels.
constexpr double kWidth = 760, kHeight = 500;
constexpr double kLeft = 84, kRight = 28, kTop = 64, kBottom = 64;

using svg::kInk;
using svg::kPale;
constexpr const char* kGood = "#1769aa";  // keeps the tolerance
constexpr const char* kBad = "#9aa5b1";   // does not
constexpr const char* kChosen = "#c2410c";

// Traffic is linear, error logarithmic.
struct Axes {
  double least_traffic, most_traffic;
  int least_decade, most_decade;

  double x(double traffic) const {
    return kLeft +
           (traffic - least_traffic) / (most_traffic - least_traffic) * (kWidth - kLeft - kRight);
  }
  double y(double error) const {
    const double share = (std::log10(error) - least_decade) / (most_decade - least_decade);
    return kHeight - kBottom - share * (kHeight - kTop - kBottom);
  }
};

// One point for each c. Design constrained has nearly those of the ε-construction.
bool left_out(const Request& request, const Plan& plan, const Plan& choice) {
  if (plan.chosen) return false;
  if (plan.spec.components < request.ranks) return true;
  if (plan.spec.components == choice.spec.components) return true;
  return plan.design == Design::constrained && request.design == Design::automatic;
}

std::vector<Plan> drawn(const Request& request, const std::vector<Plan>& plans) {
  const Plan& choice = choice_of(plans);
  std::vector<Plan> kept;
  std::copy_if(plans.begin(), plans.end(), std::back_inserter(kept),
               [&](const Plan& plan) { return !left_out(request, plan, choice); });
  return kept;
}

Axes axes_for(const Request& request, const std::vector<Plan>& plans) {
  Axes axes{0.5, 1, 0, -300};
  double least = request.tolerance > 0 ? request.tolerance : 1, most = least;
  for (const Plan& plan : plans) {
    axes.most_traffic = std::max(axes.most_traffic, plan.traffic_ratio);
    least = std::min(least, plan.error.total());
    most = std::max(most, plan.error.total());
  }
  axes.most_traffic = std::ceil(axes.most_traffic * 20 + 0.5) / 20;
  axes.least_decade = static_cast<int>(std::floor(std::log10(least) - 0.2));
  axes.most_decade = static_cast<int>(std::ceil(std::log10(most) + 0.1));
  return axes;
}

std::string error_axis(const Axes& axes) {
  std::string drawing;
  // At most about ten labels.
  const int step = (axes.most_decade - axes.least_decade + 9) / 10;
  for (int decade = axes.least_decade; decade <= axes.most_decade; decade += step) {
    const double y = axes.y(std::pow(10.0, decade));
    drawing += svg::line(kLeft, y, kWidth - kRight, y, kPale);
    drawing += svg::text(kLeft - 8, y + 4, "end",
                         fmt::format(R"(10<tspan dy="-5" font-size="9">{}</tspan>)", decade));
  }
  const double middle = (kTop + kHeight - kBottom) / 2;
  return drawing + svg::text(22, middle, "middle", "relative error, predicted",
                             fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle).c_str());
}

std::string traffic_axis(const Axes& axes) {
  std::string drawing;
  const double bottom = kHeight - kBottom;
  const double step = axes.most_traffic > 1.5 ? 0.5 : 0.1;
  for (double traffic = axes.least_traffic; traffic < axes.most_traffic + 1e-9; traffic += step) {
    const double x = axes.x(traffic);
    drawing += svg::line(x, kTop, x, bottom, kPale);
    drawing += svg::text(x, bottom + 18, "middle", fmt::format("{:.1f}", traffic));
  }
  drawing += svg::line(kLeft, bottom, kWidth - kRight, bottom, kInk);
  drawing += svg::line(kLeft, kTop, kLeft, bottom, kInk);
  return drawing + svg::text((kLeft + kWidth - kRight) / 2, bottom + 44, "middle",
                             "bytes sent by a rank, over those of the exact ring");
}

std::string tolerance_line(const Request& request, const Axes& axes) {
  if (request.tolerance == 0) return "";
  const double y = axes.y(request.tolerance);
  return svg::line(kLeft, y, kWidth - kRight, y, kChosen, R"(stroke-dasharray="6 4")") +
         svg::text(kWidth - kRight - 4, y - 6, "end",
                   fmt::format("tolerance {:g}", request.tolerance),
                   fmt::format(R"(fill="{}")", kChosen).c_str());
}

// Labels go left and right by turns: neighbours are close together where c is large.
std::string point(const Plan& plan, const Axes& axes, bool left) {
  const double x = axes.x(plan.traffic_ratio), y = axes.y(plan.error.total());
  std::string drawing;
  if (plan.chosen) {
    drawing += svg::ring(x, y, 9, kChosen);
  }
  const char* color = plan.keeps_tolerance ? kGood : kBad;
  drawing += svg::dot(x, y, 4.5, color);
  const std::string label =
      fmt::format("c = {}{}", plan.spec.components, plan.order == 0 ? ", exact" : "");
  return drawing + svg::text(left ? x - 14 : x + 14, y + 4, left ? "end" : "start", label,
                             plan.chosen ? R"(font-weight="bold")" : "");
}

std::string points(const std::vector<Plan>& plans, const Axes& axes) {
  std::string path;
  for (const Plan& plan : plans) {
    path += fmt::format("{:.1f},{:.1f} ", axes.x(plan.traffic_ratio), axes.y(plan.error.total()));
  }
  std::string drawing = svg::polyline(path, kBad);
  for (const Plan& plan : plans) {
    const bool near_right = axes.x(plan.traffic_ratio) > kWidth - kRight - 110;
    drawing += point(plan, axes, near_right || plan.order % 2 == 0);
  }
  return drawing;
}

std::string key() {
  const double y = 46;
  const auto entry = [&](double x, const char* color, const char* words) {
    return svg::dot(x, y - 4, 4.5, color) + svg::text(x + 10, y, "start", words);
  };
  return entry(kLeft + 6, kGood, "keeps the tolerance") + entry(kLeft + 150, kBad, "does not") +
         svg::ring(kLeft + 236, y - 4, 7, kChosen) +
         svg::text(kLeft + 248, y, "start", "the choice");
}

}  // namespace

std::string chart(const Request& request, const std::vector<Plan>& plans) {
  const std::vector<Plan> shown = drawn(request, plans);
  const Axes axes = axes_for(request, shown);
  std::string drawing = svg::begin(kWidth, kHeight);
  drawing += svg::text(
      kLeft, 24, "start",
      fmt::format("Error against traffic, {} ranks, {}", request.ranks, name_of(request.type)),
      R"(font-size="15" font-weight="bold")");
  drawing += key() + error_axis(axes) + traffic_axis(axes) + tolerance_line(request, axes);
  return drawing + points(shown, axes) + "</svg>\n";
}

}  // namespace cerar::plan
