#include "core/plan/svg.hpp"

#include <fmt/format.h>

namespace cerar::plan::svg {

std::string begin(double width, double height) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
      R"(font-family="sans-serif" font-size="12" fill="{2}">)"
      "\n"
      R"(<rect width="{0}" height="{1}" fill="white"/>)"
      "\n",
      width, height, kInk);
}

std::string line(double x1, double y1, double x2, double y2, const char* color, const char* more) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" {}/>)"
                     "\n",
                     x1, y1, x2, y2, color, more);
}

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const char* more) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" {}>{}</text>)"
                     "\n",
                     x, y, anchor, more, words);
}

std::string dot(double x, double y, double radius, const char* color) {
  return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}"/>)"
                     "\n",
                     x, y, radius, color);
}

std::string ring(double x, double y, double radius, const char* color) {
  return fmt::format(
      R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="none" stroke="{}" stroke-width="2"/>)"
      "\n",
      x, y, radius, color);
}

std::string polyline(const std::string& points, const char* color, const char* more) {
  return fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" {}/>)"
                     "\n",
                     points, color, more);
}

}  // namespace cerar::plan::svg
