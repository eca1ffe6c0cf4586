// `trammel describe`: prints the tables that the program is built from, for a person, for the documents and
// for the JSON Schema. tools/update_docs puts what is printed into docs/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trammel::app {

struct DescribeOptions {
  std::string topic;
  bool markdown = false, schema = false;
};

// One table. `schema` gives the properties and definitions of docs/trammel.schema.json that the table owns;
// null: none.
struct DescribeTopic {
  const char* name;
  const char* meaning;
  std::string (*text)();
  std::string (*markdown)();
  nlohmann::ordered_json (*schema)();
};

const std::vector<DescribeTopic>& describe_topics();
int describe_command(const DescribeOptions& options);

// Each in its own file.
std::string options_text();
std::string options_markdown();
nlohmann::ordered_json options_schema();
std::string methods_text();
std::string methods_markdown();

}  // namespace trammel::app
