// trammel describe TOPIC: the tables that the program works by, for a person, for docs/model-format.md and
// for docs/trammel.schema.json.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "model/describe_kinds.h"

namespace trammel {
namespace {

// One row for each topic; whoever owns the table prints it.
struct Topic {
  const char* name;
  std::string (*markdown)();
  nlohmann::ordered_json (*schema)();
  std::string (*text)();
};

constexpr Topic kTopics[] = {
    {"joints", joints_markdown, joints_schema, joints_text},
    {"forces", forces_markdown, forces_schema, forces_text},
};

}  // namespace

std::vector<std::string> describe_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) names.emplace_back(topic.name);
  return names;
}

int describe_command(const DescribeOptions& options) {
  const auto* topic = std::ranges::find_if(kTopics, [&](const Topic& t) { return options.topic == t.name; });
  if (topic == std::end(kTopics)) {
    fmt::print(stderr, "trammel: there is no table '{}'; there are: {}\n", options.topic,
               fmt::join(describe_topics(), ", "));
    return kBadInput;
  }
  if (options.markdown)
    fmt::print("{}", topic->markdown());
  else if (options.schema)
    fmt::print("{}\n", topic->schema().dump(1));
  else
    fmt::print("{}", topic->text());
  return kDone;
}

}  // namespace trammel
