#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "core/cerar.h"
#include "core/error.hpp"

namespace cerar {
namespace {

TEST(Error, EveryStatusHasItsOwnText) {
  std::set<std::string> texts;
  for (int status = CERAR_ERR_INTERNAL; status <= CERAR_IN_PROGRESS; ++status) {
    texts.insert(cerar_status_string(static_cast<cerar_status_t>(status)));
  }
  EXPECT_EQ(texts.size(), 7u);
}

TEST(Error, TheLastTextIsTheThreadsOwn) {
  set_last_error("here");
  std::string there;
  std::thread([&there] { there = cerar_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_STREQ(cerar_last_error(), "here");
  set_last_error("");
  EXPECT_STREQ(cerar_last_error(), "");
}

}  // namespace
}  // namespace cerar
