// Files of rules: what matches, what is refused and where, what a rule changes of a request.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "core/plan/rules.hpp"

namespace cerar::plan {
namespace {

constexpr std::size_t K = 1 << 10, M = 1 << 20;

Rules parse(std::string_view text) { return Rules::parse(text, "rules"); }

// The one rule of a line.
Rule rule_of(std::string_view line) {
  const Rules rules = parse(line);
  EXPECT_EQ(rules.all().size(), 1U) << line;
  return rules.all().at(0);
}

void expect_refused(std::string_view text, const std::string& message) {
  try {
    parse(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const BadRules& refusal) {
    EXPECT_EQ(refusal.what(), message);
  }
}

TEST(Rules, Conditions) {
  const Rule rule = rule_of("ranks 2-16 bytes 256K-64M type float : off");
  EXPECT_EQ(rule.ranks, (Range{2, 16}));
  EXPECT_EQ(rule.bytes, (Range{256 * K, 64 * M}));
  EXPECT_TRUE(rule.floats);
  EXPECT_FALSE(rule.doubles);
  EXPECT_TRUE(rule.matches(2, 256 * K, CERAR_FLOAT));
  EXPECT_TRUE(rule.matches(16, 64 * M, CERAR_FLOAT));
  EXPECT_FALSE(rule.matches(17, M, CERAR_FLOAT));
  EXPECT_FALSE(rule.matches(8, 256 * K - 1, CERAR_FLOAT));
  EXPECT_FALSE(rule.matches(8, 64 * M + 1, CERAR_FLOAT));
  EXPECT_FALSE(rule.matches(8, M, CERAR_DOUBLE));
}

TEST(Rules, OpenAndSingleRanges) {
  EXPECT_EQ(rule_of("ranks 8 : off").ranks, (Range{8, 8}));
  EXPECT_TRUE(rule_of("ranks 8- : off").matches(kMaxRanks, 1, CERAR_DOUBLE));
  EXPECT_FALSE(rule_of("ranks 8- : off").matches(7, 1, CERAR_DOUBLE));
  EXPECT_TRUE(rule_of("bytes 1M-:off").matches(2, std::size_t{1} << 60, CERAR_FLOAT));
  EXPECT_TRUE(rule_of(":off").matches(2, 0, CERAR_FLOAT));
  EXPECT_EQ(rule_of("bytes 1.5K-2G:off").bytes, (Range{1536, 2048 * M}));
  EXPECT_EQ(rule_of("type double bytes 0-9007199254740992 ranks 4:off").bytes.to, 1ULL << 53);
}

TEST(Rules, Actions) {
  EXPECT_EQ(rule_of(": off").action, Action::off);
  EXPECT_EQ(rule_of(": exact").action, Action::exact);
  const Rule tolerance = rule_of(": tolerance 1e-4 segment 32K");
  EXPECT_EQ(tolerance.action, Action::tolerance);
  EXPECT_EQ(tolerance.tolerance, 1e-4);
  EXPECT_EQ(tolerance.segment_bytes, 32 * K);
  const Rule components = rule_of("ranks 4- : components 32 epsilon 0.01 segment 16M");
  EXPECT_EQ(components.action, Action::components);
  EXPECT_EQ(components.components, 32);
  EXPECT_EQ(components.epsilon, 0.01);
  EXPECT_EQ(components.segment_bytes, 16 * M);
  EXPECT_EQ(rule_of(": components 16").epsilon, 0);
  const Rule segment = rule_of(": segment 512");
  EXPECT_EQ(segment.action, Action::parameters);
  EXPECT_EQ(segment.segment_bytes, 512U);
}

TEST(Rules, TheFirstThatMatchesHolds) {
  const Rules rules = parse(
      "# overlapping on purpose\n"
      "bytes 0-64K : off\n"
      "\n"
      "bytes 64K-1M type double : exact # 64K is off\n"
      "bytes 1-2M : tolerance 0.01\n");
  const auto line = [&](std::size_t bytes, cerar_type_t type) {
    const Rule* rule = rules.find(8, bytes, type);
    return rule == nullptr ? 0 : rule->line;
  };
  EXPECT_EQ(line(64 * K, CERAR_DOUBLE), 2);
  EXPECT_EQ(line(64 * K + 8, CERAR_DOUBLE), 4);
  EXPECT_EQ(line(64 * K + 8, CERAR_FLOAT), 5);
  EXPECT_EQ(line(2 * M, CERAR_DOUBLE), 5);
  EXPECT_EQ(line(2 * M + 8, CERAR_DOUBLE), 0);
}

TEST(Rules, NoRules) {
  for (const char* text : {"", "\n\n", "# nothing\n", " \t\r\n#\n", "#"}) {
    const Rules rules = parse(text);
    EXPECT_TRUE(rules.all().empty()) << text;
    EXPECT_EQ(rules.find(2, 1, CERAR_FLOAT), nullptr);
    EXPECT_EQ(rules.hash(), 0U);
  }
}

TEST(Rules, LineEnds) {
  const Rules rules = parse(
      "\xEF\xBB\xBF"
      "ranks 4 : exact\r\n# c\r\n\r\nbytes 1K- : off");
  ASSERT_EQ(rules.all().size(), 2U);
  EXPECT_EQ(rules.all()[0].action, Action::exact);
  EXPECT_EQ(rules.all()[1].line, 4);
  expect_refused(": exact\r\n: of\r\n",
                 "rules:2: got 'of', expected off, exact, tolerance, components or segment");
}

TEST(Rules, SayWhatIsWrongAndWhere) {
  const std::string conditions = "expected ranks, bytes, type, or a colon and an action";
  const std::string ranks = "expected a number of ranks from 2 to 1048576 like 8, 8-16 or 8-";
  const std::string bytes = "expected a number of bytes like 4096, 256K-64M or 1M-";
  const std::string actions = "expected off, exact, tolerance, components or segment";
  expect_refused("exact", "rules:1: got 'exact', " + conditions);
  expect_refused("# c\n\nranks 4\n", "rules:3: the line ends, " + conditions);
  expect_refused("ranks : off", "rules:1: got ':', " + ranks);
  expect_refused("ranks", "rules:1: the line ends, " + ranks);
  for (const std::string text : {"1", "0-4", "4-2", "four", "4.5", "-4", "4-8-16", "4K",
                                 "2-1048577", "99999999999999999999", "1e400", "nan", "4,8"}) {
    expect_refused("ranks " + text + " : off", "rules:1: got '" + text + "', " + ranks);
  }
  for (const std::string text : {"-1", "4-2", "1.5", "10X", "K", "0x10", "1M-2Q", "1e400", "inf",
                                 "9007199254740994", "99999999999999999999999G"}) {
    expect_refused("bytes " + text + " : off", "rules:1: got '" + text + "', " + bytes);
  }
  expect_refused("bytes 1K bytes 2K : off", "rules:1: got 'bytes', expected each condition once");
  expect_refused("type int : off", "rules:1: got 'int', expected float or double");
  expect_refused(":", "rules:1: the line ends, " + actions);
  expect_refused(": on", "rules:1: got 'on', " + actions);
  expect_refused(": : off", "rules:1: got ':', " + actions);
  expect_refused(": off exact", "rules:1: got 'exact', expected nothing after off");
  expect_refused(": exact now", "rules:1: got 'now', expected segment or nothing");
  expect_refused(": tolerance", "rules:1: the line ends, expected 0 to 1");
  expect_refused(": tolerance 1.5", "rules:1: got '1.5', expected 0 to 1");
  expect_refused(": tolerance -1e-3", "rules:1: got '-1e-3', expected 0 to 1");
  expect_refused(": components 8 c", "rules:1: got 'c', expected epsilon, segment or nothing");
  expect_refused(": components 8 epsilon 1", "rules:1: got '1', expected a number between 0 and 1");
  for (const std::string text : {"511", "17M", "0", "64KX", "1e400"}) {
    expect_refused(": segment " + text, "rules:1: got '" + text + "', expected 512 to 16M");
  }
  expect_refused(": segment 1K 2K", "rules:1: got '2K', expected nothing after the segment's size");
}

TEST(Rules, WhatIsNoTextIsNotRepeated) {
  expect_refused(std::string_view("\x1b[2J\0 \xff : off", 12),
                 "rules:1: got '?[2J?', expected ranks, bytes, type, or a colon and an action");
  expect_refused(std::string(100, 'x'), "rules:1: got '" + std::string(40, 'x') +
                                            "...', expected ranks, bytes, type, or a colon and an "
                                            "action");
}

TEST(Rules, ComponentsArePossibleOnAllTheirRanks) {
  EXPECT_EQ(rule_of("ranks 3-8 : components 24").components, 24);
  for (const std::string text : {"25", "0", "-1", "2.5", "1e10", "many"}) {
    expect_refused(
        "ranks 3-8 : components " + text,
        "rules:1: got '" + text +
            "', expected 1 to 24 components (8 a rank, and the rule is for 3 ranks too)");
  }
  expect_refused(": components 17",
                 "rules:1: got '17', expected 1 to 16 components (8 a rank, and the rule is for 2 "
                 "ranks too)");
}

TEST(Rules, HashOfWhatTheySay) {
  const auto hash = [](const char* text) { return parse(text).hash(); };
  const auto one = hash("ranks 4 bytes 64K- : components 8");
  EXPECT_EQ(one, hash("# other words\n\nbytes 65536- ranks 4-4: components 8 # c\r\n"));
  for (const char* other :
       {"ranks 5 bytes 64K- : components 8", "ranks 4 bytes 65K- : components 8",
        "ranks 4 bytes 64K-1G : components 8", "ranks 4 bytes 64K- type float : components 8",
        "ranks 4 bytes 64K- : components 9", "ranks 4 bytes 64K- : components 8 epsilon 0.1",
        "ranks 4 bytes 64K- : components 8 segment 1K", "ranks 4 bytes 64K- : exact",
        "ranks 4 bytes 64K- : tolerance 0.1", "ranks 4 bytes 64K- : tolerance 0",
        "ranks 4 bytes 64K- : off", "ranks 4 bytes 64K- : components 8\n: off"}) {
    EXPECT_NE(one, hash(other)) << other;
  }
  EXPECT_NE(hash(": off\nranks 4 : exact"), hash("ranks 4 : exact\n: off"));
  EXPECT_EQ(hash(": tolerance 0"), hash(": tolerance -0"));
}

TEST(Rules, ChangeTheRequest) {
  Request otherwise;
  otherwise.ranks = 4;
  otherwise.tolerance = 1e-3;
  otherwise.design = Design::exact;
  otherwise.components = 3;
  otherwise.epsilon = 0.1;
  otherwise.segment_bytes = 4096;
  const auto applied = [&](const char* line) { return apply(rule_of(line), otherwise, {}); };

  const Request exact = applied(": exact");
  EXPECT_EQ(exact.tolerance, 0);
  EXPECT_EQ(exact.components, 0);
  EXPECT_EQ(exact.segment_bytes, 4096U);
  const Request tolerance = applied(": tolerance 0.01 segment 1K");
  EXPECT_EQ(tolerance.tolerance, 0.01);
  EXPECT_EQ(tolerance.components, 0);
  EXPECT_EQ(tolerance.epsilon, 0);
  EXPECT_EQ(tolerance.design, Design::exact);
  EXPECT_EQ(tolerance.segment_bytes, 1024U);
  const Request components = applied(": components 8");
  EXPECT_EQ(components.components, 8);
  EXPECT_EQ(components.epsilon, 0);
  EXPECT_EQ(components.design, Design::automatic);
  EXPECT_EQ(components.tolerance, 1e-3);
  EXPECT_NO_THROW(check(components));
  Request segment = applied(": segment 1K");
  EXPECT_EQ(segment.segment_bytes, 1024U);
  segment.segment_bytes = 4096;
  EXPECT_EQ(segment, otherwise);
}

TEST(Rules, KeepATolerance) {
  Request otherwise;
  otherwise.ranks = 4;
  otherwise.tolerance = 1e-6;
  const auto applied = [&](const char* line) {
    return apply(rule_of(line), otherwise, {.tolerance = true});
  };
  EXPECT_EQ(applied(": components 16"), otherwise);
  EXPECT_EQ(applied(": tolerance 0.1"), otherwise);
  EXPECT_EQ(applied(": exact").tolerance, 0);
  EXPECT_EQ(applied(": tolerance 0.1 segment 1K").segment_bytes, 1024U);
}

TEST(Rules, KeepNamedComponents) {
  Request otherwise;
  otherwise.ranks = 4;
  otherwise.tolerance = 1e-3;
  otherwise.components = 8;
  const auto applied = [&](const char* line) {
    return apply(rule_of(line), otherwise, {.components = true});
  };
  EXPECT_EQ(applied(": components 16 epsilon 0.1"), otherwise);
  EXPECT_EQ(applied(": tolerance 0.1"), otherwise);
  EXPECT_EQ(applied(": exact"), otherwise);
  EXPECT_EQ(applied(": exact segment 1K").segment_bytes, 1024U);
}

TEST(Rules, NameNoComponentsWhereNoneAreKept) {
  Request otherwise;
  otherwise.ranks = 4;
  otherwise.tolerance = 1e-3;
  const auto applied = [&](const char* line) {
    return apply(rule_of(line), otherwise, {.components = true});
  };
  EXPECT_EQ(applied(": components 16"), otherwise);
  EXPECT_EQ(applied(": tolerance 0.1").tolerance, 0.1);
  EXPECT_EQ(applied(": exact").tolerance, 0);
}

TEST(Rules, KeepSegments) {
  Request otherwise;
  otherwise.ranks = 4;
  otherwise.segment_bytes = 4096;
  const Kept kept{.segment = true};
  EXPECT_EQ(apply(rule_of(": segment 1K"), otherwise, kept), otherwise);
  EXPECT_EQ(apply(rule_of(": components 8 segment 1K"), otherwise, kept).segment_bytes, 4096U);
  EXPECT_EQ(apply(rule_of(": components 8 segment 1K"), otherwise, kept).components, 8);
}

TEST(Rules, Files) {
  const std::string file = testing::TempDir() + "plan_rules_test.rules";
  std::ofstream(file) << "# a file\nranks 4 : exact\n: of\n";
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      Rules::read(name);
      return "";
    } catch (const BadRules& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(file), file +
                               ":3: got 'of', expected off, exact, tolerance, components or "
                               "segment");
  std::ofstream(file) << "ranks 4 : exact\n";
  EXPECT_EQ(Rules::read(file).all().size(), 1U);
  std::ofstream(file) << std::string(1 << 20, '\n');
  EXPECT_TRUE(Rules::read(file).all().empty());
  std::ofstream(file) << std::string((1 << 20) + 1, '\n');
  EXPECT_EQ(refusal(file), file + ": longer than 1 MiB");
  std::remove(file.c_str());
  EXPECT_EQ(refusal(file), file + ": No such file or directory");
  EXPECT_EQ(refusal(testing::TempDir()), testing::TempDir() + ": Is a directory");
}

}  // namespace
}  // namespace cerar::plan
