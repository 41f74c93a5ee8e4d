// Rules that say how to run an all-reduce by its ranks, bytes and type: the file that
// coll_cerar_rules_file names, which docs/rules.md describes. One rule a line:
//
//   [ranks A-B] [bytes A-B] [type float|double] : ACTION
//
// The first rule that matches holds. What none matches is left to who asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/request.hpp"

namespace cerar::plan {

// Both ends belong to it.
struct Range {
  std::uint64_t from = 0;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();

  bool contains(std::uint64_t value) const { return value >= from && value <= to; }
  bool operator==(const Range&) const = default;
};

enum class Action {
  off,         // not by CERAR
  exact,       // tolerance 0
  tolerance,   // the fastest code that keeps it
  components,  // this c, with this ε or the best
  parameters   // whatever code would be chosen without rules
};

struct Rule {
  Range ranks, bytes;
  bool floats = true, doubles = true;  // of which types
  Action action = Action::off;
  double tolerance = 0;
  int components = 0;
  double epsilon = 0;             // 0: the best
  std::size_t segment_bytes = 0;  // 512 … 16 MiB; 0: as without rules
  int line = 0;                   // where it was read, from 1

  bool matches(int n, std::size_t size, cerar_type_t type) const {
    return ranks.contains(static_cast<std::uint64_t>(n)) && bytes.contains(size) &&
           (type == CERAR_FLOAT ? floats : doubles);
  }
};

// A file of rules that can't be used: "FILE:LINE: got 'x', expected y", or "FILE: why".
struct BadRules : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class Rules {
 public:
  // The rules in a text; name is what messages call it. Throws BadRules at the first line that is
  // none.
  static Rules parse(std::string_view text, const std::string& name);
  // The same for a file, of at most 1 MiB.
  static Rules read(const std::string& file);

  // The first that matches a vector of that many bytes on that many ranks; nullptr if none does.
  const Rule* find(int ranks, std::size_t bytes, cerar_type_t type) const;

  const std::vector<Rule>& all() const { return rules_; }

  // The same where the rules are, however they were written; 0 where there are none. Below 2^53, so
  // that a double holds it. FNV-1a.
  std::uint64_t hash() const;

 private:
  std::vector<Rule> rules_;
};

// What rules must not change.
struct Kept {
  bool tolerance = false;   // then they choose no code but an exact one
  bool components = false;  // then they choose none if c is named, and name none if it is 0
  bool segment = false;

  bool operator==(const Kept&) const = default;
};

// What is to be planned where a rule holds that is not off: `otherwise`, with what the rule says
// instead.
Request apply(const Rule& rule, Request otherwise, const Kept& kept);

}  // namespace cerar::plan
