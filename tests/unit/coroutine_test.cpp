#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <vector>

#include "ompi/mca/coll/cerar/coll_cerar_coroutine.h"

namespace {

struct Steps {
  int waits = 0;
  std::vector<int> seen;
};

bool yes(void*) { return true; }

void step(void* arg) {
  auto& steps = *static_cast<Steps*>(arg);
  for (int i = 0; i < steps.waits; ++i) {
    steps.seen.push_back(i);
    EXPECT_TRUE(coll_cerar_coroutine_wait(yes, nullptr));
  }
  steps.seen.push_back(-1);
}

TEST(Coroutine, RunsOnlyWhenItIsResumed) {
  Steps steps{.waits = 3, .seen = {}};
  auto* coroutine = coll_cerar_coroutine_create(step, &steps);
  ASSERT_NE(coroutine, nullptr);
  EXPECT_TRUE(steps.seen.empty());
  std::vector<int> expected;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(coll_cerar_coroutine_resume(coroutine));
    expected.push_back(i);
    EXPECT_EQ(steps.seen, expected);
  }
  EXPECT_TRUE(coll_cerar_coroutine_resume(coroutine));
  expected.push_back(-1);
  EXPECT_EQ(steps.seen, expected);
  coll_cerar_coroutine_destroy(coroutine);
}

TEST(Coroutine, MayNotWaitAtAll) {
  Steps steps;
  auto* coroutine = coll_cerar_coroutine_create(step, &steps);
  ASSERT_NE(coroutine, nullptr);
  EXPECT_TRUE(coll_cerar_coroutine_resume(coroutine));
  EXPECT_EQ(steps.seen, std::vector<int>{-1});
  coll_cerar_coroutine_destroy(coroutine);
}

TEST(Coroutine, SeveralTakeTurns) {
  std::vector<Steps> steps(5);
  std::vector<coll_cerar_coroutine_t*> coroutines;
  for (int i = 0; i < 5; ++i) {
    steps[static_cast<std::size_t>(i)].waits = 10 * i;
    coroutines.push_back(coll_cerar_coroutine_create(step, &steps[static_cast<std::size_t>(i)]));
    ASSERT_NE(coroutines.back(), nullptr);
  }
  for (std::size_t left = 5; left > 0;) {
    for (std::size_t i = 0; i < 5; ++i) {
      if (coroutines[i] == nullptr || !coll_cerar_coroutine_resume(coroutines[i])) continue;
      EXPECT_EQ(steps[i].seen.size(), 10 * i + 1);
      coll_cerar_coroutine_destroy(coroutines[i]);
      coroutines[i] = nullptr;
      --left;
    }
  }
}

// Whoever resumes it often must not pay for it as long as there is nothing to do.
TEST(Coroutine, GoesOnOnlyWhenWhatItWaitsForIsThere) {
  struct {
    int asked = 0, there_at = 3;
    std::thread::id asking, running;
  } door;
  auto* coroutine = coll_cerar_coroutine_create(
      [](void* arg) {
        auto& it = *static_cast<decltype(door)*>(arg);
        it.running = std::this_thread::get_id();
        coll_cerar_coroutine_wait(
            [](void* same) {
              auto& asked = *static_cast<decltype(door)*>(same);
              asked.asking = std::this_thread::get_id();
              return ++asked.asked == asked.there_at;
            },
            arg);
      },
      &door);
  ASSERT_NE(coroutine, nullptr);
  EXPECT_FALSE(coll_cerar_coroutine_resume(coroutine));
  EXPECT_FALSE(coll_cerar_coroutine_resume(coroutine));
  EXPECT_FALSE(coll_cerar_coroutine_resume(coroutine));
  EXPECT_EQ(door.asked, 2);
  EXPECT_TRUE(coll_cerar_coroutine_resume(coroutine));
  EXPECT_EQ(door.asked, 3);
  EXPECT_EQ(door.asking, std::this_thread::get_id());
  EXPECT_NE(door.running, std::this_thread::get_id());
  coll_cerar_coroutine_destroy(coroutine);
}

TEST(Coroutine, OutsideThereIsNoWaiting) { EXPECT_FALSE(coll_cerar_coroutine_wait(yes, nullptr)); }

// A handler of the program's would run on a thread that it does not know of.
TEST(Coroutine, TakesNoSignals) {
  sigset_t inside, before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  auto* coroutine = coll_cerar_coroutine_create(
      [](void* set) { pthread_sigmask(SIG_SETMASK, nullptr, static_cast<sigset_t*>(set)); },
      &inside);
  ASSERT_NE(coroutine, nullptr);
  EXPECT_TRUE(coll_cerar_coroutine_resume(coroutine));
  coll_cerar_coroutine_destroy(coroutine);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

}  // namespace
