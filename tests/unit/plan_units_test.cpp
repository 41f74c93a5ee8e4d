// Numbers with units.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/plan/units.hpp"

namespace cerar::plan {
namespace {

TEST(Units, Bytes) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("64M"), std::size_t{64} << 20);
  EXPECT_EQ(parse_bytes("64MiB"), std::size_t{64} << 20);
  EXPECT_EQ(parse_bytes("64 Mi"), std::size_t{64} << 20);
  EXPECT_EQ(parse_bytes("64MB"), 64000000U);
  EXPECT_EQ(parse_bytes("1.5K"), 1536U);
  EXPECT_EQ(parse_bytes("2G"), std::size_t{2} << 30);
}

TEST(Units, Rates) {
  EXPECT_DOUBLE_EQ(parse_rate("25GB/s"), 25e9);
  EXPECT_DOUBLE_EQ(parse_rate("25G"), 25e9);
  EXPECT_DOUBLE_EQ(parse_rate("200Mbit/s"), 25e6);
  EXPECT_DOUBLE_EQ(parse_rate("10 Gb/s"), 1.25e9);
  EXPECT_DOUBLE_EQ(parse_rate("1GiB/s"), 1073741824);
}

TEST(Units, Times) {
  EXPECT_DOUBLE_EQ(parse_seconds("5us"), 5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("5µs"), 5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("0.2ms"), 2e-4);
  EXPECT_DOUBLE_EQ(parse_seconds("300ns"), 3e-7);
  EXPECT_DOUBLE_EQ(parse_seconds("1s"), 1);
  EXPECT_EQ(parse_seconds("0"), 0);
}

// What is wrong is named, and what would be right.
template <class Parse>
void expect_refused(Parse parse, const char* text, const char* expected) {
  try {
    parse(text);
    ADD_FAILURE() << "accepted " << text;
  } catch (const std::invalid_argument& refusal) {
    EXPECT_EQ(refusal.what(), std::string("got '") + text + "', expected " + expected);
  }
}

TEST(Units, RefuseOthers) {
  for (const char* text : {"", "M", "-1", "1.5", "64Q", "64m", "1e300", "nan", "64M x", "0x10"}) {
    expect_refused(parse_bytes, text, "a number of bytes like 4096, 64K, 64MiB or 64MB");
  }
  for (const char* text : {"", "25", "0GB/s", "-1GB/s", "25GBs", "25us", "inf"}) {
    expect_refused(parse_rate, text, "a rate above 0 like 25GB/s, 800MB/s or 200Mbit/s");
  }
  for (const char* text : {"", "5", "-5us", "5u", "5 GB", "us"}) {
    expect_refused(parse_seconds, text, "a time from 0 like 5us, 0.2ms or 300ns");
  }
}

TEST(Units, AreWritten) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1000), "1000 B");
  EXPECT_EQ(format_bytes(1536), "1536 B");
  EXPECT_EQ(format_bytes(64 << 20), "64 MiB");
  EXPECT_EQ(format_rate(1.25e9), "1.25 GB/s");
  EXPECT_EQ(format_rate(25e6), "25 MB/s");
  EXPECT_EQ(format_seconds(2e-5), "20 us");
  EXPECT_EQ(format_seconds(0.0679), "67.9 ms");
  EXPECT_EQ(format_seconds(0.9996), "1 s");
  EXPECT_EQ(format_seconds(1234), "1234 s");
  EXPECT_EQ(format_seconds(0), "0 ns");
}

TEST(Units, AreReadAsWritten) {
  for (std::size_t bytes : {std::size_t{1}, std::size_t{3} << 10, std::size_t{5} << 30}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
  }
  EXPECT_DOUBLE_EQ(parse_rate(format_rate(1.25e9)), 1.25e9);
  EXPECT_DOUBLE_EQ(parse_seconds(format_seconds(2e-5)), 2e-5);
}

}  // namespace
}  // namespace cerar::plan
