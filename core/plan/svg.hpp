// The parts that charts are drawn with. Lengths are pixels.
#pragma once

#include <string>

namespace cerar::plan::svg {

inline constexpr const char* kInk = "#1f2933";
inline constexpr const char* kPale = "#d9dee4";

// A white sheet; the document ends with "</svg>\n".
std::string begin(double width, double height);

// more: further attributes.
std::string line(double x1, double y1, double x2, double y2, const char* color,
                 const char* more = "");
// anchor: start, middle or end.
std::string text(double x, double y, const char* anchor, const std::string& words,
                 const char* more = "");
std::string dot(double x, double y, double radius, const char* color);
std::string ring(double x, double y, double radius, const char* color);
// points: "x,y x,y …".
std::string polyline(const std::string& points, const char* color, const char* more = "");

}  // namespace cerar::plan::svg
