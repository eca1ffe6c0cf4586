// Inverse dynamics against recursive Newton–Euler, virtual work, and efforts shared by hand.
#include "trammel/analyses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <tuple>

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

// A Gough–Stewart platform on six driven legs, their lengths L₀ + A sin(ωt). By hand: the platform's place
// from the lengths by Newton's method, n·(v + Ω × d) = L̇ and its derivative, and forces from Newton's and
// Euler's equations.
struct Platform {
  static constexpr std::size_t kLegs = 6;
  std::array<Vec3, kLegs> base{Vec3(1, 0.2, 0),     Vec3(-0.3, 1, 0),  Vec3(-0.7, 0.8, 0),
                               Vec3(-0.7, -0.8, 0), Vec3(-0.3, -1, 0), Vec3(1, -0.2, 0)};
  std::array<Vec3, kLegs> top{Vec3(0.45, 0.35, 0), Vec3(0.1, 0.6, 0),  Vec3(-0.6, 0.2, 0),
                              Vec3(-0.6, -0.2, 0), Vec3(0.1, -0.6, 0), Vec3(0.45, -0.35, 0)};
  std::array<double, kLegs> L0{1.15, 1.16, 1.17, 1.17, 1.16, 1.15}, A{0.1, 0.08, 0.1, -0.1, 0.06, -0.05},
      w{2, 3, 2.5, 2, 4, 3};
  double mass = 20;
  Vec3 inertia{2, 2.5, 4};
  const Vec3 g{0, 0, -9.81};
  // A leg's lower part turns about the base, its upper part ends at the platform: centre of mass so far from
  // there, moment of inertia about it across the leg. Thin: next to none along the leg.
  struct Part {
    double mass = 0, from_end = 0, inertia = 0;
  };
  Part lower, upper;

  struct Motion {
    Vec3 r{0, 0, 1}, v{0, 0, 0}, omega{0, 0, 0}, a{0, 0, 0}, alpha{0, 0, 0};
    Mat3 R = Mat3::Identity();
  };
  using Vec6 = Eigen::Matrix<double, 6, 1>;

  // From a place near it.
  Motion at(double t, Motion s) const {
    Mat6 J;
    Vec6 left, rate, more;
    const auto each = [&](auto&& see) {
      for (std::size_t k = 0; k < kLegs; ++k) {
        const Vec3 arm = s.R * top[k], leg = s.r + arm - base[k];
        see(static_cast<Eigen::Index>(k), k, arm, leg.norm(), Vec3(leg.normalized()));
      }
    };
    for (int i = 0; i < 12; ++i) {
      each([&](Eigen::Index row, std::size_t k, const Vec3& arm, double length, const Vec3& n) {
        J.row(row) << n.transpose(), arm.cross(n).transpose();
        left[row] = L0[k] + A[k] * std::sin(w[k] * t) - length;
      });
      const Vec6 step = J.partialPivLu().solve(left);
      s.r += step.head<3>();
      const Vec3 turn = step.tail<3>();
      if (turn.norm() > 0) s.R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * s.R;
    }
    each([&](Eigen::Index row, std::size_t k, const Vec3& arm, double, const Vec3& n) {
      J.row(row) << n.transpose(), arm.cross(n).transpose();
      rate[row] = A[k] * w[k] * std::cos(w[k] * t);
    });
    const Vec6 velocity = J.partialPivLu().solve(rate);
    s.v = velocity.head<3>(), s.omega = velocity.tail<3>();
    each([&](Eigen::Index row, std::size_t k, const Vec3& arm, double length, const Vec3& n) {
      const Vec3 u = s.v + s.omega.cross(arm);
      more[row] = -A[k] * w[k] * w[k] * std::sin(w[k] * t) - n.dot(s.omega.cross(s.omega.cross(arm))) -
                  (u.squaredNorm() - rate[row] * rate[row]) / length;
    });
    const Vec6 acceleration = J.partialPivLu().solve(more);
    s.a = acceleration.head<3>(), s.alpha = acceleration.tail<3>();
    return s;
  }

  // Forces F = f n + h of the legs on the platform, h across them. About the base a leg needs the moment
  // Σ (I + m c²) n × n̈ − Σ m c n × g, which −h gives at its end; along it the upper part needs m (c̈ − g)·n.
  struct Forces {
    std::array<double, kLegs> motors;
    std::array<Vec3, kLegs> on_platform;
  };
  Forces forces(const Motion& s) const {
    Mat6 J;
    const Mat3 I = s.R * Mat3(inertia.asDiagonal()) * s.R.transpose();
    Vec6 needed;
    needed << mass * (s.a - g), I * s.alpha + s.omega.cross(I * s.omega);
    std::array<Vec3, kLegs> across, n;
    std::array<double, kLegs> along;
    for (std::size_t k = 0; k < kLegs; ++k) {
      const Vec3 arm = s.R * top[k], leg = s.r + arm - base[k];
      const double L = leg.norm();
      n[k] = leg / L;
      const Vec3 u = s.v + s.omega.cross(arm),
                 ud = s.a + s.alpha.cross(arm) + s.omega.cross(s.omega.cross(arm));
      const double rate = n[k].dot(u);
      const Vec3 n1 = (u - rate * n[k]) / L;
      const double rate2 = n[k].dot(ud) + n1.dot(u);
      const Vec3 n2 = (ud - rate2 * n[k] - 2 * rate * n1) / L;
      // The lower part's centre of mass is c n, the upper part's (L − e) n.
      const double c = lower.from_end, e = upper.from_end;
      const Vec3 up = (L - e) * n2 + 2 * rate * n1 + rate2 * n[k];
      const Vec3 moment = (lower.inertia + upper.inertia) * n[k].cross(n2) +
                          lower.mass * c * n[k].cross(c * n2 - g) + upper.mass * (L - e) * n[k].cross(up - g);
      across[k] = n[k].cross(moment) / L;  // −h × … : L n × (−h) = moment
      along[k] = upper.mass * n[k].dot(up - g);
      J.col(static_cast<Eigen::Index>(k)) << n[k], arm.cross(n[k]);
      needed.head<3>() -= across[k];
      needed.tail<3>() -= arm.cross(across[k]);
    }
    const Vec6 f = J.partialPivLu().solve(needed);
    Forces out;
    for (std::size_t k = 0; k < kLegs; ++k) {
      const double push = f[static_cast<Eigen::Index>(k)];
      out.on_platform[k] = push * n[k] + across[k];
      out.motors[k] = push + along[k];
    }
    return out;
  }

  std::string text() const {
    const auto vec = [](const Vec3& x) {
      return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z());
    };
    const bool massive = upper.mass > 0;
    std::string points = "points:\n", bodies, joints = "joints:\n", drivers = "drivers:\n", carried;
    for (std::size_t k = 0; k < kLegs; ++k) {
      const Vec3 end = top[k] + Vec3(0, 0, 1), way = end - base[k], n = way.normalized();
      const std::string equals = fmt::format("{:.17g} + {:.17g}*sin({:.17g}*t)", L0[k], A[k], w[k]);
      carried += fmt::format("{}P{}: {}", k == 0 ? "" : ", ", k, vec(top[k]));
      if (!massive) {
        points += fmt::format("  A{0}: {{at: {1}, on: ground}}\n  P{0}: {2}\n", k, vec(base[k]), vec(end));
        drivers += fmt::format("  m{0}: {{distance: [A{0}, P{0}], equals: {1}}}\n", k, equals);
        continue;
      }
      // y across the leg and the world's x axis, so that the universal joint's axes are x and y.
      const Vec3 y = n.cross(Vec3::UnitX()).normalized();
      for (const auto& [name, part, com] : {std::tuple("lower", lower, Vec3(base[k] + lower.from_end * n)),
                                            std::tuple("upper", upper, Vec3(end - upper.from_end * n))})
        bodies += fmt::format(
            "  {}{}: {{mass: {}, inertia: [1e-12, {}, {}], at: {}, orientation: {{x: {}, y: {}}}}}\n", name,
            k, part.mass, part.inertia, part.inertia, vec(com), vec(n), vec(y));
      joints += fmt::format(
          "  foot{0}: {{universal: [lower{0}, ground], at: {1}, axes: [{2}, [1, 0, 0]]}}\n"
          "  m{0}_slide: {{prismatic: [upper{0}, lower{0}], axis: {3}, coordinate: {4:.17g}}}\n"
          "  ball{0}: {{spherical: [platform, upper{0}], at: {5}}}\n",
          k, vec(base[k]), vec(y), vec(n), way.norm(), vec(end));
      drivers += fmt::format("  m{0}: {{joint: m{0}_slide, equals: {1}}}\n", k, equals);
    }
    return "trammel: 1\ngravity: [0, 0, -9.81]\n" + (massive ? "" : points) + "bodies:\n" + bodies +
           fmt::format("  platform: {{mass: {}, inertia: {}, at: [0, 0, 1], {}: {{{}}}}}\n", mass,
                       vec(inertia), massive ? "points" : "carries", carried) +
           (massive ? joints : "") + drivers + "simulate: {duration: 1 s}\noutputs: {interval: 0.02}\n";
  }
};

void expect_newton_euler(const Platform& platform, const char* coordinates) {
  const InverseDynamics found = solved(read(platform.text(), coordinates));
  ASSERT_EQ(found.motion.rows(), 51u);
  EXPECT_TRUE(found.reactions.not_unique.empty());
  const auto column = [&](const std::string& name, std::size_t row) {
    return found.motion.column(name)[row];
  };
  Platform::Motion s;
  for (std::size_t row = 0; row < found.motion.rows(); ++row) {
    s = platform.at(found.motion.row(row)[0], s);
    const Platform::Forces forces = platform.forces(s);
    // Positions are closed to 1e-11.
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(column(fmt::format("platform.{}", "xyz"[i]), row), s.r[i], 1e-11);
      EXPECT_NEAR(column(fmt::format("platform.v.{}", "xyz"[i]), row), s.v[i], 1e-10);
    }
    // Forces are up to 100 N; rounding is amplified by the platform's lever arms and by accelerations.
    for (std::size_t k = 0; k < Platform::kLegs; ++k) {
      EXPECT_NEAR(column(fmt::format("m{}.effort", k), row), forces.motors[k], 1e-9 * 100) << row;
      for (int i = 0; i < 3 && platform.upper.mass > 0; ++i)
        EXPECT_NEAR(column(fmt::format("ball{}.force.{}", k, "xyz"[i]), row), forces.on_platform[k][i],
                    1e-9 * 100)
            << row;
    }
  }
}

TEST_P(InverseIn, LegsOfAStewartPlatformBearWhatNewtonAndEulerSay) {
  Platform platform;
  expect_newton_euler(platform, GetParam());
  platform.lower = {3, 0.25, 0.07};
  platform.upper = {2, 0.3, 0.05};
  expect_newton_euler(platform, GetParam());
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
