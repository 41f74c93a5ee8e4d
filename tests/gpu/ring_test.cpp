// The whole of libcerar on device buffers, each rank's wherever it likes.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "core/ring/layout.hpp"
#include "core/ring/team.hpp"
#include "gpu/gpu.hpp"
#include "gpu/kernel_args.hpp"
#include "gpu/memory.hpp"
#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

class GpuRing : public testing::Test {
 protected:
  // Leaks show when all that the library made is gone, and the application is still there.
  GpuRing() : before_(driver::held()), context_(Application::current()) {}
  ~GpuRing() override {
    EXPECT_EQ(driver::held(), before_) << "something was not given back";
    EXPECT_EQ(Application::current(), context_) << "another context is current";
  }

  Application application_;
  driver::Held before_;
  api::Context context_;
};

template <class T>
void expect_sum(int components, std::size_t segment_bytes, std::vector<RankBuffers> where,
                std::size_t count, std::uint64_t seed, bool in_place_is_less_exact = true) {
  const int ranks = static_cast<int>(where.size());
  CRing ring(ranks, components, segment_bytes, seed);
  Calls<T> calls(std::move(where), count, seed);
  for (const cerar_status_t status : ring.run(calls)) {
    ASSERT_EQ(status, CERAR_OK) << cerar_last_error();
  }
  const double few = count < 1000 ? 8 : 1;
  const double limit = ring::test::error_limit<T>(ranks, components) * few;
  EXPECT_LE(calls.worst_error(), in_place_is_less_exact ? limit : limit / 2);
  calls.expect_inputs_untouched();
  EXPECT_EQ(ring.fabric().outstanding(), 0u);
}

TEST_F(GpuRing, SumsInRandomCases) {
  const std::uint64_t first = std::random_device{}();
  std::mt19937_64 random(first);
  for (int i = 0; i < 60; ++i) {
    const int ranks = 2 + static_cast<int>(random() % 4);
    const int components = 1 + static_cast<int>(random() % (4 * ranks));
    const std::size_t count = 1 + random() % (i % 4 == 0 ? 50 : 20000);
    std::vector<RankBuffers> where(ranks);
    std::ostringstream text;
    for (RankBuffers& at : where) {
      at = {anywhere(random), anywhere(random), random() % 3 == 0,
            random() % 3 == 0 ? 1 + random() % 3 : 0};
      text << " [" << static_cast<int>(at.send) << ' ' << static_cast<int>(at.recv)
           << (at.in_place ? " in place" : "") << " shift " << at.shift << ']';
    }
    const std::uint64_t seed = random();
    SCOPED_TRACE(testing::Message() << "N=" << ranks << " c=" << components << " count=" << count
                                    << text.str() << " first seed " << first);
    const std::size_t segment = 512u << (random() % 6);
    random() % 2 ? expect_sum<float>(components, segment, where, count, seed)
                 : expect_sum<double>(components, segment, where, count, seed);
    if (HasFailure()) return;
  }
}

TEST_F(GpuRing, SumsWithEveryPairOfMemories) {
  for (const int components : {4, 6, 8}) {
    for (const Where send : kEverywhere) {
      for (const Where recv : kEverywhere) {
        std::vector<RankBuffers> where(4);
        where[1] = {send, recv, false, 0};
        where[2] = {send, recv, true, 0};
        SCOPED_TRACE(testing::Message()
                     << components << " components, send " << static_cast<int>(send) << ", recv "
                     << static_cast<int>(recv));
        expect_sum<float>(components, 2048, where, 5003, 7);
      }
    }
  }
}

TEST_F(GpuRing, DecodesManyLanesInPlace) {
  expect_sum<float>(9, 1024, std::vector<RankBuffers>(4, {Where::device, Where::device, true, 0}),
                    8000, 3);
  expect_sum<double>(19, 512, std::vector<RankBuffers>(4), 6000, 4);
}

TEST_F(GpuRing, TellsWhichWayItTook) {
  CRing ring(3, 6, 2048);
  std::vector<RankBuffers> where(3);
  where[1] = {Where::host, Where::host, false, 0};
  where[2] = {Where::device, Where::host, false, 0};
  Calls<float> calls(where, 3000, 1);
  ring.run(calls);
  EXPECT_STREQ(ring.stats(0).memory, "mapped");
  EXPECT_STREQ(ring.stats(1).memory, "host");
  EXPECT_STREQ(ring.stats(2).memory, "staged");
}

// Rank 0 decodes on the device, 1 on the host, 2 piece by piece.
TEST_F(GpuRing, TellsWhereTheSumsRangeWasWrong) {
  std::vector<RankBuffers> where(3);
  where[1] = {Where::host, Where::host, false, 0};
  where[2] = {Where::device, Where::host, false, 0};
  const std::pair<float, cerar_range_t> cases[] = {
      {1, CERAR_RANGE_GOOD},
      {std::numeric_limits<float>::infinity(), CERAR_RANGE_NOT_FINITE},
      {1, CERAR_RANGE_GOOD},
      {1e-40f, CERAR_RANGE_SMALL},
      {3e37f, CERAR_RANGE_NOT_FINITE}};
  for (const int components : {6, 19}) {  // matrices with the kernel's arguments, and in memory
    CRing ring(3, components, 2048);
    for (const auto& [scale, expected] : cases) {
      Calls<float> calls(where, 7001, 1, scale);
      ring.run(calls);
      EXPECT_EQ(ring.ranges(), std::vector<cerar_range_t>(3, expected)) << scale;
    }
  }
}

TEST_F(GpuRing, KeepsItsScratchBoundedAndReported) {
  CRing ring(3, 6, 1024);
  const std::size_t before = driver::held().device_bytes;
  std::size_t held = 0;
  for (int call = 0; call < 5; ++call) {
    Calls<float> calls(std::vector<RankBuffers>(3), 60000, 1);
    ring.run(calls);
    const std::size_t own = driver::held().device_bytes - 6 * (60000 * sizeof(float) + 1);
    if (call == 0) held = own;
    EXPECT_EQ(own, held) << "call " << call;
  }
  EXPECT_GT(held, before);
  const std::size_t matrices = std::size_t{2} * 2 * 6 * 128 * sizeof(double);
  const std::size_t magnitudes = CERAR_MAX_STREAMS * (kMagnitudeSlots + kThreads) * sizeof(float);
  EXPECT_LE(held, 3 * (matrices + magnitudes));
  EXPECT_GE(ring.stats(0).scratch_bytes, std::size_t{1024} * 3 * CERAR_MAX_STREAMS);
}

TEST_F(GpuRing, AllocatesNothingAfterPrepare) {
  CRing ring(2, 4, 1024);
  std::vector<RankBuffers> where(2);
  where[1] = {Where::host, Where::host, false, 0};
  Calls<float> calls(where, 30000, 1);
  ASSERT_EQ(cerar_team_prepare(ring.team(0), calls.send(0), calls.recv(0), 30000, CERAR_FLOAT),
            CERAR_OK);
  for (const char* function :
       {"cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate", "cuEventCreate", "cuModuleLoadData"}) {
    driver::fail(function, 0, api::kOutOfMemory);
  }
  for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
  EXPECT_STREQ(ring.stats(0).memory, "mapped");
  EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(2, 4));
  driver::heal();
}

// On a communicator that has begun with host memory, in agreement, a rank must not be alone with
// device memory that it can't use.
TEST_F(GpuRing, NeedsNothingMoreOfTheDriverOnceThereIsATeam) {
  constexpr std::size_t kCount = 30000;
  std::vector<RankBuffers> on_host(2, {Where::host, Where::host, false, 0});
  for (const RankBuffers& later : {RankBuffers{Where::device, Where::device, false, 0},
                                   RankBuffers{Where::device, Where::device, true, 0},
                                   RankBuffers{Where::device, Where::host, false, 0},
                                   RankBuffers{Where::other_device, Where::managed, false, 0}}) {
    CRing ring(2, 4, 4096);
    Calls<float> first(on_host, kCount, 1);
    ASSERT_EQ(cerar_team_prepare(ring.team(0), first.send(0), first.recv(0), kCount, CERAR_FLOAT),
              CERAR_OK);
    for (const cerar_status_t status : ring.run(first)) ASSERT_EQ(status, CERAR_OK);
    EXPECT_STREQ(ring.stats(0).fallback, "");
    const std::uint64_t scratch = ring.stats(0).scratch_bytes;

    Calls<float> calls({later, on_host[1]}, kCount, 1);
    for (const char* function : {"cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate",
                                 "cuEventCreate", "cuModuleLoadData"}) {
      driver::fail(function, driver::kAll, api::kOutOfMemory);
    }
    for (int again = 0; again < 2; ++again) {
      for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
    }
    driver::heal();
    EXPECT_STREQ(ring.stats(0).memory, "staged");
    EXPECT_EQ(std::string(ring.stats(0).fallback).empty(), later.recv == Where::host);
    EXPECT_STREQ(ring.stats(1).fallback, "");
    EXPECT_EQ(ring.stats(0).scratch_bytes, scratch) << "staging has memory of its own";
    if (!later.in_place) {
      EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(2, 4));
    }
  }
}

// The same teams, with buffers wherever each rank likes at each call, while the devices have memory
// at some times and none at others.
TEST_F(GpuRing, SumsWhileMemoryComesAndGoes) {
  const std::uint64_t first = std::random_device{}();
  std::mt19937_64 random(first);
  const char* const kTakesMemory[] = {"cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate",
                                      "cuEventCreate", "cuModuleLoadData"};
  for (int round = 0; round < 12; ++round) {
    const int ranks = 2 + static_cast<int>(random() % 3);
    const int components = 1 + static_cast<int>(random() % (4 * ranks));
    CRing ring(ranks, components, 512u << (random() % 6), random());
    for (int call = 0; call < 6; ++call) {
      std::vector<RankBuffers> where(ranks);
      for (RankBuffers& at : where) {
        at = {anywhere(random), anywhere(random), random() % 3 == 0,
              random() % 3 == 0 ? 1 + random() % 3 : 0};
      }
      Calls<float> calls(where, 1000 + random() % 20000, random());
      SCOPED_TRACE(testing::Message()
                   << "round " << round << " call " << call << " first seed " << first);
      for (const char* function : kTakesMemory) {
        if (random() % 2)
          driver::fail(function, random() % 2 ? driver::kAll : random() % 8, api::kOutOfMemory);
      }
      for (const cerar_status_t status : ring.run(calls)) {
        ASSERT_EQ(status, CERAR_OK) << cerar_last_error();
      }
      driver::heal();
      EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(ranks, components));
      calls.expect_inputs_untouched();
    }
  }
}

TEST_F(GpuRing, StagesForSeveralThreadsAtOnce) {
  constexpr int kThreadCount = 3;
  const std::vector<RankBuffers> where(2);
  driver::fail("cuModuleLoadData", driver::kAll, api::kOutOfMemory);
  std::vector<std::unique_ptr<Calls<double>>> calls;
  for (int i = 0; i < kThreadCount; ++i) {
    calls.push_back(std::make_unique<Calls<double>>(where, 40000, 1 + i));
  }
  std::vector<std::thread> threads;
  for (const auto& own : calls) {
    threads.emplace_back([&own] {
      CRing ring(2, 4, 4096);
      for (int again = 0; again < 5; ++again) {
        for (const cerar_status_t status : ring.run(*own)) EXPECT_EQ(status, CERAR_OK);
        EXPECT_LE(own->worst_error(), ring::test::error_limit<double>(2, 4));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Of a ring of more than 64 ranks.
TEST_F(GpuRing, StagesTilesThatAreLongerThanTheCommonBlocks) {
  constexpr int kLanes = 600;
  constexpr std::size_t kElements = kLanes * ring::kTileWidth;
  const Buffer<double> buffer(Where::device, kElements);
  const ring::Place place = make_place(Way::staged, classify(nullptr, buffer.data()));
  const auto queue = place.space->make_queue<double>(kLanes);
  std::vector<double> twice(kLanes * kLanes);
  for (int lane = 0; lane < kLanes; ++lane) twice[lane * kLanes + lane] = 2;
  std::vector<double> ones(kElements, 1);
  queue->copy(buffer.data(), ones.data(), kElements);
  kernel::Decode<double> decode;
  decode.out = buffer.data();
  decode.y = buffer.data();
  decode.w = twice.data();
  decode.lanes = kLanes;
  decode.width = ring::kTileWidth;
  decode.tiles = 1;
  queue->decode(decode);
  ASSERT_EQ(queue->test(), CERAR_OK);
  EXPECT_EQ(buffer.read(), std::vector<double>(kElements, 2));
}

TEST_F(GpuRing, TakesTheDeviceAgainOnceThereIsMemory) {
  CRing ring(2, 4, 4096);
  Calls<float> calls(std::vector<RankBuffers>(2), 9000, 1);
  for (const bool full : {true, false}) {
    if (full) driver::fail("cuModuleLoadData", driver::kAll, api::kOutOfMemory);
    for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
    driver::heal();
    EXPECT_STREQ(ring.stats(0).memory, full ? "staged" : "mapped");
    EXPECT_EQ(std::string(ring.stats(0).fallback).empty(), !full);
  }
}

TEST_F(GpuRing, TriesKernelsThatTheDriverDoesNotTakeOnce) {
  CRing ring(2, 4, 4096);
  Calls<float> calls(std::vector<RankBuffers>(2), 9000, 1);
  driver::fail("cuModuleLoadData", driver::kAll, api::kNoBinaryForGpu);
  ring.run(calls);
  driver::reset_calls();
  for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
  EXPECT_EQ(driver::calls()["cuModuleLoadData"], 0u);
  EXPECT_STREQ(ring.stats(0).memory, "staged");
  driver::heal();
}

TEST_F(GpuRing, WorksInAContextThatIsNotPrimary) {
  api::Context own = nullptr;
  must(driver::cuCtxCreate_v2(&own, 0, 0));
  {
    CRing ring(2, 4, 1024);
    Calls<float> calls(std::vector<RankBuffers>(2), 9000, 1);
    api::Context popped;
    must(driver::cuCtxPopCurrent_v2(&popped));
    for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
    EXPECT_EQ(Application::current(), context_);
    EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(2, 4));
  }
}

TEST_F(GpuRing, WorksInAThreadWithoutAContext) {
  CRing ring(2, 4, 1024);
  Calls<float> calls(std::vector<RankBuffers>(2), 9000, 1);
  must(driver::cuCtxSetCurrent(nullptr));
  for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
  EXPECT_EQ(Application::current(), nullptr);
  must(driver::cuCtxSetCurrent(context_));
  EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(2, 4));
}

// A pool's memory is as good as the rest of its device's: nothing need be copied between them.
TEST_F(GpuRing, ReadsAPoolsMemoryWhereItIs) {
  const Buffer<float> pooled(Where::pooled, 4), plain(Where::device, 4),
      far(Where::other_device, 4);
  EXPECT_FALSE(make_place(Way::mapped, classify(pooled.data(), plain.data())).load);
  EXPECT_FALSE(make_place(Way::mapped, classify(plain.data(), pooled.data())).load);
  EXPECT_TRUE(make_place(Way::mapped, classify(far.data(), pooled.data())).load);
  EXPECT_TRUE(make_place(Way::mapped, classify(pooled.data(), far.data())).load);
}

// Takes messages in device memory, and reaches it as the stand-in does.
class DeviceLink : public transport::Transport {
 public:
  explicit DeviceLink(std::unique_ptr<Transport> link) : link_(std::move(link)) {}
  cerar_status_t test(transport::Operation& op) override { return link_->test(op); }
  void cancel(transport::Operation& op) override { link_->cancel(op); }
  void progress() override { link_->progress(); }
  const char* name() const override { return "device"; }
  bool takes_device_memory() const override { return true; }

 protected:
  cerar_status_t do_send(transport::Tag tag, const void* data, std::size_t bytes,
                         transport::Operation& op) override {
    return link_->send(tag, data, bytes, op);
  }
  cerar_status_t do_recv(transport::Tag tag, void* data, std::size_t bytes,
                         transport::Operation& op) override {
    return link_->recv(tag, data, bytes, op);
  }
  cerar_status_t do_send_device(transport::Tag tag, const void* data, std::size_t bytes,
                                transport::Operation& op) override {
    expect_message_memory(data);
    return link_->send(tag, driver::alias(data), bytes, op);
  }
  cerar_status_t do_recv_device(transport::Tag tag, void* data, std::size_t bytes,
                                transport::Operation& op) override {
    expect_message_memory(data);
    return link_->recv(tag, driver::alias(data), bytes, op);
  }

 private:
  static void expect_message_memory(const void* data) {
    EXPECT_NE(driver::alias(data), data) << "a message is not in device memory";
    EXPECT_FALSE(ask_driver(*find_driver(), data).pooled()) << "UCX may not know it for a device's";
  }

  std::unique_ptr<Transport> link_;
};

TEST_F(GpuRing, SendsFromDeviceMemoryWhereTheTransportTakesIt) {
  constexpr int kRanks = 3;
  std::vector<RankBuffers> where(kRanks);
  where[1] = {Where::pooled, Where::pooled, false, 0};
  for (const int components : {3, 5, 6, 9}) {
    transport::InprocRing fabric(kRanks);
    Calls<float> calls(where, 7000, 5);
    std::vector<std::unique_ptr<ring::Team>> teams;
    std::vector<std::unique_ptr<ring::Call>> under_way;
    for (int rank = 0; rank < kRanks; ++rank) {
      ring::TeamOptions options;
      options.rank = rank;
      options.ranks = kRanks;
      options.components = components;
      options.segment_bytes = 1024;
      teams.push_back(
          std::make_unique<ring::Team>(options, std::make_unique<DeviceLink>(fabric.link(rank))));
      const Buffers buffers = classify(calls.send(rank), calls.recv(rank));
      ASSERT_EQ(ways(buffers, true).front(), Way::device);
      const ring::Place place = make_place(Way::device, buffers);
      under_way.push_back(
          teams[rank]->post(calls.send(rank), calls.recv(rank), calls.count(), place));
    }
    bool running = true;
    for (long turn = 0; running && turn < 5'000'000; ++turn) {
      running = false;
      for (auto& call : under_way) running |= call->progress() == CERAR_IN_PROGRESS;
    }
    for (auto& call : under_way) ASSERT_EQ(call->progress(), CERAR_OK);
    EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(kRanks, components))
        << components << " components";
    under_way.clear();
  }
}

// UCX needs a context of the thread that calls it.
TEST_F(GpuRing, SendsFromDeviceMemoryOnlyInThreadsWithAContext) {
  const Buffer<float> buffer(Where::device, 4);
  const Buffers buffers = classify(nullptr, buffer.data());
  EXPECT_EQ(ways(buffers, true).front(), Way::device);
  must(driver::cuCtxSetCurrent(nullptr));
  EXPECT_EQ(ways(buffers, true).front(), Way::mapped);
  must(driver::cuCtxSetCurrent(context_));
}

TEST_F(GpuRing, IsBitIdenticalWithAsManyComponentsAsRanks) {
  CRing ring(3, 3, 1024);
  std::vector<RankBuffers> where(3);
  where[1] = {Where::host, Where::device, false, 0};
  where[2] = {Where::device, Where::device, true, 1};
  Calls<float> calls(where, 5000, 1);
  ring.run(calls);
  std::vector<std::vector<float>> results;
  for (int rank = 0; rank < 3; ++rank) {
    const auto* at = static_cast<const float*>(driver::alias(calls.recv(rank)));
    results.emplace_back(at, at + 5000);
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST(GpuMemory, TellsKindsApartAndCopies) {
  Application application;
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const cerar_memory_kind_t kinds[] = {CERAR_MEMORY_HOST,   CERAR_MEMORY_HOST,
                                       CERAR_MEMORY_DEVICE, CERAR_MEMORY_DEVICE,
                                       CERAR_MEMORY_DEVICE, CERAR_MEMORY_MANAGED};
  for (std::size_t i = 0; i < std::size(kEverywhere); ++i) {
    Buffer<double> from(kEverywhere[i], values.size());
    cerar_memory_kind_t kind;
    ASSERT_EQ(cerar_memory_kind(from.data() + 2, &kind), CERAR_OK);
    EXPECT_EQ(kind, kinds[i]);
    from.write(values);
    for (const Where where : kEverywhere) {
      Buffer<double> to(where, values.size());
      ASSERT_EQ(cerar_memory_copy(to.data(), from.data(), values.size() * sizeof(double)),
                CERAR_OK);
      EXPECT_EQ(to.read(), values);
    }
  }
  cerar_memory_kind_t kind = CERAR_MEMORY_DEVICE;
  EXPECT_EQ(cerar_memory_kind(nullptr, &kind), CERAR_OK);
  EXPECT_EQ(kind, CERAR_MEMORY_HOST);
}

// UCX initialises the driver in every process that it finds one for.
TEST(GpuMemory, IsTheHostsWhereTheProcessHasNoContext) {
  driver::configure({});
  must(driver::cuInit(0));
  ASSERT_EQ(Application::current(), nullptr);
  cerar_memory_kind_t kind = CERAR_MEMORY_DEVICE;
  EXPECT_EQ(cerar_memory_kind(&kind, &kind), CERAR_OK) << cerar_last_error();
  EXPECT_EQ(kind, CERAR_MEMORY_HOST);
  EXPECT_EQ(driver::held().retained, 0u) << "a context was made";
}

TEST(GpuMemory, IsKnownToThreadsWithoutAContext) {
  Application application;
  const api::Context context = Application::current();
  const Buffer<float> buffers[] = {{Where::other_device, 4}, {Where::managed, 4}, {Where::host, 4}};
  const std::size_t retained = driver::held().retained;
  std::thread([&] {
    const Kind kinds[] = {Kind::device, Kind::managed, Kind::host};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(classify(buffers[i].data()), kinds[i]) << i;
    EXPECT_EQ(Application::current(), nullptr);
  }).join();
  EXPECT_EQ(driver::held().retained, retained);
  EXPECT_EQ(Application::current(), context);
}

TEST(GpuMemory, TellsItsDevicesAddress) {
  Application application;
  const std::string address = "fffe:00:00.0";  // what the stand-in has for its first device
  EXPECT_EQ(device_of(Buffer<float>(Where::device, 4).data()), address);
  EXPECT_EQ(device_of(Buffer<float>(Where::managed, 4).data()), address);
  EXPECT_EQ(device_of(Buffer<float>(Where::host, 4).data()), "");
  EXPECT_EQ(device_of(nullptr), "");
  for (const char* function : {"cuDeviceGetPCIBusId", "cuDeviceGet", "cuPointerGetAttributes"}) {
    const Buffer<float> buffer(Where::device, 4);
    driver::fail(function, 0, api::kLaunchFailed);
    EXPECT_EQ(device_of(buffer.data()), "?") << function;
  }
}

TEST(GpuMemory, IsPartOfALocation) {
  Application application;
  const Buffer<float> buffer(Where::device, 4);
  cerar_location_t location;
  cerar_locate(buffer.data(), &location);
  EXPECT_EQ(location.uses_gpu, 1);
  EXPECT_EQ(location.gpu, -1) << "the stand-in's devices are on no bus of this machine";
  EXPECT_EQ(location.nvlinks_known, 0);
  cerar_locate(nullptr, &location);
  EXPECT_EQ(location.uses_gpu, 0);
}

}  // namespace
}  // namespace cerar::gpu::test
