// Models with constraints of velocities, and their motion by a plan.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::tests {

inline Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text("trammel: 1\n" + text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// González, Dopico, Cuadrado & Kövecses, example 1: two masses that move at one speed.
inline const std::string kPair = R"yaml(
coordinates: {x1: 0, x2: 3}
mass: {x1: 7, x2: 5}
applied: {x1: 2}
constraints: {speed: x1.rate - x2.rate}
)yaml";

// Example 2: A heads for B, which is pushed aside; d = 1 m, masses 1 kg.
inline const std::string kPursuit = R"yaml(
coordinates:
  xA: {start: 0, rate: 1}
  yA: {start: 0, rate: 0}
  xB: {start: 1, rate: 1}
  yB: {start: 0, rate: 0}
mass: {xA: 1, yA: 1, xB: 1, yB: 1}
applied: {yB: 2}
constraints: {heading: xA.rate*(yB - yA) - yA.rate*(xB - xA)}
)yaml";

// A skate on a slope that falls along x: m = 2, J = 0.3, g sin α = 3, ω = 1.4.
inline const std::string kSkate = R"yaml(
coordinates: {x: 0, y: 0, psi: {start: 0, rate: 1.4}}
mass: {x: 2, y: 2, psi: 0.3}
potential: -2*3*x
constraints: {edge: x.rate*sin(psi) - y.rate*cos(psi)}
)yaml";

// Chaplygin's sleigh: the edge lies a = 0.4 behind the centre of mass. m = 2, J = 0.3, Ω = 1.7, no speed.
inline const std::string kSleigh = R"yaml(
parameters: {a: 0.4, spin: 1.7}
coordinates: {x: {start: 0, rate: 0}, y: {start: 0, rate: a*spin}, psi: {start: 0, rate: spin}}
mass: {x: 2, y: 2, psi: 0.3}
constraints: {edge: -x.rate*sin(psi) + y.rate*cos(psi) - a*psi.rate}
)yaml";

// An upright disk of radius 0.5 that rolls and turns.
inline const std::string kDisk = R"yaml(
parameters: {R: 0.5}
coordinates: {x: 0, y: 0, psi: {start: 0, rate: 0.7}, phi: {start: 0, rate: 3}}
mass: {x: 2, y: 2, psi: 0.125, phi: 0.25}
constraints:
  along: x.rate - R*cos(psi)*phi.rate
  across: y.rate - R*sin(psi)*phi.rate
)yaml";

// Everything at once: a skate that is made to slip, b(q, t), with a weight on a rod, Φ(q, t).
inline const std::string kSlipping = R"yaml(
coordinates: {x: 0, y: 0, psi: {start: 0.3, rate: 0.8}, u: 1, w: 0}
mass: {x: 2, y: 2, psi: 0.5, u: 1, w: 1}
applied: {psi: -0.5*psi, u: -0.2*u.rate}
potential: 3*w - x
constraints:
  rod: (u - x)^2 + (w - y)^2 - (1 + 0.1*sin(t))^2
  edge: x.rate*sin(psi + 0.2*t) - y.rate*cos(psi + 0.2*t) - 0.3*sin(2*t)*(1 + 0.1*x)
)yaml";

// Without constraints of velocities: damping and a mass matrix that changes, beside Φ.
inline const std::string kDamped = R"yaml(
coordinates: {x: 1, y: 0, z: {start: 0, rate: 1}}
mass: {x: 1, y: 1 + 0.3*x^2, z: 1 + 0.2*sin(y)}
applied: {x: -0.4*x.rate, z: -0.3*z.rate*y.rate - lag}
potential: 3*y
constraints: {rod: x^2 + y^2 - 1}
states: {lag: x.rate - 2*lag}
)yaml";

struct Choice {
  const char* formulation;
  bool schur = false, stabilized = false;
};
inline const std::vector<Choice> kExact = {{"lagrange"},
                                           {"lagrange", true},
                                           {"baumgarte"},
                                           {"null-space"},
                                           {"null-space", false, true},
                                           {"augmented-lagrangian"},
                                           {"canonical-lagrange"},
                                           {"canonical-lagrange", true},
                                           {"canonical-independent"},
                                           {"canonical-augmented"},
                                           {"independent"}};

inline Plan plan_of(const Choice& method, const std::string& integrator, double h) {
  Plan plan;
  plan.coordinates = "generalized";
  plan.formulation = method.formulation;
  plan.schur = method.schur;
  plan.stabilized = method.stabilized;
  plan.stabilization = "given";
  plan.integrator = integrator;
  plan.tolerance = 1e-12;
  plan.step = h;
  return plan;
}

struct Motion {
  Motion(const Mechanism& mechanism, const Plan& plan) : simulation(mechanism, plan) {
    const AssemblyReport report = simulation.assemble();
    EXPECT_TRUE(report.report.accepted()) << plan.formulation << ": " << explain(report, simulation);
  }
  void go(double end) {
    const double h = simulation.plan().step;
    for (long i = std::lround((end - simulation.state().t) / h); i > 0; --i) {
      const StepResult result = simulation.step(h);
      ASSERT_TRUE(result.report.accepted()) << simulation.plan().formulation << ": " << result.report.message;
      worst.position = std::max(worst.position, result.violation.position);
      worst.velocity = std::max(worst.velocity, result.violation.velocity);
      worst.acceleration = std::max(worst.acceleration, result.violation.acceleration);
    }
  }
  // λ of the last constraint, for the state's own positions and velocities.
  double lambda() const {
    Report report;
    const State s = simulation.with_reactions(report);
    EXPECT_TRUE(report.accepted());
    return s.lambda.back();
  }
  // A v + b of the last constraint.
  double slip() const {
    const system::System& system = simulation.system();
    system::Terms terms = system.make_terms();
    system.evaluate(simulation.state(), system::kAskPosition, terms);
    const auto row = terms.Phi.size() - 1;
    double sum = terms.Phi_t[row];
    for (auto k = static_cast<std::size_t>(system.jacobian().start[row]); k < terms.Phi_v.size(); ++k)
      sum += terms.Phi_v[k] * q_dot(system.jacobian().column[k]);
    return sum;
  }
  double q(int i) const { return simulation.state().q[static_cast<std::size_t>(i)]; }
  double q_dot(int i) const { return simulation.state().v[static_cast<std::size_t>(i)]; }

  Simulation simulation;
  Violation worst;
};

inline State after(const Mechanism& mechanism, const Plan& plan, double end) {
  Motion run(mechanism, plan);
  run.go(end);
  return run.simulation.state();
}

inline double distance(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i)
    largest = std::max({largest, std::abs(a.q[i] - b.q[i]), std::abs(a.v[i] - b.v[i])});
  return largest;
}

}  // namespace trammel::tests
