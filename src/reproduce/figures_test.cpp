// Papers as data: what is wrong with a file is said with its place.
#include "reproduce/figures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "reproduce/reproduce.h"

namespace trammel::reproduce::figures_test {
namespace {

namespace fs = std::filesystem;

class Papers : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() /
            ("papers_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    for (const char* folder : {"papers/one", "models", "tests/references"})
      fs::create_directories(root_ / folder);
    write("papers/papers.yaml", "papers: [one]\noptional: {formulation none-such: it is an example}\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) { std::ofstream(root_ / path) << text; }
  std::vector<Paper> read() { return read_papers(library_at(root_ / "papers")); }
  std::string message(const std::string& figures) {
    write("papers/one/figures.yaml", figures);
    try {
      read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  fs::path root_;
};

const std::string kHead = "title: A\nauthors: B\nitems:\n  table-1:\n    where: Table 1\n    title: C\n";

TEST_F(Papers, AreReadWithTheirRows) {
  write("papers/one/figures.yaml", kHead +
                                       "    columns: [a, b]\n    rows:\n      x: [\"1.0\", null]\n      y: "
                                       "{values: [\"2\", \"3\"], label: why, noise: 1e-9, why: z}\n");
  write("papers/one/verdicts.json", "{\"table-1/x/a\": \"reproduced\"}");
  const std::vector<Paper> papers = read();
  ASSERT_EQ(papers.size(), 1U);
  const Item& item = papers[0].items.at(0);
  ASSERT_EQ(item.rows.size(), 3U);
  EXPECT_EQ(item.rows[0].key, "x/a");
  EXPECT_EQ(item.rows[2].key, "y/b");
  EXPECT_EQ(item.rows[2].label, "why");
  EXPECT_EQ(item.rows[1].noise, 1e-9);
  EXPECT_EQ(papers[0].recorded.at("table-1/x/a"), "reproduced");
}

TEST_F(Papers, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(message(kHead + "    rows:\n      x: {published: \"1\", nois: 2}\n")
                .find("figures.yaml:8: there is no key 'nois' here"),
            std::string::npos);
  EXPECT_NE(message(kHead + "    rows:\n      x: {published: \"1\", noise: 2}\n").find("needs its reason"),
            std::string::npos);
  EXPECT_NE(
      message(kHead + "    columns: [a, b]\n    rows:\n      x: [\"1\"]\n").find("row 'x' needs 2 values"),
      std::string::npos);
  EXPECT_NE(message(kHead + "    rows:\n      x: {bound: 1e-8}\n").find("needs its reason"),
            std::string::npos);
  EXPECT_NE(message(kHead + "    rows:\n      x: {bound: 1e-8, published: \"1\", why: y}\n")
                .find("a check has a 'bound' and nothing 'published'"),
            std::string::npos);
  EXPECT_NE(message(kHead + "    rows:\n      x: {bound: 0, why: y}\n").find("must be above zero"),
            std::string::npos);
  EXPECT_NE(message(kHead).find("item 'table-1' has no rows"), std::string::npos);
  EXPECT_NE(message("title: [").find("figures.yaml"), std::string::npos);
}

TEST_F(Papers, AreLookedForAboveTheProgram) {
  fs::create_directories(root_ / "build/bin");
  EXPECT_EQ(find_library("", root_ / "build/bin/trammel").papers, root_ / "papers");
  EXPECT_THROW(find_library("", "/nowhere/trammel"), std::runtime_error);
  fs::remove_all(root_ / "models");
  try {
    find_library((root_ / "papers").string(), "");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("side by side"), std::string::npos) << error.what();
  }
}

TEST_F(Papers, AreSelectedByName) {
  write("papers/one/figures.yaml", kHead + "    rows: {x: \"1\"}\n");
  EXPECT_EQ(selected(read(), "one/table-1").at(0).items.size(), 1U);
  const auto words = [&](const std::string& wanted) {
    try {
      selected(read(), wanted);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(words("two"), "there is no paper 'two'; choose one of: one");
  EXPECT_EQ(words("one/table-2"), "'one' has no item 'table-2'; choose one of: table-1");
}

TEST(Features, AreThoseOfThisBuild) {
  EXPECT_TRUE(build_has("formulation lagrange"));
  EXPECT_TRUE(build_has("coordinates natural"));
  EXPECT_TRUE(build_has("integrator rk4"));
  EXPECT_TRUE(build_has("key simulate.formulation"));
  EXPECT_FALSE(build_has("formulation none-such"));
  EXPECT_FALSE(build_has("key simulate.none-such"));
  EXPECT_THROW(build_has("colour blue"), std::runtime_error);
  EXPECT_EQ(first_missing({"coordinates natural", "integrator none-such"}), "integrator none-such");
}

}  // namespace
}  // namespace trammel::reproduce::figures_test
