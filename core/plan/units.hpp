// Numbers with units, as users write and read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cerar::plan {

// Each throws std::invalid_argument, whose message says what was got and what was expected.

// "4096", "64M", "64MiB" (2^20 bytes each), "64MB" (10^6). A whole number of bytes, from 0.
std::size_t parse_bytes(std::string_view text);

// Bytes/s, more than 0: "25GB/s", "25G" (10^9 bytes/s), "25GiB/s" (2^30), "200Mbit/s", "200Mb/s".
double parse_rate(std::string_view text);

// Seconds, from 0: "5us", "5µs", "0.2ms", "3ns", "1s". Nothing but 0 goes without a unit.
double parse_seconds(std::string_view text);

// "64 MiB", "1000 B": exact.
std::string format_bytes(std::size_t bytes);
// Three digits: "1.25 GB/s", "20 us".
std::string format_rate(double bytes_per_second);
std::string format_seconds(double seconds);

}  // namespace cerar::plan
