#include "core/plan/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/plan/units.hpp"

namespace cerar::plan {
namespace {

using Json = nlohmann::ordered_json;

char mark_of(const Plan& plan) {
  if (plan.chosen) return '*';
  return plan.keeps_tolerance ? ' ' : 'x';
}

std::string row(const Plan& plan) {
  const std::string epsilon =
      plan.spec.epsilon == 0 ? "-" : fmt::format("{:.2e}", plan.spec.epsilon);
  const std::string condition = plan.condition == 1 ? "1" : fmt::format("{:.1e}", plan.condition);
  return fmt::format("{} {:<12} {:>6} {:>2} {:>7} {:>8.3f} {:>9} {:>10} {:>9.1e} {:>9} {:>9}\n",
                     mark_of(plan), name_of(plan.design), plan.spec.components, plan.order,
                     plan.rounds, plan.traffic_ratio, epsilon, condition, plan.error.total(),
                     format_seconds(plan.seconds), format_bytes(plan.segment_bytes));
}

std::string heading(const Request& request) {
  const LinkModel& link = request.link;
  return fmt::format(
             "{} ranks, {} of {}, tolerance {:g}\n"
             "link {}, latency {}, overhead {} a message; core {}\n\n",
             request.ranks, format_bytes(request.bytes), name_of(request.type), request.tolerance,
             format_rate(link.bandwidth), format_seconds(link.latency),
             format_seconds(link.message_overhead), format_rate(1 / link.combine)) +
         fmt::format("  {:<12} {:>6} {:>2} {:>7} {:>8} {:>9} {:>10} {:>9} {:>9} {:>9}\n",
                     "construction", "c", "q", "rounds", "traffic", "epsilon", "condition", "error",
                     "time", "segment");
}

std::string closing(const Plan& choice) {
  std::string text =
      "\n* the choice   x beyond the tolerance or the greatest condition\n"
      "traffic: bytes sent over those of the exact ring; error: |result - sum| / |sum|, "
      "predicted\n";
  if (!choice.keeps_tolerance) {
    text += "The components that were named do not keep the tolerance.\n";
  }
  const double times = choice.exact_seconds / choice.seconds;
  if (choice.exact_is_faster) {
    text += fmt::format("An exact algorithm would be faster: {}, {}.\n",
                        name_of(choice.exact_algorithm), format_seconds(choice.exact_seconds));
  } else if (choice.order > 0) {
    text += fmt::format("{:.2f} times as fast as the best exact algorithm ({}, {}).\n", times,
                        name_of(choice.exact_algorithm), format_seconds(choice.exact_seconds));
  }
  return text;
}

Json to_json(const Plan& plan) {
  return {{"construction", name_of(plan.design)},
          {"components", plan.spec.components},
          {"order", plan.order},
          {"rounds", plan.rounds},
          {"traffic", plan.traffic},
          {"traffic_ratio", plan.traffic_ratio},
          {"epsilon", plan.spec.epsilon},
          {"condition", plan.condition},
          {"error",
           {{"total", plan.error.total()},
            {"approximation", plan.error.approximation},
            {"rounding", plan.error.rounding}}},
          {"seconds", plan.seconds},
          {"segment_bytes", plan.segment_bytes},
          {"keeps_tolerance", plan.keeps_tolerance},
          {"chosen", plan.chosen}};
}

Json to_json(const Request& request) {
  return {{"ranks", request.ranks},
          {"type", name_of(request.type)},
          {"bytes", request.bytes},
          {"tolerance", request.tolerance},
          {"design", name_of(request.design)},
          {"max_condition", request.max_condition},
          {"components", request.components},
          {"epsilon", request.epsilon},
          {"segment_bytes", request.segment_bytes},
          {"link",
           {{"latency", request.link.latency},
            {"bandwidth", request.link.bandwidth},
            {"combine", request.link.combine},
            {"message_overhead", request.link.message_overhead}}}};
}

}  // namespace

const char* name_of(cerar_type_t type) { return type == CERAR_FLOAT ? "float" : "double"; }

const Plan& choice_of(const std::vector<Plan>& plans) {
  const auto choice =
      std::find_if(plans.begin(), plans.end(), [](const Plan& plan) { return plan.chosen; });
  if (choice == plans.end()) throw std::invalid_argument("no plan is chosen");
  return *choice;
}

std::string table(const Request& request, const std::vector<Plan>& plans) {
  std::string text = heading(request);
  for (const Plan& plan : plans) text += row(plan);
  return text + closing(choice_of(plans));
}

std::string json(const Request& request, const std::vector<Plan>& plans) {
  const Plan& choice = choice_of(plans);
  Json all{{"request", to_json(request)}};
  for (const Plan& plan : plans) all["candidates"].push_back(to_json(plan));
  all["choice"] = &choice - plans.data();
  all["exact"] = {{"algorithm", name_of(choice.exact_algorithm)},
                  {"seconds", choice.exact_seconds},
                  {"faster", choice.exact_is_faster}};
  return all.dump(2) + "\n";
}

}  // namespace cerar::plan
