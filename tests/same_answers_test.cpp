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

void expect_same(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  ASSERT_EQ(a.size(), b.size());
  double size = 0;
  for (const Pose& pose : a) size = std::max(size, pose.position.norm());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_LT((a[k].position - b[k].position).norm(), kSame * std::max(size, 1e-3)) << "body " << k;
    EXPECT_LT((a[k].axes - b[k].axes).norm(), kSame) << "body " << k;
  }
}

// Columns that both have, but for those that are one choice of many. What counts is the largest value of a
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
    const auto same = std::ranges::find(b.channels, channel.name, &Channel::name);
    if (same == b.channels.end() || channel.group == "violation" || not_unique.contains(channel.name))
      continue;
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
            ASSERT_EQ(a.singular.size(), b.singular.size());
            expect_same(a.motion, b.motion, {});
          });
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

TEST_P(SameAnswers, Equilibrium) {
  compare([](const Mechanism& m) { return solve_equilibrium(m); },
          [](const Equilibria& a, const Equilibria& b) {
            ASSERT_EQ(a.found.at(0).kind, b.found.at(0).kind);
            EXPECT_EQ(a.found[0].singular, b.found[0].singular);
            // What nothing holds may stand anywhere.
            if (a.found[0].kind != EquilibriumKind::neutral) expect_same(a.found[0].poses, b.found[0].poses);
            EXPECT_NEAR(a.found[0].potential, b.found[0].potential,
                        kSame * std::max(1.0, std::abs(a.found[0].potential)));
          });
}

TEST_P(SameAnswers, Modes) {
  compare([](const Mechanism& m) { return solve_modes(m); },
          [](const Modes& a, const Modes& b) {
            EXPECT_EQ(a.about, b.about);
            ASSERT_EQ(a.modes.size(), b.modes.size());
            for (std::size_t k = 0; k < a.modes.size(); ++k)
              EXPECT_LT(std::abs(a.modes[k].eigenvalue - b.modes[k].eigenvalue),
                        kSame * std::max(1.0, std::abs(a.modes[k].eigenvalue)) + a.modes[k].uncertainty +
                            b.modes[k].uncertainty)
                  << k;
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
