#include "describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "expressions/nearest_name.h"
#include "model/describe_kinds.h"

namespace trammel::app {

const std::vector<DescribeTopic>& describe_topics() {
  static const std::vector<DescribeTopic> topics = {
      {"joints", "kinds of joints", model::joints_text, model::joints_markdown, model::joints_schema},
      {"forces", "kinds of forces", model::forces_text, model::forces_markdown, model::forces_schema},
      {"options", "the keys of simulate: and outputs:", options_text, options_markdown, options_schema},
      {"methods", "coordinates, formulations, integrators and linear solvers", methods_text, methods_markdown,
       nullptr},
  };
  return topics;
}

int describe_command(const DescribeOptions& options) {
  if (options.topic.empty()) {
    fmt::print("Topics of 'trammel describe':\n");
    for (const DescribeTopic& topic : describe_topics())
      fmt::print("  {:<10}{}\n", topic.name, topic.meaning);
    return kDone;
  }
  std::vector<std::string> names;
  for (const DescribeTopic& topic : describe_topics()) {
    names.emplace_back(topic.name);
    if (options.topic != topic.name) continue;
    if (options.schema && topic.schema == nullptr) {
      fmt::print(stderr, "{} have no schema of their own: their names are in that of options\n", topic.name);
      return kBadInput;
    }
    if (options.schema)
      fmt::print("{}\n", topic.schema().dump(1));
    else
      fmt::print("{}", options.markdown ? topic.markdown() : topic.text());
    return kDone;
  }
  fmt::print(stderr, "there is no topic '{}'; {}\n", options.topic,
             expressions::choice_advice(options.topic, names));
  return kBadInput;
}

}  // namespace trammel::app
