#include "describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "expressions/nearest_name.h"

namespace trammel {

const std::vector<DescribeTopic>& describe_topics() {
  static const std::vector<DescribeTopic> topics = {
      {"options", "the keys of simulate: and outputs:", options_text, options_markdown, options_schema},
      {"methods", "coordinates, formulations, integrators and linear solvers", methods_text, methods_markdown,
       nullptr},
  };
  return topics;
}

int describe_command(const DescribeOptions& options) {
  std::vector<std::string> names;
  for (const DescribeTopic& topic : describe_topics()) {
    names.emplace_back(topic.name);
    if (options.topic != topic.name) continue;
    const auto print = options.schema ? topic.schema : options.markdown ? topic.markdown : topic.text;
    if (print == nullptr) {
      fmt::print(stderr, "{} have no schema of their own: their names are in that of options\n", topic.name);
      return kBadInput;
    }
    fmt::print("{}", print());
    return kDone;
  }
  fmt::print(stderr, "there is no topic '{}'; {}\n", options.topic, choice_advice(options.topic, names));
  return kBadInput;
}

}  // namespace trammel
