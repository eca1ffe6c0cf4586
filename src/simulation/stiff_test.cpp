// Stiff mechanisms by Radau IIA: steps as long as the motion asks for, whatever is faster in it; and what all
// rules with dense output keep: constraints, rows, singular positions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "model/models_testing.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::stiff_test {
namespace {

const std::string kSource = kSourceDir;

Plan plan_by(const char* coordinates, const char* formulation, const char* integrator, double tolerance) {
  Plan plan;
  plan.coordinates = coordinates;
  plan.formulation = formulation;
  plan.integrator = integrator;
  plan.tolerance = tolerance;
  plan.step = 0;
  plan.project_positions = plan.project_velocities = true;
  plan.omega = 0;
  return plan;
}

struct Rows final : ResultSink {
  std::vector<std::vector<double>> rows;
  void write(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
};

struct Finished {
  Finished(const Mechanism& mechanism, Plan plan, double duration, double interval)
      : simulation(mechanism, (plan.duration = duration, plan.output_interval = interval, plan)) {
    EXPECT_TRUE(simulation.assemble().report.accepted());
    summary = run(simulation, rows);
    EXPECT_EQ(summary.status, RunStatus::ok) << summary.message;
  }
  std::vector<double> column(const std::string& name) const {
    const std::vector<Channel> channels = channels_of(simulation);
    std::vector<double> values;
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].name == name)
        for (const std::vector<double>& row : rows.rows) values.push_back(row[c]);
    EXPECT_FALSE(values.empty()) << "no column " << name;
    return values;
  }

  Simulation simulation;
  Rows rows;
  RunSummary summary;
};

// The second column of a reference.
std::vector<double> reference(const std::string& name) {
  std::ifstream file(kSource + "/tests/references/" + name + ".csv");
  EXPECT_TRUE(file) << name;
  std::vector<double> values;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with('t')) continue;
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    std::getline(cells, cell, ',');
    values.push_back(std::stod(cell));
  }
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The slider's height against Radau IIA at 1e-12 by others: within ten times the tolerance, errors adding up
// over five swings that damp them. dop853 takes 7600 steps at any tolerance, held down by the dampers.
TEST(Stiff, TheFlyballGovernorFollowsItsReferenceInLongSteps) {
  const Mechanism mechanism = model("flyball-governor");
  const std::vector<double> exact = reference("A05_flyball_reference");
  struct Case {
    Plan plan;
    long most_steps;
  };
  for (const Case& c : {Case{plan_by("relative", "lagrange", "radau5", 1e-6), 800},
                        Case{plan_by("relative", "lagrange", "radau9", 1e-7), 400},
                        Case{plan_by("natural", "augmented-lagrangian", "radau9", 1e-6), 500},
                        Case{plan_by("relative", "independent", "radau5", 1e-5), 500}}) {
    const Finished run(mechanism, c.plan, 10, 0.1);
    EXPECT_LT(largest_difference(run.column("sleeve.displacement"), exact), 10 * c.plan.tolerance)
        << c.plan.coordinates << ' ' << c.plan.formulation << ' ' << c.plan.integrator;
    EXPECT_LT(run.summary.steps, c.most_steps)
        << c.plan.coordinates << ' ' << c.plan.formulation << ' ' << c.plan.integrator;
  }
}

// Work by dampers accompanies the motion without shortening a step: energy and work balance within what the
// stages leave of 200 J.
TEST(Stiff, TheWorkOfDampersIsFollowed) {
  const Mechanism mechanism = model("flyball-governor");
  const Finished run(mechanism, plan_by("relative", "lagrange", "radau9", 1e-8), 2, 0.1);
  EXPECT_LT(run.summary.energy_drift, 1e-5);
}

// Twenty passages of singular positions, redundant constraints: projected, by the same errors as other rules.
TEST(Stiff, ProjectedStepsFollowClosedLoops) {
  for (const char* name : {"double-four-bar", "bricard"}) {
    const Mechanism mechanism = model(name);
    const Finished exact(mechanism, plan_by("natural", "augmented-lagrangian", "dop853", 1e-9), 4, 0.1);
    for (const char* rule : {"radau5", "radau9"}) {
      const Finished run(mechanism, plan_by("natural", "augmented-lagrangian", rule, 1e-7), 4, 0.1);
      const std::string what = std::string(name) + " by " + rule;
      EXPECT_LT(largest_difference(run.column("energy.kinetic"), exact.column("energy.kinetic")), 1e-3)
          << what;
      for (const double violation : run.column("violation.position")) EXPECT_LT(violation, 1e-12) << what;
      for (const double violation : run.column("violation.velocity")) EXPECT_LT(violation, 1e-9) << what;
    }
  }
}

// Rows lie within steps: a hundred times as many make no step shorter, and each is as exact.
TEST(Stiff, RowsCostNoSteps) {
  const Mechanism mechanism = model("flyball-governor");
  const Plan plan = plan_by("relative", "lagrange", "radau9", 1e-7);
  const Finished few(mechanism, plan, 2, 0.1), many(mechanism, plan, 2, 0.001);
  EXPECT_EQ(few.summary.steps, many.summary.steps);
  const Finished fine(mechanism, plan_by("relative", "lagrange", "radau9", 1e-10), 2, 0.001);
  EXPECT_LT(largest_difference(many.column("sleeve.displacement"), fine.column("sleeve.displacement")), 1e-6);
}

}  // namespace
}  // namespace trammel::tests::stiff_test
