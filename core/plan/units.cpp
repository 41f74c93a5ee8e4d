#include "core/plan/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>
#include <stdexcept>

namespace cerar::plan {
namespace {

struct Unit {
  std::string_view name;
  double value;
};

constexpr Unit kSizes[] = {{"", 1},         {"B", 1},        {"K", 0x1p10}, {"Ki", 0x1p10},
                           {"KiB", 0x1p10}, {"kB", 1e3},     {"KB", 1e3},   {"M", 0x1p20},
                           {"Mi", 0x1p20},  {"MiB", 0x1p20}, {"MB", 1e6},   {"G", 0x1p30},
                           {"Gi", 0x1p30},  {"GiB", 0x1p30}, {"GB", 1e9},   {"T", 0x1p40},
                           {"Ti", 0x1p40},  {"TiB", 0x1p40}, {"TB", 1e12}};

constexpr Unit kRates[] = {
    {"B/s", 1},        {"K", 1e3},       {"kB/s", 1e3},     {"KB/s", 1e3},     {"KiB/s", 0x1p10},
    {"M", 1e6},        {"MB/s", 1e6},    {"MiB/s", 0x1p20}, {"G", 1e9},        {"GB/s", 1e9},
    {"GiB/s", 0x1p30}, {"bit/s", 0.125}, {"kbit/s", 125},   {"Mbit/s", 125e3}, {"Gbit/s", 125e6},
    {"Tbit/s", 125e9}, {"kb/s", 125},    {"Mb/s", 125e3},   {"Gb/s", 125e6},   {"Tb/s", 125e9},
    {"TB/s", 1e12}};

constexpr Unit kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};

[[noreturn]] void refuse(std::string_view text, std::string_view expected) {
  throw std::invalid_argument(fmt::format("got '{}', expected {}", text, expected));
}

struct Number {
  double value;
  std::string_view unit;
};

Number split(std::string_view text, std::string_view expected) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number.value);
  if (result.ec != std::errc() || !std::isfinite(number.value)) refuse(text, expected);
  number.unit = text.substr(result.ptr - text.data());
  while (!number.unit.empty() && number.unit.front() == ' ') number.unit.remove_prefix(1);
  return number;
}

double parse(std::string_view text, std::span<const Unit> units, std::string_view expected) {
  const Number number = split(text, expected);
  for (const Unit& unit : units) {
    if (unit.name == number.unit) return number.value * unit.value;
  }
  refuse(text, expected);
}

// With the greatest unit that is not above the value.
std::string format(double value, std::span<const Unit> rising) {
  const Unit* best = &rising.front();
  for (const Unit& unit : rising) {
    if (value >= unit.value * 0.9995) best = &unit;
  }
  const double scaled = value / best->value;
  if (scaled >= 999.5) return fmt::format("{:.0f} {}", scaled, best->name);
  return fmt::format("{:.3g} {}", scaled, best->name);
}

}  // namespace

std::size_t parse_bytes(std::string_view text) {
  constexpr std::string_view expected = "a number of bytes like 4096, 64K, 64MiB or 64MB";
  constexpr double kMost = 0x1p53;  // whole numbers up to here
  const double bytes = parse(text, kSizes, expected);
  if (!(bytes >= 0 && bytes <= kMost) || bytes != std::floor(bytes)) refuse(text, expected);
  return static_cast<std::size_t>(bytes);
}

double parse_rate(std::string_view text) {
  constexpr std::string_view expected = "a rate above 0 like 25GB/s, 800MB/s or 200Mbit/s";
  const double rate = parse(text, kRates, expected);
  if (!(rate > 0) || !std::isfinite(rate)) refuse(text, expected);
  return rate;
}

double parse_seconds(std::string_view text) {
  constexpr std::string_view expected = "a time from 0 like 5us, 0.2ms or 300ns";
  if (text == "0") return 0;
  const double seconds = parse(text, kTimes, expected);
  if (!(seconds >= 0)) refuse(text, expected);
  return seconds;
}

std::string format_bytes(std::size_t bytes) {
  const char* name = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    name = next;
  }
  return fmt::format("{} {}", bytes, name);
}

std::string format_rate(double bytes_per_second) {
  static constexpr Unit kRising[] = {
      {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  return format(bytes_per_second, kRising);
}

std::string format_seconds(double seconds) {
  static constexpr Unit kRising[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  return format(seconds, kRising);
}

}  // namespace cerar::plan
