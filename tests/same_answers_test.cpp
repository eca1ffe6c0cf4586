// Every analysis of every model has the same answer in natural, reference and relative coordinates: to 1e-8
// of the largest value of its kind.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "tests/source_dir.h"
#include "trammel/analyses.h"
#include "trammel/model.h"

namespace trammel::tests::same_answers_test {
namespace {

constexpr double kSame = 1e-8;
constexpr const char* kOthers[] = {"reference", "relative"};

std::vector<std::string> models() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(kSourceDir) + "/models"))
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().string());
  std::ranges::sort(all);
  return all;
}

class SameAnswers : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ModelInput input = read_model(GetParam());
    ASSERT_TRUE(input.errors.empty());
    mechanism_ = std::move(input.mechanism);
    if (mechanism_.generalized) GTEST_SKIP() << "it has coordinates of its own";
  }
  Mechanism in(const std::string& coordinates) const {
    Mechanism out = mechanism_;
    out.plan.coordinates = coordinates;
    out.plan.independent_coordinates.clear();  // names of one kind
    return out;
  }
  // Compares what both answer; a refusal is one in all coordinates.
  template <class Solve, class Compare>
  void compare(const Solve& solve, const Compare& same) const {
    const auto first = solve(in("natural"));
    for (const char* coordinates : kOthers) {
      SCOPED_TRACE(coordinates);
      const auto other = solve(in(coordinates));
      ASSERT_EQ(first.report.accepted(), other.report.accepted()) << first.report.message << "\n"
                                                                  << other.report.message;
      if (first.report.accepted()) same(first, other);
    }
  }

 private:
  Mechanism mechanism_;
};
INSTANTIATE_TEST_SUITE_P(Models, SameAnswers, testing::ValuesIn(models()), [](const auto& of) {
  std::string name = std::filesystem::path(of.param).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

bool are_same(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double size = 1e-3;
  for (const Pose& pose : a) size = std::max(size, pose.position.norm());
  return std::ranges::equal(a, b, [&](const Pose& x, const Pose& y) {
    return (x.position - y.position).norm() < kSame * size && (x.axes - y.axes).norm() < kSame;
  });
}
void expect_same(const std::vector<Pose>& a, const std::vector<Pose>& b) { EXPECT_TRUE(are_same(a, b)); }

// All columns, but for those that are one choice of many. What counts is the largest value of a
// unit: a force that is zero by symmetry has the rounding of the others.
void expect_same(const Trajectory& a, const Trajectory& b, const std::set<std::string>& not_unique) {
  ASSERT_EQ(a.rows(), b.rows());
  std::map<std::string, double> largest;  // by unit
  for (std::size_t c = 0; c < a.channels.size(); ++c)
    for (std::size_t r = 0; r < a.rows(); ++r)
      if (const double x = std::abs(a.row(r)[c]); std::isfinite(x))
        largest[a.channels[c].unit] = std::max(largest[a.channels[c].unit], x);
  // Torques have the rounding of forces at the size of the mechanism, accelerations that of speeds squared.
  largest["rad/s2"] = std::max(largest["rad/s2"], largest["rad/s"] * largest["rad/s"]);
  largest["N.m"] = std::max(largest["N.m"], largest["N"] * largest["m"]);
  for (std::size_t c = 0; c < a.channels.size(); ++c) {
    const Channel& channel = a.channels[c];
    if (channel.group == "violation" || not_unique.contains(channel.name)) continue;
    const auto same = std::ranges::find(b.channels, channel.name, &Channel::name);
    ASSERT_NE(same, b.channels.end()) << channel.name;
    const auto at = static_cast<std::size_t>(same - b.channels.begin());
    for (std::size_t r = 0; r < a.rows(); ++r) {
      double x = a.row(r)[c], y = b.row(r)[at];
      if (std::isnan(x) && std::isnan(y)) continue;
      // q and −q are one orientation.
      if (channel.dataset == "orientation") x = std::abs(x), y = std::abs(y);
      ASSERT_NEAR(x, y, kSame * std::max(largest[channel.unit], 1e-3)) << channel.name << ", row " << r;
    }
  }
}

// A singular position is located to 1e-9 s.
void expect_same(const std::vector<SingularPosition>& a, const std::vector<SingularPosition>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k].t, b[k].t, kSame);
    EXPECT_EQ(a[k].turns_back, b[k].turns_back);
    EXPECT_EQ(a[k].joint, b[k].joint);
  }
}

bool can_sweep(const Mechanism& mechanism, const DriverSweep& drive) {
  try {
    static_cast<void>(sweeps_angle(mechanism, drive));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// "hinge.angle" of "hinge.angle = 0.3 rad".
std::vector<std::string> held_names(std::vector<std::string> held) {
  for (std::string& one : held) one.erase(one.find(" = "));
  return held;
}

TEST_P(SameAnswers, Positions) {
  compare([](const Mechanism& m) { return solve_positions(m); },
          [](const Positions& a, const Positions& b) {
            EXPECT_EQ(held_names(a.held), held_names(b.held));
            expect_same(a.branches.at(0).poses, b.branches.at(0).poses);
          });
}

TEST_P(SameAnswers, Kinematics) {
  compare([](const Mechanism& m) { return solve_kinematics(m, {.rows = 10}); },
          [](const Kinematics& a, const Kinematics& b) {
            EXPECT_EQ(held_names(a.held), held_names(b.held));
            expect_same(a.singular, b.singular);
            expect_same(a.motion, b.motion, {});
          });
}

// All that can be swept, and where it stands: distances that are driven, joints with one coordinate, planar
// bodies.
std::map<std::string, double> sweepable(const Mechanism& mechanism, const Positions& start) {
  std::map<std::string, double> all;
  const auto add = [&](const std::string& name, const std::string& column) {
    const int at = start.table.find(column);
    if (at >= 0 && can_sweep(mechanism, {.name = name}))
      all[name] = start.table.row(0)[static_cast<std::size_t>(at)];
  };
  for (const Body& body : mechanism.bodies) add(body.name, body.name + ".angle");
  for (const Joint& joint : mechanism.joints) {
    add(joint.name, joint.name + ".angle");
    add(joint.name, joint.name + ".displacement");
  }
  const auto world = [&](const Marker& marker) -> Vec3 {
    for (std::size_t k = 0; k < mechanism.bodies.size(); ++k)
      if (const Body& body = mechanism.bodies[k]; body.name == marker.body) {
        const Pose& pose = start.branches[0].poses[k];
        return pose.position + pose.axes * (marker.frame.at - body.com);
      }
    return marker.frame.at;
  };
  for (const Driver& driver : mechanism.drivers)
    if (driver.kind == Driver::Kind::distance)
      all[driver.name] = (world(driver.markers[0]) - world(driver.markers[1])).norm();
  return all;
}

// Each goes 0.1 rad or 5 mm on, one after the other. Everything else that is driven stands.
TEST_P(SameAnswers, Sweeps) {
  const Mechanism mechanism = in("natural");
  const Positions start = solve_positions(mechanism);
  if (!start.report.accepted()) GTEST_SKIP() << start.report.message;
  const std::map<std::string, double> all = sweepable(mechanism, start);
  if (all.empty()) GTEST_SKIP() << "nothing has a single coordinate";
  for (const auto& [name, from] : all) {
    DriverSweep drive{name, from, from, 7};
    drive.to += sweeps_angle(mechanism, drive) ? 0.1 : 5e-3;
    SCOPED_TRACE("sweep of " + name);
    compare([&](const Mechanism& m) { return solve_kinematics(m, {.drive = drive}); },
            [](const Kinematics& a, const Kinematics& b) {
              EXPECT_EQ(held_names(a.held), held_names(b.held));
              expect_same(a.singular, b.singular);
              expect_same(a.motion, b.motion, {});
            });
  }
}

TEST_P(SameAnswers, Inverse) {
  compare([](const Mechanism& m) { return solve_inverse(m, {.rows = 10, .hold = true}); },
          [](const InverseDynamics& a, const InverseDynamics& b) {
            ASSERT_EQ(held_names(a.held), held_names(b.held));
            std::set<std::string> not_unique(a.reactions.not_unique.begin(), a.reactions.not_unique.end());
            EXPECT_EQ(not_unique,
                      std::set<std::string>(b.reactions.not_unique.begin(), b.reactions.not_unique.end()));
            expect_same(a.motion, b.motion, not_unique);
          });
}

// What counts is the largest of all: a reaction that is zero by symmetry has the rounding of the others.
// Where nothing acts, springs of up to 1e3 N/m are left at positions known to 1e-12 m.
void expect_same(const std::map<std::string, JointReaction>& a,
                 const std::map<std::string, JointReaction>& b) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  const auto grow = [&](double x) { largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest; };
  for (const auto& [name, one] : a) {
    grow(one.effort);
    for (const JointReaction::Load& load : one.loads) grow(load.force.norm()), grow(load.torque.norm());
  }
  for (const auto& [name, one] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    const JointReaction& other = b.at(name);
    EXPECT_EQ(one.not_unique, other.not_unique) << name;
    const auto expect_near = [&](double x, double y, const std::string& component) {
      if ((std::isnan(x) && std::isnan(y)) ||
          std::ranges::find(one.not_unique, component) != one.not_unique.end())
        return;
      EXPECT_NEAR(x, y, kSame * std::max(largest, 0.1)) << name << "." << component;
    };
    expect_near(one.effort, other.effort, "effort");
    ASSERT_EQ(one.loads.size(), other.loads.size()) << name;
    for (std::size_t k = 0; k < one.loads.size(); ++k) {
      EXPECT_EQ(one.loads[k].body, other.loads[k].body) << name;
      for (int i = 0; i < 3; ++i) {
        const char axis = "xyz"[i];
        expect_near(one.loads[k].force[i], other.loads[k].force[i], fmt::format("force.{}", axis));
        expect_near(one.loads[k].torque[i], other.loads[k].torque[i], fmt::format("torque.{}", axis));
      }
    }
  }
}

TEST_P(SameAnswers, Equilibrium) {
  compare([](const Mechanism& m) { return solve_equilibrium(m); },
          [](const Equilibria& of_a, const Equilibria& of_b) {
            const EquilibriumPosition &a = of_a.found.at(0), &b = of_b.found.at(0);
            ASSERT_EQ(a.kind, b.kind);
            EXPECT_EQ(a.singular, b.singular);
            EXPECT_NEAR(a.potential, b.potential, kSame * std::max(1.0, std::abs(a.potential)));
            // What nothing holds may stand anywhere.
            if (a.kind == EquilibriumKind::neutral) return;
            expect_same(a.poses, b.poses);
            expect_same(a.reactions, b.reactions);
          });
}

// With a force at the last body that moves, and its places and an acceleration as outputs.
Mechanism probed(Mechanism mechanism) {
  const Body& body = mechanism.bodies.back();
  mechanism.inputs.push_back({"probe", 0});
  AppliedForce push{.at = {body.name, {body.com, Mat3::Identity()}}, .components = {"probe", "0.5*probe"}};
  if (!mechanism.is_planar) push.components.push_back("0.3*probe");
  mechanism.forces.push_back({"probe force", push, {}});
  for (const char* column : {"x", "y", "ay"})
    mechanism.outputs[fmt::format("probe {}", column)] = fmt::format("{}.{}", body.name, column);
  return mechanism;
}

// States are those of the coordinates: where they have the same names A, B, C and D are the same; what inputs
// do to outputs, C (sI − A)⁻¹ B + D, and eigenvalues are the same in all of them.
void expect_same(const StateSpace& a, const StateSpace& b) {
  ASSERT_EQ(a.inputs, b.inputs);
  ASSERT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.states.size(), b.states.size());
  const auto expect_near = [](const auto& x, const auto& y, const std::string& what) {
    ASSERT_EQ(x.size(), y.size()) << what;
    if (x.size() == 0) return;
    EXPECT_LT((x - y).cwiseAbs().maxCoeff(), kSame * std::max(1.0, x.cwiseAbs().maxCoeff())) << what;
  };
  if (a.states == b.states) {
    expect_near(a.A, b.A, "A");
    expect_near(a.B, b.B, "B");
    expect_near(a.C, b.C, "C");
  }
  expect_near(a.D, b.D, "D");
  const std::vector<double> hertz = {0.03, 0.7, 20};
  const auto G = frequency_response(a, hertz), H = frequency_response(b, hertz);
  for (std::size_t k = 0; k < hertz.size(); ++k) expect_near(G[k], H[k], fmt::format("{} Hz", hertz[k]));
}

TEST_P(SameAnswers, Modes) {
  compare([](const Mechanism& m) { return solve_modes(probed(m)); },
          [](const Modes& a, const Modes& b) {
            EXPECT_EQ(a.about, b.about);
            ASSERT_EQ(a.modes.size(), b.modes.size());
            for (std::size_t k = 0; k < a.modes.size(); ++k)
              EXPECT_LT(std::abs(a.modes[k].eigenvalue - b.modes[k].eigenvalue),
                        kSame * std::max(1.0, std::abs(a.modes[k].eigenvalue)) + a.modes[k].uncertainty +
                            b.modes[k].uncertainty)
                  << k;
            // A mechanism with free motions may stand elsewhere: rounding decides where the search leaves it.
            const bool free = std::ranges::any_of(a.modes, &VibrationMode::is_free);
            if (free && !are_same(a.poses, b.poses)) return;
            expect_same(a.poses, b.poses);
            expect_same(a.linear, b.linear);
          });
}

TEST_P(SameAnswers, Workspace) {
  compare([](const Mechanism& m) { return solve_workspace(m, {.most = 400, .starts = 0, .cells = 40}); },
          [](const Workspace& a, const Workspace& b) {
            EXPECT_EQ(a.freedoms, b.freedoms);
            EXPECT_EQ(a.covered, b.covered);
            EXPECT_NEAR(a.area.value_or(0), b.area.value_or(0), a.area_error + b.area_error + kSame);
          });
}

}  // namespace
}  // namespace trammel::tests::same_answers_test
