// The JSON Schema for editors lists exactly the keys that the reader accepts, each with a description.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "model/reader/keys.h"
#include "model/reader/test_cases.h"
#include "tests/source_dir.h"

namespace trammel::model::schema_test {
namespace {

// A file of docs/.
std::string read_doc(const std::string& name) {
  const std::filesystem::path root = kSourceDir;
  std::ifstream file(root / "docs" / name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ModelSchema, HasTheKeysOfTheReader) {
  const nlohmann::json model = nlohmann::json::parse(read_doc("trammel.schema.json"));
  for (const KeyGroup& group : key_groups()) {
    SCOPED_TRACE(group.name);
    const nlohmann::json& part = group.name == "model" ? model : model.at("definitions").at(group.name);
    EXPECT_EQ(part.at("additionalProperties"), false);
    std::set<std::string> listed;
    for (const auto& [key, property] : part.at("properties").items()) {
      listed.insert(key);
      EXPECT_TRUE(property.contains("description")) << key;
    }
    EXPECT_EQ(listed, std::set<std::string>(group.keys.begin(), group.keys.end()));
  }
}

TEST(ModelSchema, TheReferencePageNamesEveryKey) {
  const std::string page = read_doc("model-format.md");
  for (const KeyGroup& group : key_groups()) {
    for (const std::string& key : group.keys) {
      const bool is_there =
          page.find("`" + key + "`") != std::string::npos || page.find("`" + key + ":") != std::string::npos;
      EXPECT_TRUE(is_there) << group.name << ": " << key;
    }
  }
}

TEST(ModelSchema, TheFirstExampleOfThePageIsAModel) {
  const std::string page = read_doc("model-format.md"), fence = "```yaml\n";
  const std::size_t start = page.find(fence) + fence.size();
  good_model(page.substr(start, page.find("```", start) - start));
}

}  // namespace
}  // namespace trammel::model::schema_test
