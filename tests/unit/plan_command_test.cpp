// cerar_plan as users have it: its command line, its table, its JSON, its chart.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/plan/options.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/report.hpp"

namespace cerar::plan {
namespace {

struct Output {
  int status;
  std::string text;  // both streams
};

// Tests run where the command was built.
Output run(const std::string& arguments) {
  FILE* pipe = popen(("./cerar_plan " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no pipe");
  Output output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.text.append(buffer, got);
  }
  output.status = WEXITSTATUS(pclose(pipe));
  return output;
}

TEST(Command, PrintsATableAndMarksTheChoice) {
  const Output output =
      run("--ranks 8 --type float --bytes 64M --tolerance 1e-3 --bandwidth 1GB/s --latency 5us");
  // Exact with 1, 2, 4, 8 components, epsilon with q = 1 … 7, constrained with q = 2 … 7.
  EXPECT_EQ(output.status, 0) << output.text;
  std::istringstream lines(output.text);
  int marked = 0, rows = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.find(" KiB") != std::string::npos;
    rows += row;
    if (row && line[0] == '*') {
      ++marked;
      EXPECT_NE(line.find("epsilon"), std::string::npos) << line;
      EXPECT_NE(line.find(" 16 "), std::string::npos) << line;
    }
  }
  EXPECT_EQ(rows, 17);
  EXPECT_EQ(marked, 1);
}

TEST(Command, PrintsJsonThatSaysWhatThePlannerSays) {
  const Output output = run(
      "--ranks 6 --type double --bytes 3MB --tolerance 1e-5 --bandwidth 200Mbit/s --latency 40us "
      "--overhead 3us --combine 8GB/s --max-condition 1e7 --json");
  ASSERT_EQ(output.status, 0) << output.text;
  const auto json = nlohmann::json::parse(output.text);

  Request request;
  request.ranks = 6;
  request.type = CERAR_DOUBLE;
  request.bytes = 3000000;
  request.tolerance = 1e-5;
  request.max_condition = 1e7;
  request.link = {40e-6, 25e6, 1 / 8e9, 3e-6};
  const std::vector<Plan> plans = candidates(request);
  ASSERT_EQ(json["candidates"].size(), plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& one = json["candidates"][i];
    EXPECT_EQ(one["components"], plans[i].spec.components);
    EXPECT_EQ(one["order"], plans[i].order);
    EXPECT_EQ(one["rounds"], plans[i].rounds);
    EXPECT_EQ(one["segment_bytes"], plans[i].segment_bytes);
    EXPECT_EQ(one["chosen"], plans[i].chosen);
    EXPECT_EQ(one["keeps_tolerance"], plans[i].keeps_tolerance);
    EXPECT_EQ(one["construction"], name_of(plans[i].design));
    EXPECT_DOUBLE_EQ(one["seconds"], plans[i].seconds);
    EXPECT_DOUBLE_EQ(one["epsilon"], plans[i].spec.epsilon);
    EXPECT_DOUBLE_EQ(one["traffic_ratio"], plans[i].traffic_ratio);
    // Not to the last digit: valgrind, which may run this program and not the command, computes
    // long double in double precision.
    EXPECT_NEAR(one["condition"], plans[i].condition, 1e-6 * plans[i].condition);
    EXPECT_NEAR(one["error"]["total"], plans[i].error.total(), 1e-6 * plans[i].error.total());
  }
  EXPECT_EQ(json["candidates"][json["choice"].get<std::size_t>()]["chosen"], true);
  EXPECT_EQ(json["request"]["bytes"], 3000000);
  EXPECT_DOUBLE_EQ(json["request"]["link"]["bandwidth"], 25e6);
  EXPECT_DOUBLE_EQ(json["exact"]["seconds"], choice_of(plans).exact_seconds);
}

TEST(Command, SaysIfAnExactAlgorithmIsFaster) {
  EXPECT_NE(run("--bytes 8").text.find("An exact algorithm would be faster: recursive doubling"),
            std::string::npos);
  EXPECT_EQ(run("--bytes 1G --bandwidth 20MB/s").text.find("would be faster"), std::string::npos);
}

TEST(Command, RefusesWrongArgumentsAndSaysWhatItExpected) {
  const std::pair<const char*, const char*> cases[] = {
      {"--ranks 1", "ranks is 1, expected 2 to 1048576"},
      {"--ranks eight", "--ranks"},
      {"--type half", "--type: got 'half', expected float or double"},
      {"--bytes 64Q", "--bytes: got '64Q', expected a number of bytes like"},
      {"--bandwidth 25", "--bandwidth: got '25', expected a rate above 0 like"},
      {"--latency 5", "--latency: got '5', expected a time from 0 like"},
      {"--tolerance 2", "tolerance is 2, expected 0 (exact) to 1"},
      {"--design best", "--design: got 'best', expected auto, exact"},
      {"--max-condition 0.1", "max_condition is 0.1, expected 1 or more"},
      {"--components 100", "components is 100, expected 1 to 64"},
      {"--segment 1", "segment_bytes is 1, expected 512 to 16777216"},
      {"--unknown", "--unknown"},
  };
  for (const auto& [arguments, message] : cases) {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, 2) << arguments;
    EXPECT_NE(output.text.find(message), std::string::npos) << output.text;
    EXPECT_EQ(output.text.rfind("cerar_plan: ", 0), 0U) << output.text;
  }
}

TEST(Command, HelpIsNoError) {
  const Output output = run("--help");
  EXPECT_EQ(output.status, 0);
  EXPECT_NE(output.text.find("--tolerance"), std::string::npos);
}

TEST(Command, DrawsErrorAgainstTraffic) {
  const std::string file = testing::TempDir() + "cerar_plan_test.svg";
  const Output output = run("--ranks 8 --tolerance 1e-3 --plot '" + file + "'");
  ASSERT_EQ(output.status, 0) << output.text;
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  const std::string svg = content.str();
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  for (const char* label : {"relative error", "bytes sent", "c = 16<", "c = 64<", "c = 8, exact",
                            "tolerance 0.001", "the choice"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  std::remove(file.c_str());

  const Output refused = run("--plot /nowhere/at/all.svg");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.text.find("cannot write /nowhere/at/all.svg"), std::string::npos);
}

TEST(Options, HaveDefaults) {
  Ending ending;
  const auto options = parse_options({}, ending);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->request.ranks, 8);
  EXPECT_EQ(options->request.bytes, std::size_t{64} << 20);
  EXPECT_EQ(options->request.tolerance, kDefaultTolerance);
  EXPECT_EQ(options->request.link.bandwidth, LinkModel{}.bandwidth);
  EXPECT_DOUBLE_EQ(options->request.link.latency, LinkModel{}.latency);
  EXPECT_DOUBLE_EQ(options->request.link.message_overhead, LinkModel{}.message_overhead);
  EXPECT_DOUBLE_EQ(options->request.link.combine, LinkModel{}.combine);
}

}  // namespace
}  // namespace cerar::plan
