// What cerar_tune makes of timings: the search, the choices, the rules, the chart, and its options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/tune_candidates.hpp"
#include "bench/tune_chart.hpp"
#include "bench/tune_options.hpp"
#include "bench/tune_progress.hpp"
#include "bench/tune_rules.hpp"
#include "bench/tune_search.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/rules.hpp"

namespace cerar::tune {
namespace {

constexpr std::size_t K = 1024, M = 1024 * K;
constexpr Configuration kOwn{};

Measured measured(std::size_t bytes, std::vector<Timing> timings) {
  return {bytes, std::move(timings)};
}

Timing timed(Configuration configuration, double seconds) { return {configuration, seconds, true}; }

std::vector<int> components_of(const std::vector<Configuration>& choices) {
  std::vector<int> components;
  for (const Configuration& choice : choices) components.push_back(choice.components);
  return components;
}

TEST(Choice, IsTheFastest) {
  const auto choices =
      choose({measured(64 * K, {timed(kOwn, 1), timed({8, 16 * K}, 2), timed({16, 16 * K}, 3)}),
              measured(1 * M, {timed(kOwn, 5), timed({8, 16 * K}, 4), timed({16, 16 * K}, 3)})});
  EXPECT_EQ(components_of(choices), (std::vector<int>{0, 16}));
}

TEST(Choice, ChangesOnlyForMoreThanTheSlack) {
  const Configuration a{8, 16 * K}, b{8, 32 * K};
  const auto with = [&](double second) {
    return choose({measured(1 * M, {timed(kOwn, 9), timed(a, 1), timed(b, 1.5)}),
                   measured(2 * M, {timed(kOwn, 9), timed(a, second), timed(b, 2)}),
                   measured(4 * M, {timed(kOwn, 9), timed(a, 4), timed(b, 4.5)})});
  };
  EXPECT_EQ(with(2.03), (std::vector<Configuration>{a, a, a}));  // b is faster, by 1.5%
  EXPECT_EQ(with(2.05), (std::vector<Configuration>{a, b, a}));
}

TEST(Choice, PrefersOwnAmongEquals) {
  const Configuration a{8, 16 * K};
  EXPECT_EQ(choose({measured(1 * M, {timed(a, 1), timed(kOwn, 1.019)})}).front(), kOwn);
  EXPECT_EQ(choose({measured(1 * M, {timed(a, 1), timed(kOwn, 1.021)})}).front(), a);
  // But not at the price of another change.
  EXPECT_EQ(choose({measured(1 * M, {timed(a, 1), timed(kOwn, 1)}),
                    measured(2 * M, {timed(a, 1), timed(kOwn, 2)})}),
            (std::vector<Configuration>{a, a}));
}

TEST(Choice, OfTiesIsTheFirstTimed) {
  const Configuration a{8, 16 * K}, b{16, 16 * K};
  EXPECT_EQ(choose({measured(1 * M, {timed(kOwn, 5), timed(b, 1), timed(a, 1)})}).front(), b);
}

TEST(Choice, LeavesOutWhatWasNotTimedToTheEnd) {
  const Configuration a{8, 16 * K}, b{16, 16 * K};
  EXPECT_EQ(choose({measured(1 * M, {timed(kOwn, 5), {b, 0.5, false}, timed(a, 1)})}).front(), a);
  EXPECT_THROW(choose({measured(1 * M, {{b, 0.5, false}})}), std::logic_error);
}

// No choice is slower than the slack, and no other sequence has fewer changes: by trying all.
TEST(Choice, HasTheFewestChanges) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<Configuration> all{kOwn, {8, 16 * K}, {16, 16 * K}, {16, 32 * K}};
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Measured> sizes;
    for (std::size_t bytes = 64 * K; bytes <= 2 * M; bytes *= 2) {
      sizes.push_back({bytes, {}});
      for (const auto& configuration : all) {
        const double seconds = std::uniform_int_distribution<>(100, 104)(random);
        sizes.back().timings.push_back(timed(configuration, seconds));
      }
    }
    const auto good = [&](std::size_t at, const Configuration& choice) {
      double least = INFINITY;
      for (const Timing& timing : sizes[at].timings) least = std::min(least, timing.seconds);
      return find(sizes[at], choice)->seconds <= (1 + kSlack) * least;
    };
    // fewest[k]: changes on the way to a last choice of k.
    std::vector<int> fewest(all.size(), 0);
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      const int least = *std::min_element(fewest.begin(), fewest.end());
      for (std::size_t k = 0; k < all.size(); ++k) {
        fewest[k] = good(at, all[k]) ? std::min(fewest[k], least + (at > 0)) : 1000;
      }
    }
    const auto choices = choose(sizes);
    ASSERT_EQ(choices.size(), sizes.size());
    int changes = 0;
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      EXPECT_TRUE(good(at, choices[at]));
      changes += at > 0 && choices[at] != choices[at - 1];
    }
    EXPECT_EQ(changes, *std::min_element(fewest.begin(), fewest.end()));
  }
}

// Own, exact, own again, coded: noise needn't be monotone.
std::vector<Measured> up_and_down() {
  const Configuration exact{8, 16 * K}, coded{16, 512};
  return {measured(64 * K, {timed(kOwn, 1e-3), timed(exact, 2e-3)}),
          measured(128 * K, {timed(kOwn, 3e-3), timed(exact, 2e-3)}),
          measured(256 * K, {timed(kOwn, 3e-3), timed(exact, 4e-3), {{1, 4 * K}, 9e-3, false}}),
          measured(512 * K, {timed(kOwn, 6e-3), timed(exact, 5e-3), timed(coded, 4e-3)}),
          measured(1024 * K, {timed(kOwn, 12e-3), timed(exact, 10e-3), timed(coded, 8e-3)})};
}

const Facts kFacts{8, 1e-3, "2026-12-02"};

std::string rules_without_comments(const std::string& text) {
  std::string rules;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    if (text[at] != '#') rules += text.substr(at, end + 1 - at);
  }
  return rules;
}

TEST(RulesText, MergesSizesAndGoesUpToTheMiddle) {
  const std::string text = rules_text({{CERAR_FLOAT, up_and_down()}}, kFacts);
  EXPECT_EQ(rules_without_comments(text),
            "ranks 8 bytes 0-92681 type float : off\n"
            "ranks 8 bytes 92682-185363 type float : exact segment 16K\n"
            "ranks 8 bytes 185364-370727 type float : off\n"
            "ranks 8 bytes 370728- type float : components 16 segment 512\n");
  EXPECT_NE(text.find("# Made by cerar_tune, 2026-12-02: 8 ranks, relative error up to 0.001.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# float     128 KiB      3 ms      2 ms   1.50  exact segment 16K\n"),
            std::string::npos)
      << text;
}

TEST(RulesText, LeavesWhatIsBelowToParametersUnlessOff) {
  const Configuration coded{16, 16 * K};
  const std::string text =
      rules_text({{CERAR_DOUBLE, {measured(64 * K, {timed(kOwn, 2), timed(coded, 1)})}}}, kFacts);
  EXPECT_EQ(rules_without_comments(text),
            "ranks 8 bytes 65536- type double : components 16 segment 16K\n");
}

TEST(RulesText, IsReadAsItIsMeant) {
  const std::vector<Sweep> sweeps{
      {CERAR_FLOAT, up_and_down()},
      {CERAR_DOUBLE, {measured(1 * M, {timed(kOwn, 2), timed({64, 1 * M}, 1)})}}};
  const auto rules = plan::Rules::parse(rules_text(sweeps, kFacts), "rules");
  const auto action = [&](int ranks, std::size_t bytes, cerar_type_t type) {
    const plan::Rule* rule = rules.find(ranks, bytes, type);
    return rule == nullptr ? -1 : static_cast<int>(rule->action);
  };
  EXPECT_EQ(action(8, 4, CERAR_FLOAT), static_cast<int>(plan::Action::off));
  EXPECT_EQ(action(8, 92681, CERAR_FLOAT), static_cast<int>(plan::Action::off));
  EXPECT_EQ(action(8, 92682, CERAR_FLOAT), static_cast<int>(plan::Action::exact));
  EXPECT_EQ(action(8, 1 << 30, CERAR_FLOAT), static_cast<int>(plan::Action::components));
  EXPECT_EQ(action(7, 1 * M, CERAR_FLOAT), -1);
  EXPECT_EQ(action(9, 1 * M, CERAR_FLOAT), -1);
  EXPECT_EQ(action(8, 1 * M - 1, CERAR_DOUBLE), -1);
  EXPECT_EQ(rules.find(8, 1 * M, CERAR_DOUBLE)->components, 64);
  EXPECT_EQ(rules.find(8, 1 * M, CERAR_DOUBLE)->segment_bytes, 1 * M);
}

// What no rule can say.
TEST(RulesText, IsNotMadeOfWhatRulesCannotSay) {
  const auto text = [](const Configuration& configuration) {
    return rules_text({{CERAR_FLOAT, {measured(1 * M, {timed(kOwn, 2), timed(configuration, 1)})}}},
                      kFacts);
  };
  EXPECT_THROW(text({65, 16 * K}), plan::BadRules);
  EXPECT_THROW(text({8, 100}), plan::BadRules);
}

// A machine whose times are a function of the configuration.
class Machine : public Stopwatch {
 public:
  explicit Machine(std::function<double(const Configuration&)> seconds)
      : seconds_(std::move(seconds)) {}
  std::vector<double> medians(const std::vector<Configuration>& configurations,
                              int rounds) override {
    std::vector<double> medians;
    for (const auto& configuration : configurations) {
      medians.push_back(seconds_(configuration));
      calls += rounds;
    }
    stages.push_back(configurations);
    return medians;
  }
  bool in_time() override { return in_time_; }

  int calls = 0;
  bool in_time_ = true;
  std::vector<std::vector<Configuration>> stages;

 private:
  std::function<double(const Configuration&)> seconds_;
};

SearchSpace space() {
  SearchSpace space;
  space.bytes = 4 * M;
  space.components = {1, 4, 8, 12};
  for (const int c : space.components) space.segments[c] = {16 * K};
  space.iterations = 11;
  return space;
}

// Best at c = 8 and 128 KiB, 1 s.
double valley(const Configuration& configuration) {
  if (configuration.own()) return 3;
  const double segments = std::log2(static_cast<double>(configuration.segment_bytes) / (128 * K));
  return (1 + 0.1 * std::abs(segments)) * (1 + std::abs(configuration.components - 8) / 40.0);
}

TEST(Search, FindsTheBestSegmentOfTheBestCode) {
  Machine machine(valley);
  const Measured measured = search(space(), machine);
  EXPECT_EQ(fastest(measured).configuration, (Configuration{8, 128 * K}));
  EXPECT_EQ(measured.bytes, 4 * M);
  for (const int c : {0, 1, 4, 8, 12}) {
    EXPECT_TRUE(std::any_of(measured.timings.begin(), measured.timings.end(), [&](const Timing& t) {
      return t.configuration.components == c;
    })) << c;
  }
  // Each configuration once.
  for (const Timing& timing : measured.timings) {
    EXPECT_EQ(
        std::count_if(measured.timings.begin(), measured.timings.end(),
                      [&](const Timing& t) { return t.configuration == timing.configuration; }),
        1);
  }
}

TEST(Search, TimesOnlyTheBestToTheEnd) {
  Machine machine(valley);
  const Measured measured = search(space(), machine);
  EXPECT_LE(machine.stages.back().size(), 3U);
  EXPECT_FALSE(find(measured, kOwn)->final);  // three times as slow
  EXPECT_FALSE(find(measured, Configuration{1, 16 * K})->final);
}

TEST(Search, TimesTheNeighboursChoiceToo) {
  SearchSpace with = space();
  with.neighbour = Configuration{4, 2 * K};
  Machine machine(valley);
  const Measured measured = search(with, machine);
  const Timing* neighbour = find(measured, *with.neighbour);
  ASSERT_NE(neighbour, nullptr);
  EXPECT_TRUE(neighbour->final);
}

TEST(Search, EndsWithoutTimeForSegments) {
  Machine machine(valley);
  machine.in_time_ = false;
  const Measured measured = search(space(), machine);
  EXPECT_EQ(machine.stages.size(), 2U);
  EXPECT_EQ(fastest(measured).configuration, (Configuration{8, 16 * K}));
}

TEST(Search, LeavesSegmentsAboveAPacketAlone) {
  SearchSpace small = space();
  small.bytes = 32 * K;
  Machine machine([](const Configuration& c) { return c.own() ? 9.0 : 1.0 / c.segment_bytes; });
  const Measured measured = search(small, machine);
  for (const Timing& timing : measured.timings) {
    const auto [c, segment] = timing.configuration;
    if (c == 0 || segment == 16 * K) continue;
    EXPECT_LE(segment * static_cast<std::size_t>(c), 2 * small.bytes) << c;
  }
}

TEST(Search, KnowsWhereOwnIsTheBest) {
  Machine machine([](const Configuration& c) { return c.own() ? 0.5 : valley(c); });
  EXPECT_EQ(fastest(search(space(), machine)).configuration, kOwn);
}

TEST(Candidates, KeepTheTolerance) {
  for (const double tolerance : {1.0, 1e-2, 1e-3, 1e-5, 1e-12, 0.0}) {
    for (const auto type : {CERAR_FLOAT, CERAR_DOUBLE}) {
      for (const int ranks : {2, 3, 4, 8}) {
        const auto components = components_for(ranks, type, tolerance);
        EXPECT_NE(std::find(components.begin(), components.end(), ranks), components.end());
        EXPECT_TRUE(std::is_sorted(components.begin(), components.end()));
        for (const int c : components) {
          if (c == ranks) continue;
          plan::Request request;
          request.ranks = ranks;
          request.type = type;
          request.bytes = 1 * M;
          request.components = c;
          EXPECT_LE(plan::margin(request) * plan::choose(request).error.total(), tolerance) << c;
        }
      }
    }
  }
  EXPECT_EQ(components_for(8, CERAR_FLOAT, 1e-3), (std::vector<int>{1, 2, 4, 8, 16}));
  EXPECT_EQ(components_for(8, CERAR_DOUBLE, 0), (std::vector<int>{8}));
}

TEST(Candidates, HaveSegmentsToBeginWith) {
  for (const bool one_node : {true, false}) {
    const auto segments = first_segments({4, 8}, 4, CERAR_FLOAT, 1 * M, one_node);
    for (const int c : {4, 8}) {
      EXPECT_EQ(segments.at(c).front(), one_node ? 256 * K : 16 * K);
      for (const std::size_t bytes : segments.at(c)) EXPECT_GE(bytes, 512U);
    }
  }
}

TEST(Candidates, AreDroppedAfterTwoLosses) {
  Dropper dropper(8);
  std::vector<int> components{1, 4, 8, 16};
  const auto next = [&](double one, double four, double sixteen) {
    dropper.drop(measured(1 * M, {timed(kOwn, 1), timed({1, 1 * K}, one), timed({4, 1 * K}, four),
                                  timed({4, 2 * K}, 9), timed({16, 1 * K}, sixteen)}),
                 components);
    return components;
  };
  EXPECT_EQ(next(2, 2, 2), (std::vector<int>{1, 4, 8, 16}));
  EXPECT_EQ(next(1.2, 2, 2), (std::vector<int>{1, 8, 16}));  // more components than ranks stay
  EXPECT_EQ(next(2, 2, 2), (std::vector<int>{1, 8, 16}));
  EXPECT_EQ(next(2, 2, 2), (std::vector<int>{8, 16}));
}

// Elements are closed in order, attributes are quoted, and nothing is left over.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = svg.find('<', at)) != std::string::npos) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    EXPECT_EQ(tag.find('<'), std::string::npos) << tag;
    const std::string name =
        tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find('&'), std::string::npos);
}

TEST(Chart, IsAnSvgOfAllCurves) {
  const std::string svg =
      chart({{CERAR_FLOAT, up_and_down()}, {CERAR_DOUBLE, up_and_down()}}, kFacts);
  expect_well_formed(svg);
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  for (const char* label : {"8 ranks, float", "8 ranks, double", "Open MPI's own", "c = 8, exact",
                            "c = 16<", "chosen", "64 KiB", "1 MiB", "time of a call"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  for (const char* wrong : {"nan", "inf"}) EXPECT_EQ(svg.find(wrong), std::string::npos);
}

TEST(Chart, OfOneSize) {
  const std::string svg =
      chart({{CERAR_FLOAT, {measured(1 * M, {timed(kOwn, 1), timed({8, 1 * K}, 1)})}}}, kFacts);
  expect_well_formed(svg);
  for (const char* wrong : {"nan", "inf"}) EXPECT_EQ(svg.find(wrong), std::string::npos);
}

TEST(TuneOptions, HaveDefaults) {
  plan::Ending ending;
  const auto options = parse_arguments({}, ending);
  ASSERT_TRUE(options.has_value());
  const Settings& settings = options->settings;
  EXPECT_EQ(settings.tolerance, plan::kDefaultTolerance);
  EXPECT_TRUE(settings.floats && !settings.doubles);
  EXPECT_EQ(settings.sizes().front(), 32 * K);
  EXPECT_EQ(settings.sizes().back(), 32 * M);
  EXPECT_EQ(settings.sizes().size(), 11U);
}

TEST(TuneOptions, AreTaken) {
  plan::Ending ending;
  const auto options =
      parse_arguments({"--type", "both", "--min-bytes", "1001", "--max-bytes", "20000", "--factor",
                       "4", "--tolerance", "1e-5", "--iterations", "3", "--seconds", "7.5",
                       "--output", "a", "--plot", "b", "--quiet"},
                      ending);
  EXPECT_FALSE(options.has_value());  // below 1K
  const auto good =
      parse_arguments({"--type", "both", "--min-bytes", "1027", "--max-bytes", "20000", "--factor",
                       "4", "--tolerance", "1e-5", "--iterations", "3", "--seconds", "7.5",
                       "--output", "a", "--plot", "b", "--quiet"},
                      ending);
  ASSERT_TRUE(good.has_value());
  EXPECT_TRUE(good->settings.floats && good->settings.doubles);
  EXPECT_EQ(good->settings.sizes(), (std::vector<std::size_t>{1024, 4104, 16432}));
  EXPECT_EQ(good->settings.tolerance, 1e-5);
  EXPECT_EQ(good->settings.iterations, 3);
  EXPECT_EQ(good->settings.seconds, 7.5);
  EXPECT_EQ(good->output, "a");
  EXPECT_EQ(good->plot, "b");
  EXPECT_TRUE(good->quiet);
}

TEST(TuneOptions, AreRefused) {
  const auto refusal = [](const std::vector<std::string>& arguments) {
    plan::Ending ending;
    EXPECT_FALSE(parse_arguments(arguments, ending).has_value());
    EXPECT_EQ(ending.status, 2);
    return ending.message.substr(0, ending.message.find('\n'));
  };
  EXPECT_EQ(refusal({"--type", "half"}),
            "cerar_tune: --type: got 'half', expected float, double or both");
  EXPECT_EQ(refusal({"--tolerance", "2"}), "cerar_tune: --tolerance: got '2', expected 0 to 1");
  EXPECT_EQ(refusal({"--tolerance", "-0.1"}),
            "cerar_tune: --tolerance: got '-0.1', expected 0 to 1");
  EXPECT_EQ(refusal({"--factor", "3"}), "cerar_tune: --factor: got '3', expected 2 or 4");
  EXPECT_EQ(refusal({"--iterations", "0"}),
            "cerar_tune: --iterations: got '0', expected 1 to 10000");
  EXPECT_EQ(refusal({"--seconds", "0"}), "cerar_tune: --seconds: got '0', expected 1 to 1000000");
  EXPECT_EQ(refusal({"--min-bytes", "1"}), "cerar_tune: --min-bytes: got '1', expected 1K to 4G");
  EXPECT_EQ(refusal({"--max-bytes", "5G"}),
            "cerar_tune: --max-bytes: got '5G', expected --min-bytes to 4G");
  EXPECT_EQ(refusal({"--min-bytes", "2M", "--max-bytes", "1M"}),
            "cerar_tune: --max-bytes: got '1M', expected --min-bytes to 4G");
  EXPECT_NE(refusal({"--min-bytes", "x"}).find("got 'x'"), std::string::npos);
  EXPECT_NE(refusal({"--colour"}).find("--colour"), std::string::npos);
}

TEST(TuneOptions, TellWhatCannotBeWritten) {
  const std::string there = testing::TempDir() + "tune_test.rules";
  std::remove(there.c_str());
  EXPECT_EQ(why_not_writable(there), "");
  EXPECT_FALSE(std::fopen(there.c_str(), "r"));  // nothing was made
  EXPECT_EQ(why_not_writable("tune_test.rules"), "");
  EXPECT_EQ(why_not_writable(testing::TempDir()), "Is a directory");
  EXPECT_EQ(why_not_writable("/nowhere/at/all"), "no such directory");
}

std::string shown(bool show) {
  std::FILE* stream = std::tmpfile();
  Progress progress(stream, show);
  progress.now("float 64 KiB: call 1 of 2");
  progress.done("float 64 KiB: done");
  std::rewind(stream);
  char text[200] = "";
  const std::size_t length = std::fread(text, 1, sizeof text, stream);
  std::fclose(stream);
  return {text, length};
}

TEST(Progress, IsALineASizeWhereThereIsNoTerminal) {
  EXPECT_EQ(shown(true), "float 64 KiB: done\n");
  EXPECT_EQ(shown(false), "");
}

}  // namespace
}  // namespace cerar::tune
