// Which values the parameters of a run have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sweep/run_plan.h"

namespace trammel::sweep::run_plan_test {
namespace {

struct Made {
  std::vector<std::string> errors;
  RunPlan plan;
  explicit Made(const SweepSpec& spec, const std::string& table = "",
                const std::vector<std::string>& known = {"L", "m", "k"}, const ParameterUnits& units = {})
      : plan(spec, table, known, units, errors) {}
  std::string all() const {
    std::string text;
    for (const std::string& error : errors) text += error + "\n";
    return text;
  }
};

TEST(RunPlan, AGridHasItsLastAxisFastest) {
  const Made made({.vary = {"L=0:1:3", "m=5, 7"}});
  EXPECT_EQ(made.all(), "");
  ASSERT_EQ(made.plan.runs(), 6U);
  std::vector<std::vector<double>> rows;
  for (std::uint64_t k = 0; k < 6; ++k) rows.push_back(made.plan.values(k));
  EXPECT_EQ(rows, (std::vector<std::vector<double>>{{0, 5}, {0, 7}, {0.5, 5}, {0.5, 7}, {1, 5}, {1, 7}}));
}

TEST(RunPlan, ATableIsOneAxis) {
  const Made made({.vary = {"k=1, 2"}, .table = "runs.csv"}, "L [mm], m\n# old\n100, 1\n\n200, 3\n");
  EXPECT_EQ(made.all(), "");
  ASSERT_EQ(made.plan.runs(), 4U);
  EXPECT_EQ(made.plan.values(1), (std::vector<double>{1, 0.2, 3}));
  EXPECT_EQ(made.plan.values(2), (std::vector<double>{2, 0.1, 1}));
}

TEST(RunPlan, EachPointOfTheGridHasTheSameDraws) {
  const Made made({.vary = {"L=0:1:3"}, .sample = {"m~uniform(0, 1)"}, .runs = 10});
  ASSERT_EQ(made.plan.runs(), 30U);
  EXPECT_EQ(made.plan.values(3)[1], made.plan.values(23)[1]);
  EXPECT_NE(made.plan.values(3)[1], made.plan.values(4)[1]);
}

TEST(RunPlan, ALatinHypercubeHasOneDrawInEachPart) {
  const Made made({.sample = {"m~uniform(0, 1)", "k~uniform(0, 1)"}, .runs = 100, .design = "lhs"});
  for (const std::size_t d : {0U, 1U}) {
    std::set<int> parts;
    for (std::uint64_t k = 0; k < 100; ++k) parts.insert(static_cast<int>(made.plan.values(k)[d] * 100));
    EXPECT_EQ(parts.size(), 100U);
  }
}

TEST(RunPlan, SaltellisBlocksExchangeOneValue) {
  const Made made({.sample = {"m~uniform(0, 1)", "k~normal(0, 1)"}, .runs = 8, .design = "saltelli"});
  ASSERT_EQ(made.all(), "");
  const auto a = made.plan.values(4), b = made.plan.values(5), first = made.plan.values(6),
             second = made.plan.values(7);
  EXPECT_EQ(first, (std::vector<double>{b[0], a[1]}));
  EXPECT_EQ(second, (std::vector<double>{a[0], b[1]}));
  EXPECT_NE(a[0], b[0]);
}

TEST(RunPlan, ASeedMakesAnotherSample) {
  for (const char* design : {"random", "lhs", "sobol"}) {
    SweepSpec spec{.sample = {"m~uniform(0, 1)"}, .runs = 4, .design = design};
    const Made one(spec);
    spec.seed = 2;
    EXPECT_NE(one.plan.values(2), Made(spec).plan.values(2)) << design;
  }
}

TEST(RunPlan, MistakesAreNamedWithTheirRemedy) {
  const auto has = [](const Made& made, const std::string& words) {
    EXPECT_NE(made.all().find(words), std::string::npos) << made.all();
  };
  has(Made({}), "nothing varies; give --vary");
  has(Made({.vary = {"L"}}), "vary 'L': there is no '=' after a parameter's name; write NAME=FROM:TO:COUNT");
  has(Made({.vary = {"=1:2:3"}}), "there is no name before '='");
  has(Made({.vary = {"LL=1:2:3"}}), "there is no parameter 'LL'; choose one of: L, m, k");
  has(Made({.vary = {"L=1:2"}}), "'1:2' has no number of values; write FROM:TO:COUNT");
  has(Made({.vary = {"L=1:2:1"}}), "the number of values is '1'; give a whole number from 2 to");
  has(Made({.vary = {"L=2:2:5"}}), "begins and ends at the same value");
  has(Made({.vary = {"L=1:two:5"}}), "'two' is not a number");
  has(Made({.vary = {"L=1:2:5", "L=3,4"}}), "'L' has values already; give each parameter once");
  has(Made({.vary = {"L=1:2:5"}, .runs = 10}), "a grid has as many runs as points");
  has(Made({.sample = {"m~normal(1, 0.1)"}}), "a sample needs a number of runs; give --runs 1000");
  has(Made({.sample = {"m~nrmal(1, 0.1)"}, .runs = 5}),
      "sample 'm~nrmal(1, 0.1)': there is no distribution 'nrmal'");
  has(Made({.sample = {"m=normal(1, 0.1)"}, .runs = 5}), "there is no '~' after a parameter's name");
  has(Made({.sample = {"m~normal(1, 0.1)"}, .runs = 5, .design = "lsh"}),
      "there is no design 'lsh'; did you mean 'lhs'?");
  has(Made({.sample = {"m~normal(1, 0.1)"}, .runs = 5, .design = "saltelli"}),
      "blocks of 3 runs; give a multiple, as 6");
  has(Made({.vary = {"L=1 kg:2 kg:5"}}, "", {"L"}, {{"L", {1, 0, 0, 0}}}),
      "'1 kg' is in kg, but the model has this parameter in m");
  has(Made({.vary = {"L=0:1:1000000", "m=0:1:1000000"}}), "more than 1000000000 points");
  has(Made({.table = "runs.csv"}, ""), "runs.csv:1: the file is empty");
  has(Made({.table = "runs.csv"}, "L,m\n"), "runs.csv:1: there is no run below the names");
  has(Made({.table = "runs.csv"}, "L,\n1,2\n"), "runs.csv:1: column 2 has no name");
  has(Made({.table = "runs.csv"}, "L,L\n1,2\n"), "'L' is there twice");
  has(Made({.table = "runs.csv"}, "L,m\n1,2\n3,\n"),
      "runs.csv:3: 'm' has no value in this line; give a number");
  has(Made({.table = "runs.csv"}, "L,m\n1,2,3\n"), "the line has 3 values for 2 names");
  has(Made({.table = "runs.csv"}, "L,m\n1,x\n"), "runs.csv:2: 'm': 'x' is not a number");
}

}  // namespace
}  // namespace trammel::sweep::run_plan_test
