// Every example written out as a model file and read again moves in the same way.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "model/reader/keys.h"
#include "model/writer/model_writer.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"

namespace trammel::tests::model_writer_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  std::vector<std::string> all;
  const fs::path folder = fs::path(kSourceDir) / "models";
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      all.push_back(entry.path().lexically_relative(folder).replace_extension().string());
  std::sort(all.begin(), all.end());
  return all;
}

Mechanism read(const std::string& name) {
  ModelInput input = read_model((fs::path(kSourceDir) / "models" / (name + ".yaml")).string());
  EXPECT_TRUE(input.errors.empty());
  return std::move(input.mechanism);
}

Mechanism again(const std::string& text) {
  ModelInput input = read_model_text(text, "written.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error) << "\n" << text;
  return std::move(input.mechanism);
}

// Bodies and own coordinates after some steps, and every joint coordinate.
std::vector<double> motion(const Mechanism& mechanism, int steps) {
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  // Where a tolerance chooses the steps there is no step of its own.
  const double h = mechanism.plan.step > 0 ? mechanism.plan.step : mechanism.plan.duration / 1000;
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(simulation.step(h).report.accepted());
  std::vector<double> all;
  for (const Pose& pose : simulation.system().poses(simulation.state()))
    all.insert(all.end(), {pose.position.x(), pose.position.y(), pose.position.z(), pose.velocity.x(),
                           pose.velocity.y(), pose.velocity.z()});
  system::Terms terms = simulation.system().make_terms();
  std::map<std::string, double> readings;  // in an order of their own: joints may stand in another
  for (const system::Reading& r : simulation.system().readings(simulation.state(), terms))
    readings[r.object + "." + r.quantity] = r.value;
  for (const auto& [name, value] : readings) all.push_back(value);
  const Energy energy = simulation.energy();
  all.push_back(energy.kinetic);
  return all;
}

class WrittenModel : public testing::TestWithParam<std::string> {};

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  // Places are the same but for rounding, which a hundred steps do not make much larger.
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-7 * (1 + std::abs(a[k]))) << k;
}

TEST_P(WrittenModel, MovesTheSame) {
  const Mechanism mechanism = read(GetParam());
  expect_same(motion(mechanism, 100), motion(again(write_model(mechanism)), 100));
}

// Written again and again it does not grow.
TEST_P(WrittenModel, KeepsItsNames) {
  const Mechanism first = again(write_model(read(GetParam()))), second = again(write_model(first));
  for (std::size_t k = 0; k < first.bodies.size(); ++k) {
    EXPECT_EQ(first.bodies[k].points.size(), second.bodies[k].points.size()) << first.bodies[k].name;
    EXPECT_EQ(first.bodies[k].vectors.size(), second.bodies[k].vectors.size()) << first.bodies[k].name;
  }
}

// As it stands after a while, with its velocities.
TEST_P(WrittenModel, GoesOnFromNow) {
  Mechanism mechanism = read(GetParam());
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double h = mechanism.plan.step > 0 ? mechanism.plan.step : mechanism.plan.duration / 1000;
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(simulation.step(h).report.accepted());
  const Mechanism now = again(write_model(moving_as(mechanism, simulation)));
  Simulation next(now, now.plan);
  const AssemblyReport assembly = next.assemble();
  ASSERT_TRUE(assembly.report.accepted());
  const std::vector<Pose> a = simulation.system().poses(simulation.state()),
                          b = next.system().poses(next.state());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_LT((a[k].position - b[k].position).norm(), 1e-7);
    // what formulations leave of the constraints' rates is taken out by the new start
    EXPECT_LT((a[k].velocity - b[k].velocity).norm(), 1e-5 * (1 + a[k].velocity.norm()));
  }
}

// Whatever a file can say of the method is written when it is not the default.
TEST(ModelWriter, WritesEveryKeyOfThePlan) {
  Mechanism m;
  m.stop_when = "t > 1";
  Plan& plan = m.plan;
  plan.step = plan.tolerance = plan.output_interval = 0.5;
  plan.open = plan.independent_coordinates = {"B"};
  plan.penalty = 1e7;
  plan.stabilized = plan.schur = plan.strict = true;
  plan.stabilization = "given";
  plan.alf_iterations = 3;
  plan.project_positions = plan.project_velocities = plan.project_accelerations = false;
  plan.modular.warm_start = true;
  plan.modular.uzawa = "plain";
  plan.modular.rho = "published";
  plan.modular.criterion = "published";
  plan.modular.tolerance = 1e-6;
  plan.modular.max_sweeps = 10;
  plan.modular.threads = 2;
  plan.solver = "klu";
  plan.constraint_scale = 2;
  plan.projection_metric = "mass";
  plan.projection_sweeps = plan.projection_every = 2;
  plan.projection_reactions = "solved";
  plan.projection_route = "velocities";
  plan.omega = plan.mu = 3;
  plan.algebraic_order = 1;
  plan.gyroscopic = "left-out";
  plan.independent_choice = "svd";
  plan.independent_integrate = "hybrid";
  plan.hybrid_tolerance = plan.convergence = 1e-4;
  plan.max_iterations = 10;
  plan.verify = false;
  plan.accuracy = 1e-2;
  plan.reactions = "projections";
  plan.reaction_axes = ReactionAxes::joint;
  m.outputs["c"] = "t";
  const std::string text = write_model(m);
  for (const char* group : {"simulate", "modular", "independent", "stabilization", "projection", "outputs"})
    for (const std::string& key : model::key_group(group).keys)
      EXPECT_NE(text.find(key + ":"), std::string::npos) << group << ": " << key << "\n" << text;
}

// What a file need not say is not in it.
TEST(ModelWriter, LeavesOutWhatSaysNothing) {
  Mechanism m;
  Body held, loose;
  held.name = "held", held.mass = 1, held.free = true;
  loose.name = "loose", loose.mass = 1, loose.free = true;
  m.bodies = {held, loose};
  m.drivers.push_back({"push", Driver::Kind::position, "", false, {{"held", {}}}, {"t", "", ""}, {}});
  m.plan.max_iterations = 7;
  const std::string text = write_model(m);
  for (const char* key : {"solver", "projection", "modular", "independent", "omega", "convergence"})
    EXPECT_EQ(text.find(key), std::string::npos) << text;
  EXPECT_NE(text.find("max-iterations: 7"), std::string::npos) << text;
  EXPECT_EQ(text.find("free: true"), text.rfind("free: true")) << text;
  EXPECT_GT(text.find("free: true"), text.find("loose")) << text;
}

INSTANTIATE_TEST_SUITE_P(Models, WrittenModel, testing::ValuesIn(models()), [](const auto& model) {
  std::string name = model.param;
  for (char& c : name)
    if (c == '-' || c == '/') c = '_';
  return name;
});

}  // namespace
}  // namespace trammel::tests::model_writer_test
