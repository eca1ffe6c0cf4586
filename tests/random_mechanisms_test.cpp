// A hundred random mechanisms, the most different of some thousands, with the figures of an independent
// oracle (campaigns/random, docs/reliability.md): motion, reactions, energies and mobility.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/mobility.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::random_mechanisms_test {
namespace {

const std::string kFolder = std::string(kSourceDir) + "/tests/references/random/";
// The oracle's own error is below 1e-7; runs are at this tolerance, and errors add up over the steps.
constexpr double kTolerance = 1e-8, kAgree = 1e-5;
// A column that moves by less than this part of the widest of its unit is judged by that part.
constexpr double kNarrow = 0.01;

struct Column {
  std::size_t index;
  std::string unit;
  std::vector<double> figures;
};

// Reactions that the run calls not unique are one choice of many.
bool is_choice(const RunSummary& summary, const std::string& name) {
  const auto& open = summary.reactions.not_unique;
  return std::find(open.begin(), open.end(), name) != open.end();
}

// Of a body's quaternion: its negative is the same rotation.
double sign_of(const Trajectory& rows, std::size_t row, const Column& column, const nlohmann::json& columns,
               std::size_t figure) {
  const std::string& name = rows.channels[column.index].name;
  if (name.find(".q.") == std::string::npos) return 1;
  double dot = 0;
  for (const char c : {'w', 'x', 'y', 'z'}) {
    const std::string part = name.substr(0, name.size() - 1) + c;
    dot +=
        columns.at(part).at(figure).get<double>() * rows.row(row)[static_cast<std::size_t>(rows.find(part))];
  }
  return dot < 0 ? -1 : 1;
}

// What of one unit says of another: a column in which nothing moves is judged by what moves elsewhere.
void widen(std::map<std::string, double>& widest) {
  const auto at_least = [&](const char* unit, double size) { widest[unit] = std::max(widest[unit], size); };
  at_least("rad", 1), at_least("", 1);
  at_least("rad/s", widest["m/s"] / widest["m"]);
  at_least("N", widest["J"] / widest["m"]);
  at_least("N.m", std::max(widest["J"], widest["N"] * widest["m"]));
}

void compare(const std::string& name, const nlohmann::json& figures, const RunResult& result) {
  std::vector<Column> columns;
  std::map<std::string, double> widest;
  for (const auto& [title, values] : figures.at("columns").items()) {
    const int index = result.trajectory.find(title);
    if (index < 0 || is_choice(result.summary, title)) continue;
    const std::string& unit = result.trajectory.channels[static_cast<std::size_t>(index)].unit;
    columns.push_back({static_cast<std::size_t>(index), unit, values.get<std::vector<double>>()});
    for (const double x : columns.back().figures) widest[unit] = std::max(widest[unit], std::abs(x));
  }
  EXPECT_GT(columns.size(), 6u) << name;
  widen(widest);
  const auto rows = figures.at("rows").get<std::vector<std::size_t>>();
  for (const Column& column : columns)
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ASSERT_LT(rows[k], result.trajectory.rows()) << name;
      const std::string& title = result.trajectory.channels[column.index].name;
      double found = result.trajectory.row(rows[k])[column.index], figure = column.figures[k];
      found *= sign_of(result.trajectory, rows[k], column, figures.at("columns"), k);
      // The zero of the potential is anyone's choice.
      if (title == "energy.potential")
        found -= result.trajectory.row(0)[column.index], figure -= column.figures[0];
      double scale = kNarrow * widest[column.unit];
      for (const double x : column.figures) scale = std::max(scale, std::abs(x));
      EXPECT_NEAR(found, figure, kAgree * scale) << name << ", " << title << ", row " << rows[k];
    }
}

TEST(RandomMechanisms, AgreeWithTheOracle) {
  nlohmann::json all;
  std::ifstream(kFolder + "figures.json") >> all;
  EXPECT_EQ(all.size(), 100u);
  for (const auto& [name, figures] : all.items()) {
    const Mechanism mechanism = read_model(kFolder + name + ".yaml").value();
    Plan plan = mechanism.plan;
    plan.tolerance = kTolerance;
    plan.verify = false;
    Simulation simulation(mechanism, plan);
    const RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok) << name << ": " << result.summary.message;
    Simulation start(mechanism, plan);
    ASSERT_TRUE(start.assemble().report.accepted()) << name;
    const analysis::Mobility mobility = analysis::mobility(start);
    EXPECT_EQ(mobility.degrees_of_freedom, figures.at("freedoms").get<int>()) << name;
    EXPECT_EQ(mobility.redundant_constraints, figures.at("redundant").get<int>()) << name;
    compare(name, figures, result);
  }
}

}  // namespace
}  // namespace trammel::tests::random_mechanisms_test
