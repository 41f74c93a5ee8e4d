#include "core/plan/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/hash.hpp"
#include "core/plan/units.hpp"

namespace cerar::plan {
namespace {

constexpr std::size_t kLongestFile = 1 << 20;
constexpr std::uint64_t kMinSegment = 512, kMaxSegment = 16 << 20;
constexpr std::string_view kBlanks = " \t\r\v\f";

constexpr const char* kConditions = "ranks, bytes, type, or a colon and an action";
constexpr const char* kActions = "off, exact, tolerance, components or segment";
constexpr const char* kSegment = "512 to 16M";

// Files that aren't text must not do things to a terminal.
std::string printable(std::string_view word) {
  constexpr std::size_t most = 40;
  std::string text(word.substr(0, most));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return word.size() > most ? text + "..." : text;
}

// What is wrong with a line, without where it is.
[[noreturn]] void refuse(std::string_view got, std::string_view expected) {
  if (got.empty()) throw BadRules(fmt::format("the line ends, expected {}", expected));
  throw BadRules(fmt::format("got '{}', expected {}", printable(got), expected));
}

// A line's words. A colon is one of its own.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  // "" at the end.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    std::size_t length = std::min(rest_.find_first_of(" \t\r\v\f:"), rest_.size());
    if (length == 0 && !rest_.empty()) length = 1;  // the colon
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  std::string_view rest_;
};

// All of the text as a number; false if it is none.
bool read_number(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

bool read_bytes(std::string_view text, std::uint64_t& value) {
  try {
    value = parse_bytes(text);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool read_ranks(std::string_view text, std::uint64_t& value) {
  double number = 0;
  if (!read_number(text, number) || number < 2 || number > kMaxRanks) return false;
  value = static_cast<std::uint64_t>(number);
  return number == std::floor(number);
}

// "4-16", "4-" (and more), "4" (that alone).
template <class ReadEnd>
Range read_range(std::string_view text, ReadEnd read_end, const char* expected) {
  Range range;
  const std::size_t dash = text.find('-');
  if (!read_end(text.substr(0, dash), range.from)) refuse(text, expected);
  if (dash == std::string_view::npos) {
    range.to = range.from;
  } else if (dash + 1 < text.size() && !read_end(text.substr(dash + 1), range.to)) {
    refuse(text, expected);
  }
  if (range.to < range.from) refuse(text, expected);
  return range;
}

void read_type(std::string_view text, Rule& rule) {
  if (text != "float" && text != "double") refuse(text, "float or double");
  rule.floats = text == "float";
  rule.doubles = text == "double";
}

// Up to the colon.
void read_conditions(Words& words, Rule& rule) {
  std::vector<std::string_view> seen;
  for (std::string_view word = words.next(); word != ":"; word = words.next()) {
    if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
      refuse(word, "each condition once");
    }
    seen.push_back(word);
    if (word == "ranks") {
      rule.ranks = read_range(words.next(), read_ranks,
                              "a number of ranks from 2 to 1048576 like 8, 8-16 or 8-");
    } else if (word == "bytes") {
      rule.bytes =
          read_range(words.next(), read_bytes, "a number of bytes like 4096, 256K-64M or 1M-");
    } else if (word == "type") {
      read_type(words.next(), rule);
    } else {
      refuse(word, kConditions);
    }
  }
}

double read_real(std::string_view text, bool (*in_range)(double), const char* expected) {
  double value = 0;
  if (!read_number(text, value) || !in_range(value)) refuse(text, expected);
  return value;
}

// c must be possible on the fewest ranks that the rule is for.
int read_components(std::string_view text, const Rule& rule) {
  const std::uint64_t fewest = std::max<std::uint64_t>(rule.ranks.from, 2);
  const std::uint64_t most = CERAR_MAX_COMPONENTS_PER_RANK * fewest;
  double value = 0;
  if (!read_number(text, value) || value < 1 || value > static_cast<double>(most) ||
      value != std::floor(value)) {
    refuse(text, fmt::format("1 to {} components (8 a rank, and the rule is for {} ranks too)",
                             most, fewest));
  }
  return static_cast<int>(value);
}

std::size_t read_segment(std::string_view text) {
  std::uint64_t value = 0;
  if (!read_bytes(text, value) || value < kMinSegment || value > kMaxSegment) {
    refuse(text, kSegment);
  }
  return value;
}

// Returns the word after what it reads.
std::string_view read_code(std::string_view word, Words& words, Rule& rule) {
  if (word == "exact") {
    rule.action = Action::exact;
  } else if (word == "tolerance") {
    rule.action = Action::tolerance;
    rule.tolerance = read_real(
        words.next(), [](double x) { return x >= 0 && x <= 1; }, "0 to 1");
  } else if (word == "components") {
    rule.action = Action::components;
    rule.components = read_components(words.next(), rule);
    word = words.next();
    if (word != "epsilon") return word;
    rule.epsilon = read_real(
        words.next(), [](double x) { return x > 0 && x < 1; }, "a number between 0 and 1");
  } else {
    rule.action = Action::parameters;
    return word;
  }
  return words.next();
}

void read_action(Words& words, Rule& rule) {
  std::string_view word = words.next();
  if (word == "off") {
    rule.action = Action::off;
    word = words.next();
    if (!word.empty()) refuse(word, "nothing after off");
    return;
  }
  word = read_code(word, words, rule);
  if (word == "segment") {
    rule.segment_bytes = read_segment(words.next());
    word = words.next();
    if (!word.empty()) refuse(word, "nothing after the segment's size");
  } else if (rule.action == Action::parameters) {
    refuse(word, kActions);
  } else if (!word.empty()) {
    refuse(word, rule.action == Action::components ? "epsilon, segment or nothing"
                                                   : "segment or nothing");
  }
}

bool has_words(std::string_view line) {
  return line.find_first_not_of(kBlanks) != std::string_view::npos;
}

Rule read_rule(std::string_view line, int number) {
  Words words(line);
  Rule rule;
  rule.line = number;
  read_conditions(words, rule);
  read_action(words, rule);
  return rule;
}

std::string content_of(const std::string& file) {
  const auto refuse_file = [&](const char* why) -> void {
    throw BadRules(fmt::format("{}: {}", file, why));
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "re"),
                                                         std::fclose);
  if (!stream) refuse_file(std::strerror(errno));
  std::string text(kLongestFile + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get())) refuse_file(std::strerror(errno));
  if (text.size() > kLongestFile) refuse_file("longer than 1 MiB");
  return text;
}

}  // namespace

Rules Rules::parse(std::string_view text, const std::string& name) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // which some editors begin a file with
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  Rules rules;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    if (!has_words(line)) continue;
    try {
      rules.rules_.push_back(read_rule(line, number));
    } catch (const BadRules& error) {
      throw BadRules(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return rules;
}

Rules Rules::read(const std::string& file) { return parse(content_of(file), file); }

const Rule* Rules::find(int ranks, std::size_t bytes, cerar_type_t type) const {
  const auto rule = std::find_if(rules_.begin(), rules_.end(),
                                 [&](const Rule& r) { return r.matches(ranks, bytes, type); });
  return rule == rules_.end() ? nullptr : &*rule;
}

std::uint64_t Rules::hash() const {
  if (rules_.empty()) return 0;
  Hash hash;
  for (const Rule& rule : rules_) {
    for (const Range& range : {rule.ranks, rule.bytes}) {
      hash.add(range.from);
      hash.add(range.to);
    }
    hash.add(std::uint64_t{rule.floats} * 2 + rule.doubles);
    hash.add(static_cast<std::uint64_t>(rule.action));
    hash.add(rule.tolerance);
    hash.add(static_cast<std::uint64_t>(rule.components));
    hash.add(rule.epsilon);
    hash.add(std::uint64_t{rule.segment_bytes});
  }
  return std::max<std::uint64_t>(hash.value() >> 11, 1);
}

Request apply(const Rule& rule, Request otherwise, const Kept& kept) {
  Request request = otherwise;
  if (rule.segment_bytes != 0 && !kept.segment) request.segment_bytes = rule.segment_bytes;
  const bool names_components = rule.action == Action::components;
  if (rule.action == Action::parameters) return request;
  if (kept.components && (request.components != 0 || names_components)) return request;
  if (kept.tolerance && rule.action != Action::exact) return request;
  request.components = rule.components;
  request.epsilon = rule.epsilon;
  if (names_components) {
    request.design = Design::automatic;
  } else {
    request.tolerance = rule.tolerance;
  }
  return request;
}

}  // namespace cerar::plan
