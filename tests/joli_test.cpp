// Joli, Seguy & Feng (2008): the two examples of §5 by the modular scheme as published, plain sweeps from zero,
// against independent references and against what the paper prints.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "io/model_reader.h"
#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel {
namespace {

const std::string kSource = TRAMMEL_SOURCE_DIR;

Mechanism model(const std::string& name, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model(kSource + "/models/" + name + ".yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// As in §5: α = 1e4 on Φ = d² − L² inside, gains by (12), λ from zero in every step.
Plan published(const Mechanism& mechanism, double h, double tolerance) {
  Plan plan = mechanism.plan;
  plan.formulation = "modular";
  plan.step = h;
  plan.penalty = 1e4;
  plan.constraint_scale = 2;
  plan.modular.uzawa = "plain";
  plan.modular.warm_start = false;
  plan.modular.tolerance = tolerance;
  plan.modular.rho_of = {{"O", 1.5}, {"A", 0.4}};
  plan.modular.max_sweeps = 5000;
  return plan;
}

// The columns x22, y22 of a reference file, one row each 0.1 s.
std::vector<Vec3> reference(const std::string& name, int x, int y) {
  std::ifstream file(kSource + "/tests/references/" + name);
  std::vector<Vec3> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 't') continue;
    std::vector<double> values;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
    rows.emplace_back(values[static_cast<std::size_t>(x)], y < 0 ? 0 : values[static_cast<std::size_t>(y)], 0);
  }
  return rows;
}

struct Figures {
  double error = 0;       // m, largest distance of m₂ from the reference
  double early = 0;       // the same over the first two seconds
  double sweeps = 0;      // a step, mean
  double most_sweeps = 0;
  double height = 0;      // m, largest |y22|
  bool accepted = true;
  std::string message;
};

Figures run(const Mechanism& mechanism, const Plan& plan, const std::vector<Vec3>& expected) {
  Figures out;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const auto B = static_cast<std::size_t>(mechanism.point("B") - mechanism.points.data());
  const long steps = std::lround(10 / plan.step), stride = std::lround(0.1 / plan.step);
  for (long n = 1; n <= steps; ++n) {
    const StepResult step = simulation.step(plan.step);
    if (!step.report.accepted()) {
      out.accepted = false;
      out.message = step.report.message;
      return out;
    }
    out.sweeps += step.iterations / static_cast<double>(steps);
    out.most_sweeps = std::max<double>(out.most_sweeps, step.iterations);
    const Vec3 at = simulation.system().point_positions(simulation.state())[B];
    out.height = std::max(out.height, std::abs(at.y()));
    if (n % stride != 0) continue;
    const double error = (at - expected[static_cast<std::size_t>(n / stride)]).norm();
    out.error = std::max(out.error, error);
    if (n <= steps / 5) out.early = std::max(out.early, error);
  }
  return out;
}

const std::vector<Vec3>& pendulum_reference() {
  static const std::vector<Vec3> rows = reference("joli_double_pendulum_reference.csv", 5, 6);
  return rows;
}
const std::vector<Vec3>& slider_reference() {
  static const std::vector<Vec3> rows = reference("joli_slider_crank_reference.csv", 5, -1);
  return rows;
}

TEST(Joli, PRINT) {
  const Mechanism p = model("joli-double-pendulum");
  for (double h : {1e-2, 1e-3})
    for (double tol : {0.01, 0.1}) {
      const Figures r = run(p, published(p, h, tol), pendulum_reference());
      printf("pendulum h %g tol %g: ok %d err %g early %g sweeps %g max %g %s\n", h, tol, r.accepted, r.error, r.early,
             r.sweeps, r.most_sweeps, r.message.c_str());
    }
  const Mechanism s = model("joli-slider-crank");
  for (double rho3 : {0.4, 1.0})
    for (double h : {1e-2, 1e-3})
      for (double tol : {0.001, 0.01, 0.1}) {
        Plan plan = published(s, h, tol);
        plan.modular.rho_of["guide"] = rho3;
        const Figures r = run(s, plan, slider_reference());
        printf("slider rho %g h %g tol %g: ok %d err %g early %g sweeps %g max %g y %g %s\n", rho3, h, tol, r.accepted,
               r.error, r.early, r.sweeps, r.most_sweeps, r.height, r.message.c_str());
      }
}

}  // namespace
}  // namespace trammel
