// Inverse dynamics against recursive Newton–Euler, virtual work, and efforts shared by hand.
#include "trammel/analyses.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "model/models_testing.h"

namespace trammel::tests::inverse_dynamics_test {
namespace {

Mechanism read(const std::string& text, const std::string& coordinates = "automatic") {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = coordinates;
  return std::move(input.mechanism);
}

InverseDynamics solved(const Mechanism& mechanism, const InverseOptions& options = {}) {
  InverseDynamics found = solve_inverse(mechanism, options);
  EXPECT_TRUE(found.report.accepted()) << found.report.message;
  return found;
}

// A 6R arm, drawn with all angles zero; its joints follow A_i sin(w_i t).
struct Arm {
  std::array<Vec3, 6> axis{Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(0, 1, 0),
                           Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0)};
  std::array<Vec3, 6> at{Vec3(0, 0, 0.2),    Vec3(0.05, 0, 0.4),  Vec3(0.05, 0, 0.9),
                         Vec3(0.3, 0, 0.95), Vec3(0.55, 0, 0.95), Vec3(0.65, 0, 0.95)};
  std::array<Vec3, 6> com{Vec3(0.02, 0.01, 0.3),  Vec3(0.06, 0.04, 0.65), Vec3(0.15, 0.02, 0.93),
                          Vec3(0.42, 0.01, 0.96), Vec3(0.6, -0.01, 0.95), Vec3(0.72, 0.02, 0.97)};
  std::array<double, 6> mass{12, 8, 5, 3, 1.5, 0.8}, A{0.7, 0.5, 0.9, 1.1, 0.6, 1.3}, w{2, 3, 2.5, 4, 3.5, 5};
  std::array<Vec3, 6> inertia{Vec3(0.2, 0.22, 0.1),   Vec3(0.15, 0.16, 0.03), Vec3(0.02, 0.06, 0.05),
                              Vec3(0.01, 0.03, 0.03), Vec3(4e-3, 5e-3, 6e-3), Vec3(1e-3, 2e-3, 2.5e-3)};

  std::string text() const {
    std::string bodies = "bodies:\n", joints = "joints:\n", drivers = "drivers:\n";
    const auto vec = [](const Vec3& x) {
      char line[120];
      std::snprintf(line, sizeof line, "[%.17g, %.17g, %.17g]", x.x(), x.y(), x.z());
      return std::string(line);
    };
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string n = std::to_string(k + 1), before = k == 0 ? "ground" : "link" + std::to_string(k);
      bodies += "  link" + n + ": {mass: " + std::to_string(mass[k]) + ", inertia: " + vec(inertia[k]) +
                ", at: " + vec(com[k]) + "}\n";
      joints += "  j" + n + ": {revolute: [link" + n + ", " + before + "], at: " + vec(at[k]) +
                ", axis: " + vec(axis[k]) + "}\n";
      drivers += "  m" + n + ": {angle: j" + n + ", equals: " + std::to_string(A[k]) + "*sin(" +
                 std::to_string(w[k]) + "*t)}\n";
    }
    return "trammel: 1\ngravity: [0, 0, -9.81]\n" + bodies + joints + drivers +
           "simulate: {duration: 2 s}\noutputs: {interval: 0.1}\n";
  }

  // Luh, Walker & Paul (1980), in world axes.
  std::array<double, 6> torques(double t) const {
    std::array<Mat3, 6> R;
    std::array<Vec3, 6> z, r, c, w_of, alpha, force, moment;
    Mat3 before = Mat3::Identity();
    Vec3 omega = Vec3::Zero(), turn = Vec3::Zero(), place = Vec3::Zero(), acc(0, 0, 9.81),
         from = Vec3::Zero();
    for (std::size_t k = 0; k < 6; ++k) {
      const double q = A[k] * std::sin(w[k] * t), qd = A[k] * w[k] * std::cos(w[k] * t),
                   qdd = -w[k] * w[k] * q;
      const Vec3 d = before * (at[k] - from);
      acc += turn.cross(d) + omega.cross(omega.cross(d));
      place += d;
      from = at[k];
      r[k] = place;
      z[k] = before * axis[k];
      turn += omega.cross(z[k]) * qd + z[k] * qdd;
      omega += z[k] * qd;
      before = before * Eigen::AngleAxisd(q, axis[k]).toRotationMatrix();
      R[k] = before;
      w_of[k] = omega;
      alpha[k] = turn;
      const Vec3 arm = before * (com[k] - at[k]);
      c[k] = place + arm;
      const Mat3 I = before * Mat3(inertia[k].asDiagonal()) * before.transpose();
      force[k] = mass[k] * (acc + turn.cross(arm) + omega.cross(omega.cross(arm)));
      moment[k] = I * turn + omega.cross(I * omega);
    }
    std::array<double, 6> tau;
    Vec3 F = Vec3::Zero(), N = Vec3::Zero(), last = Vec3::Zero();
    for (std::size_t k = 6; k-- > 0;) {
      N += (last - r[k]).cross(F) + moment[k] + (c[k] - r[k]).cross(force[k]);
      F += force[k];
      last = r[k];
      tau[k] = z[k].dot(N);
    }
    return tau;
  }
};

class InverseIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, InverseIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(InverseIn, TorquesOfA6RArmAreThoseOfNewtonEuler) {
  const Arm arm;
  const InverseDynamics found = solved(read(arm.text(), GetParam()));
  ASSERT_EQ(found.motion.rows(), 21u);
  EXPECT_FALSE(found.shared);
  double largest = 0, worst = 0;
  for (std::size_t row = 0; row < found.motion.rows(); ++row) {
    const std::array<double, 6> tau = arm.torques(found.motion.row(row)[0]);
    for (std::size_t k = 0; k < 6; ++k) {
      const int column = found.motion.find("m" + std::to_string(k + 1) + ".effort");
      ASSERT_GE(column, 0);
      largest = std::max(largest, std::abs(tau[k]));
      worst = std::max(worst, std::abs(found.motion.row(row)[static_cast<std::size_t>(column)] - tau[k]));
    }
  }
  EXPECT_GT(largest, 50);
  EXPECT_LT(worst, 1e-10 * largest);
}

// A parallelogram with massless cranks, both driven: T = m g a cos θ is shared so that Σ w e² is least.
constexpr const char* kParallelogram = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, B: [0.8, 0.5], C: [2.8, 0.5]}
bodies:
  left:    {rod: [A, B], mass: 0, length: 1}
  coupler: {rod: [B, C], mass: 3, length: 2}
  right:   {rod: [D, C], mass: 0, length: 1}
drivers:
  first:  {angle: left, equals: 0.5 + 2*t}
  second: {angle: right, equals: 0.5 + 2*t}
simulate: {duration: 1 s}
outputs: {interval: 0.05}
)";

TEST(Inverse, RedundantDriversShareTheirEffortByWeight) {
  const Mechanism mechanism = read(kParallelogram);
  for (const double weight : {1.0, 3.0}) {
    InverseOptions options;
    options.weights["second"] = weight;
    const InverseDynamics found = solved(mechanism, options);
    EXPECT_TRUE(found.shared);
    EXPECT_FALSE(found.reactions.not_unique.empty());
    const std::vector<double> t = found.motion.column("t"), first = found.motion.column("first.effort"),
                              second = found.motion.column("second.effort");
    for (std::size_t k = 0; k < t.size(); ++k) {
      const double T = 3 * 9.81 * std::cos(0.5 + 2 * t[k]);
      EXPECT_NEAR(first[k], T * weight / (1 + weight), 1e-9) << t[k];
      EXPECT_NEAR(second[k], T / (1 + weight), 1e-9) << t[k];
    }
  }
}

TEST(Inverse, AnIdleDriverExertsNothing) {
  InverseOptions options;
  options.idle = {"first"};
  const InverseDynamics found = solved(read(kParallelogram), options);
  const std::vector<double> t = found.motion.column("t"), first = found.motion.column("first.effort"),
                            second = found.motion.column("second.effort");
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(first[k], 0, 1e-9);
    EXPECT_NEAR(second[k], 3 * 9.81 * std::cos(0.5 + 2 * t[k]), 1e-9);
  }
  options.idle = {"first", "second"};
  const Mechanism mechanism = read(kParallelogram);
  const InverseDynamics none = solve_inverse(mechanism, options);
  EXPECT_EQ(none.report.outcome, Outcome::refused);
  EXPECT_NE(none.report.message.find("cannot be idle at t = 0 s"), std::string::npos) << none.report.message;
}

// Gough–Stewart platform on six driven legs: their power is the change of the energy.
TEST_P(InverseIn, LegsOfAStewartPlatformDoTheWorkThatItsEnergyNeeds) {
  const InverseDynamics found = solved(read(R"(
trammel: 1
gravity: [0, 0, -9.81]
points:
  A1: {at: [1, 0.2, 0], on: ground}
  A2: {at: [-0.3, 1, 0], on: ground}
  A3: {at: [-0.7, 0.8, 0], on: ground}
  A4: {at: [-0.7, -0.8, 0], on: ground}
  A5: {at: [-0.3, -1, 0], on: ground}
  A6: {at: [1, -0.2, 0], on: ground}
  P1: [0.45, 0.35, 1]
  P2: [0.1, 0.6, 1]
  P3: [-0.6, 0.2, 1]
  P4: [-0.6, -0.2, 1]
  P5: [0.1, -0.6, 1]
  P6: [0.45, -0.35, 1]
bodies:
  platform:
    mass: 20
    inertia: [2, 2.5, 4]
    at: [0, 0, 1]
    carries: {P1: [0.45, 0.35, 0], P2: [0.1, 0.6, 0], P3: [-0.6, 0.2, 0], P4: [-0.6, -0.2, 0], P5: [0.1, -0.6, 0], P6: [0.45, -0.35, 0]}
drivers:
  l1: {distance: [A1, P1], equals: 1.15 + 0.1*sin(2*t)}
  l2: {distance: [A2, P2], equals: 1.16 + 0.08*sin(3*t)}
  l3: {distance: [A3, P3], equals: 1.17 + 0.1*sin(2.5*t)}
  l4: {distance: [A4, P4], equals: 1.17 - 0.1*sin(2*t)}
  l5: {distance: [A5, P5], equals: 1.16 + 0.06*sin(4*t)}
  l6: {distance: [A6, P6], equals: 1.15 - 0.05*sin(3*t)}
simulate: {duration: 1 s}
outputs: {interval: 1e-3}
)",
                                            GetParam()));
  const std::vector<double> t = found.motion.column("t"), K = found.motion.column("energy.kinetic"),
                            V = found.motion.column("energy.potential");
  const std::array<double, 6> a{0.1, 0.08, 0.1, -0.1, 0.06, -0.05}, w{2, 3, 2.5, 2, 4, 3};
  for (std::size_t k = 3; k + 3 < t.size(); k += 50) {
    double power = 0;
    for (std::size_t leg = 0; leg < 6; ++leg)
      power += found.motion.column("l" + std::to_string(leg + 1) + ".effort")[k] * a[leg] * w[leg] *
               std::cos(w[leg] * t[k]);
    const auto E = [&](std::size_t i) { return K[i] + V[i]; };
    const double change =
        (45 * (E(k + 1) - E(k - 1)) - 9 * (E(k + 2) - E(k - 2)) + (E(k + 3) - E(k - 3))) / 60e-3;
    EXPECT_NEAR(power, change, 1e-8 * 200) << t[k];
  }
}

// Crank and rod of one length: at 90° the slider stands on the crank's axis, and motions cross. Efforts stay
// finite there, as the power tells; the force of the guide grows as tan θ. r = 0.1 m, ω = 20 rad/s.
TEST_P(InverseIn, EffortsAndReactionsNextToACrossingAreThoseOfTheClosedForm) {
  const InverseDynamics found = solved(read(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  A: [0.1, 0]
  B: [0.2, 0]
bodies:
  crank: {rod: [O, A], mass: 1.5, length: 0.1}
  rod: {rod: [A, B], mass: 0.8, length: 0.1}
  slider: {point: B, mass: 2}
joints:
  guide: {point-on-line: B, through: [0, 0], along: [1, 0]}
forces:
  gas: {force: [-300, 0], at: B}
drivers:
  motor: {angle: crank, equals: 20*t}
simulate: {duration: 0.5}
outputs: {interval: 5e-4}
)",
                                            GetParam()));
  const double r = 0.1, w = 20, g = 9.81;
  const std::vector<double> t = found.motion.column("t"), effort = found.motion.column("motor.effort"),
                            guide = found.motion.column("guide.force.y");
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double c = std::cos(w * t[k]), s = std::sin(w * t[k]);
    const double dT = 4.8 * 2 * r * r * s * c, dV = 1.5 * g * r / 2 * c + 0.8 * g * r / 2 * c - 600 * r * s;
    EXPECT_NEAR(effort[k], dT * w * w + dV, 1e-6 * 60) << "at theta = " << w * t[k];
    const double push = 300 - 2 * 2 * r * w * w * c, N = 2.4 * g + s / c * push - 0.8 * w * w * r * s;
    EXPECT_NEAR(guide[k], N, 1e-6 * (300 + std::abs(N))) << "at theta = " << w * t[k];
  }
  for (const double at : found.doubtful) EXPECT_LT(std::abs(std::cos(w * at)), 0.02) << at;
}

TEST(Inverse, AFreedomThatNothingDrivesIsNamed) {
  const Mechanism mechanism = model("double-pendulum");
  const InverseDynamics found = solve_inverse(mechanism);
  EXPECT_EQ(found.report.outcome, Outcome::refused);
  EXPECT_NE(found.report.message.find("A.angle"), std::string::npos) << found.report.message;
  EXPECT_NE(found.report.message.find("O.angle"), std::string::npos) << found.report.message;
}

TEST(Inverse, AnUnknownDriverIsTold) {
  InverseOptions options;
  options.weights["motr"] = 2;
  const Mechanism mechanism = model("driven-slider-crank");
  const InverseDynamics found = solve_inverse(mechanism, options);
  EXPECT_EQ(found.report.message, "there is no driver 'motr'; the drivers are: motor");
}

}  // namespace
}  // namespace trammel::tests::inverse_dynamics_test
