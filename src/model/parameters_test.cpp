// Parameters that change after the model was read: the same bits as a fresh read, in a Mechanism, in a
// Simulation and in a saved file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests::parameters_test {
namespace {

namespace fs = std::filesystem;

const std::string kCrank = R"(trammel: 1
plane: xy
gravity: [0, -g]
parameters: {L: 0.3 m, m0: 1 kg, speed: 60 rpm, reach: 2*L, g: 9.81, k: 100}
points:
  O: {at: [0, 0], on: ground}
  A: [L, 0.01]
  B: [L + reach, 0]
bodies:
  crank:   {rod: [O, A], mass: m0, length: L}
  coupler: {rod: [A, B], mass: 2*m0, length: reach}
  slider:  {point: B, mass: m0}
joints:
  guide: {point-on-line: B, through: [0, 0], along: [1, 0]}
drivers:
  motor: {angle: crank, equals: speed*t}
forces:
  spring: {spring: [O, B], stiffness: k, length: L + 0.7, damping: 2}
simulate: {duration: 0.5 s, step: 1 ms}
)";

Mechanism read(const std::string& text, const std::vector<std::string>& settings = {}) {
  return read_model_text(text, "model.yaml", settings).value();
}

// Everything but where it came from: of a fresh read the settings are in its source, and numbers in its text
// as given.
bool same(Mechanism a, Mechanism b) {
  a.source = b.source = nullptr;
  a.changed_parameters = b.changed_parameters = {};
  a.text = b.text = "";
  return a == b;
}

TEST(Parameters, ChangedAfterReadingGiveTheBitsOfAFreshRead) {
  Mechanism changed = read(kCrank);
  changed.set_parameter("L", 0.37);
  const Mechanism fresh = read(kCrank, {"parameters.L=0.37"});
  EXPECT_EQ(changed.parameters.at("reach"), 2 * 0.37);
  EXPECT_TRUE(same(changed, fresh));
  EXPECT_FALSE(same(changed, read(kCrank)));
}

TEST(Parameters, OfEveryModelGiveTheBitsOfAFreshRead) {
  int changes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(kSourceDir) / "models")) {
    if (entry.path().extension() != ".yaml") continue;
    const ModelInput input = read_model(entry.path().string());
    ASSERT_TRUE(input.errors.empty()) << entry.path();
    for (const auto& [name, value] : input.mechanism.parameters) {
      const double other = value == 0 ? 0.01 : value * 1.0078125;
      const ModelInput fresh =
          read_model(entry.path().string(), {fmt::format("parameters.{}={:.17g}", name, other)});
      Mechanism changed = input.mechanism;
      if (!fresh.errors.empty()) {  // a number of bodies, say
        EXPECT_THROW(changed.set_parameter(name, other), std::invalid_argument)
            << entry.path() << " " << name;
        continue;
      }
      changed.set_parameter(name, other);
      EXPECT_TRUE(same(changed, fresh.mechanism)) << entry.path() << ": " << name;
      ++changes;
    }
  }
  EXPECT_GT(changes, 20);
}

TEST(Parameters, LeaveOtherChangesAlone) {
  Mechanism edited = read(kCrank);
  edited.bodies[2].mass = 7;
  edited.set_parameter("m0", 1.5);
  EXPECT_EQ(edited.bodies[2].mass, 1.5);  // it depends on m0, and the last change stands
  edited.bodies[2].mass = 7;
  edited.set_parameter("L", 0.4);
  EXPECT_EQ(edited.bodies[2].mass, 7);
  EXPECT_EQ(edited.bodies[1].length, 0.8);
  EXPECT_EQ(edited.bodies[1].mass, 3);
}

TEST(Parameters, ThatDoNotExistOrCannotBeAreRefused) {
  Mechanism mechanism = read(kCrank);
  const auto message = [&](const std::string& name, double value) {
    try {
      mechanism.set_parameter(name, value);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message("spead", 1).find("did you mean 'speed'?"), std::string::npos) << message("spead", 1);
  EXPECT_NE(message("m0", -1).find("mass"), std::string::npos) << message("m0", -1);
  EXPECT_TRUE(same(mechanism, read(kCrank)));
}

// The message offers the parameters that may be used there, not only those read before; reach needs L itself.
TEST(Parameters, AnUnknownNameIsAnsweredWithTheOthers) {
  const std::string text = "trammel: 1\nplane: xy\nparameters: {L: 1, m0: 2, reach: 2*L}\n";
  const auto complaint = [&](const std::string& setting) {
    const ModelInput input = read_model_text(text, "m.yaml", {setting});
    return input.errors.empty() ? "" : to_string(input.errors.front());
  };
  EXPECT_EQ(
      complaint("parameters.L=foo"),
      "--set parameters.L=foo: L: 'foo' is neither a number nor a parameter; give a number, or a parameter "
      "(there are: m0, pi)");
  EXPECT_EQ(complaint("parameters.L=3*m"),
            "--set parameters.L=3*m: L: unknown name 'm'; declare it as a parameter, or use one of the known "
            "names (m0, pi)");
}

TEST(Parameters, SetBeforeAssemblyGiveTheRunOfAFreshRead) {
  Simulation changed(read(kCrank), read(kCrank).plan);
  changed.set_parameter("L", 0.37);
  const Mechanism fresh_model = read(kCrank, {"parameters.L=0.37"});
  Simulation fresh(fresh_model, fresh_model.plan);
  for (Simulation* simulation : {&changed, &fresh}) {
    ASSERT_TRUE(simulation->assemble().report.accepted());
    ASSERT_TRUE(simulation->advance_to(0.5).report.accepted());
  }
  EXPECT_EQ(changed.state().q, fresh.state().q);
  EXPECT_EQ(changed.state().v, fresh.state().v);
  EXPECT_EQ(changed.state().lambda, fresh.state().lambda);
}

// A pendulum whose gravity is doubled at its lowest point: the rest of the motion keeps the energy of then.
TEST(Parameters, SetWhileItRunsGoOnFromWhereItIs) {
  const Mechanism pendulum = read(R"(trammel: 1
plane: xy
parameters: {g: 9.81, m: 2, L: 0.5}
gravity: [0, -g]
points: {O: {at: [0, 0], on: ground}, A: [L, 0]}
bodies: {rod: {rod: [O, A], mass: m, length: L}}
simulate: {duration: 2 s, step: 1 ms}
)");
  Simulation simulation(pendulum, pendulum.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  ASSERT_TRUE(simulation.advance_to(0.3).report.accepted());
  const Pose before = simulation.pose("rod");
  simulation.set_parameter("g", 19.62);
  const Pose after = simulation.pose("rod");
  EXPECT_EQ(simulation.state().t, 0.3);
  EXPECT_NEAR((after.position - before.position).norm(), 0, 1e-14);
  EXPECT_NEAR((after.velocity - before.velocity).norm(), 0, 1e-13);
  EXPECT_EQ(simulation.mechanism().gravity.y(), -19.62);
  // ½ m v² + ½ I ω² + m g' y is constant from here
  const auto energy = [&](const Pose& pose) {
    const double I = 2 * 0.25 / 12;
    return pose.velocity.squaredNorm() + 0.5 * I * pose.angular_velocity.squaredNorm() +
           2 * 19.62 * pose.position.y();
  };
  ASSERT_TRUE(simulation.advance_to(0.8).report.accepted());
  EXPECT_NEAR(energy(simulation.pose("rod")), energy(after),
              2e-4);  // the trapezoidal rule's own error at 1 ms
}

TEST(Parameters, StayExpressionsInASavedFile) {
  Mechanism changed = read(kCrank);
  changed.set_parameter("m0", 1.25);
  const std::string text = write_model(changed);
  EXPECT_NE(text.find("mass: \"2*m0\""), std::string::npos) << text;
  EXPECT_NE(text.find("reach: \"2*L\""), std::string::npos) << text;
  EXPECT_NE(text.find("m0: 1.25"), std::string::npos) << text;
  // so that the file can be changed by its parameters again
  const Mechanism again = read(text, {"parameters.m0=3"});
  EXPECT_EQ(again.body("coupler")->mass, 6);
  // a field that was changed by itself is a number
  changed.bodies[1].mass = 2.75;
  EXPECT_NE(write_model(changed).find("2.75"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::parameters_test
