// What tests of machine elements have in common: models from text, runs to a time, forces there.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests {

inline constexpr const char* kCoordinates[] = {"natural", "reference", "relative"};
inline constexpr double kDegree = std::numbers::pi / 180;

inline Mechanism read(const std::string& text) {
  ModelInput input = read_model_text("trammel: 1\n" + text, "machine.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// The first thing that is wrong; empty: nothing.
inline std::string complaint(const std::string& text) {
  const ModelInput input = read_model_text("trammel: 1\n" + text, "machine.yaml");
  return input.errors.empty() ? "" : to_string(input.errors.front());
}

// A run by error control, far below what is compared.
class Moved {
 public:
  Moved(const Mechanism& m, const std::string& coordinates,
        const std::string& formulation = "augmented-lagrangian")
      : simulation_(m, plan(m, coordinates, formulation)) {
    const Report report = simulation_.assemble().report;
    EXPECT_TRUE(report.accepted()) << report.message;
  }
  void to(double t) {
    const StepResult result = simulation_.advance_to(t);
    ASSERT_TRUE(result.report.accepted()) << result.report.message;
    events.insert(events.end(), result.events.begin(), result.events.end());
  }
  static Plan plan(const Mechanism& m, const std::string& coordinates,
                   const std::string& formulation = "augmented-lagrangian") {
    Plan plan = m.plan;
    plan.coordinates = coordinates;
    plan.formulation = formulation;
    plan.integrator = "dopri5";
    plan.tolerance = 1e-10;
    plan.project_positions = plan.project_velocities = true;
    return plan;
  }
  // A joint's coordinate or its rate; without an object, a column of the model's own.
  double reading(const std::string& object, const std::string& quantity) const {
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Reading& r : simulation_.system().readings(simulation_.state(), terms))
      if (r.object == object && r.quantity == quantity) return r.value;
    ADD_FAILURE() << "there is no " << object << "." << quantity;
    return 0;
  }
  // On the first body that moves, world axes; the torque about the joint's place there.
  system::Wrench operator[](const std::string& joint) const {
    const State s = solved();
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Wrench& w : simulation_.system().reactions(s, terms))
      if (w.joint == joint) return w;
    ADD_FAILURE() << "there is no reaction of " << joint;
    return {};
  }
  // The effort of a driver, stop, friction or cam, the force of a spring, tendon or span.
  double effort(const std::string& name) const {
    const State s = solved();
    const system::System& system = simulation_.system();
    system::Terms terms = system.make_terms();
    for (const system::Reading& r : system.efforts(s, terms))
      if (r.object == name) return r.value;
    const std::vector<system::ForceColumn> columns = system.force_columns();
    std::vector<double> forces(columns.size());
    system.forces(s, terms, forces);
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].force == name) return forces[k];
    ADD_FAILURE() << "there is no effort of " << name;
    return 0;
  }
  // What stays constant where nothing is lost.
  double energy() const {
    const Energy e = simulation_.energy();
    return e.kinetic + e.potential - e.work;
  }
  Pose body(std::size_t k) const { return simulation_.system().poses(simulation_.state())[k]; }
  Simulation& simulation() { return simulation_; }

  std::vector<Event> events;

 private:
  State solved() const {
    Report report;
    State s = simulation_.with_reactions(report);
    EXPECT_TRUE(report.accepted()) << report.message;
    return s;
  }
  Simulation simulation_;
};

inline void expect_force(const system::Wrench& w, const Vec3& force, double tolerance) {
  EXPECT_LT((w.force - force).norm(), tolerance)
      << w.joint << ": " << w.force.transpose() << ", not " << force.transpose();
}

}  // namespace trammel::tests
