#include <gtest/gtest.h>

#include <set>

#include "core/transport/ucx/channel_ids.hpp"

namespace cerar::transport::ucx {
namespace {

TEST(ChannelIds, AreDifferentAndEnd) {
  ChannelIds ids(5);
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 5; ++i) taken.insert(ids.take().value());
  EXPECT_EQ(taken, (std::set<std::uint32_t>{1, 2, 3, 4, 5}));
  EXPECT_FALSE(ids.take().has_value());
  EXPECT_EQ(ids.used(), 5u);
}

TEST(ChannelIds, AreUsedAgainLate) {
  ChannelIds ids(5);
  const auto first = ids.take().value();
  ids.give_back(first);
  for (int i = 0; i < 4; ++i) EXPECT_NE(ids.take().value(), first);
  EXPECT_EQ(ids.take().value(), first);
  EXPECT_FALSE(ids.take().has_value());
}

}  // namespace
}  // namespace cerar::transport::ucx
