// `trammel describe`: prints the tables that the program is built from, for a person, for the documents and
// for the JSON Schema. tools/update_docs puts what is printed into docs/.
#pragma once

#include <string>
#include <vector>

namespace trammel {

struct DescribeOptions {
  std::string topic;
  bool markdown = false, schema = false;
};

// One table. `schema` prints definitions for docs/trammel.schema.json; null: the topic has none of its own.
struct DescribeTopic {
  const char* name;
  const char* meaning;
  std::string (*text)();
  std::string (*markdown)();
  std::string (*schema)();
};

const std::vector<DescribeTopic>& describe_topics();
int describe_command(const DescribeOptions& options);

// Each in its own file.
std::string options_text();
std::string options_markdown();
std::string options_schema();
std::string methods_text();
std::string methods_markdown();

}  // namespace trammel
