// Problems 5/1 to 5/10 of García de Jalón & Bayo (1994), chapter 5: models/chapter-5 by the methods that each
// problem names, against answers derived by hand. One line of kSolutions is one problem by one method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>

#include "reproduce/chapter5_answers.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::chapter5_test {
namespace {

Mechanism read(const std::string& name, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model(std::string(kSourceDir) + "/models/chapter-5/" + name + ".yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

using Rows = std::vector<std::vector<double>>;

// A model in motion, with columns that are read by their names.
class Motion {
 public:
  Motion(Mechanism mechanism, const Plan& plan, const std::vector<std::string>& observed)
      : simulation_(with(mechanism, observed), plan), observed_(observed.size()) {
    const AssemblyReport assembly = simulation_.assemble();
    EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
    is_well_ = assembly.report.accepted();
  }

  void advance(double time) {
    if (time == 0) return;
    const double h = simulation_.plan().step;
    for (long i = simulation::controls_error(simulation_.plan()) ? 1 : std::lround(time / h);
         is_well_ && i > 0; --i) {
      const StepResult result = simulation_.step(simulation::controls_error(simulation_.plan()) ? time : h);
      is_well_ = result.report.accepted();
      EXPECT_TRUE(is_well_) << "t = " << simulation_.state().t << " s: " << result.report.message;
    }
  }
  std::vector<double> values() const {
    system::Terms terms = simulation_.system().make_terms();
    std::vector<double> out(observed_);
    for (const system::Reading& r : simulation_.system().readings(simulation_.state(), terms))
      if (r.object.empty() && r.quantity.starts_with("observed"))
        out.at(std::stoul(r.quantity.substr(8))) = r.value;
    return out;
  }
  const Simulation& simulation() const { return simulation_; }

 private:
  static const Mechanism& with(Mechanism& mechanism, const std::vector<std::string>& observed) {
    for (std::size_t i = 0; i < observed.size(); ++i)
      mechanism.outputs["observed" + std::to_string(i)] = observed[i];
    return mechanism;
  }

  Simulation simulation_;
  std::size_t observed_;
  bool is_well_ = true;
};

Rows rows_of(const Mechanism& mechanism, const Plan& plan, const reproduce::Answer& answer) {
  Motion motion(mechanism, plan, answer.observed);
  Rows rows{motion.values()};
  for (int i = 0; i < answer.rows; ++i) {
    motion.advance(answer.until / answer.rows);
    rows.push_back(motion.values());
  }
  return rows;
}

double largest_difference(const Rows& a, const Rows& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  return largest;
}

// A rule that controls its error runs as it is; one of second order with two steps, extrapolated
// (Richardson), so that its order is tested too: with a wrong order, or a wrong limit, the difference is far
// larger.
Rows solved(const Mechanism& mechanism, Plan plan, const reproduce::Answer& answer) {
  if (simulation::controls_error(plan)) return rows_of(mechanism, plan, answer);
  const Rows coarse = rows_of(mechanism, plan, answer);
  plan.step /= 2;
  Rows fine = rows_of(mechanism, plan, answer);
  for (std::size_t i = 0; i < fine.size(); ++i)
    for (std::size_t k = 0; k < fine[i].size(); ++k) fine[i][k] += (fine[i][k] - coarse[i][k]) / 3;
  return fine;
}

struct Solution {
  const char* problem;
  reproduce::Answer (*answer)();
  const char *coordinates, *formulation;
  double tolerance;  // of lengths in m, and of angles in 5/10
  const char* why;
};

void PrintTo(const Solution& s, std::ostream* out) { *out << s.problem << " by " << s.formulation; }

constexpr const char* kIndex3 = "augmented-lagrangian-index3";
// What the tolerances stand for.
constexpr const char *kTight = "dopri5 at 1e-12, errors grow by 100 to 1000 over the motion",
                     *kPenalty =
                         "proportional to 1/penalty: some 1e-6 of the accelerations, and what they do in 2 s",
                     *kExtrapolated =
                         "h² is gone, the projections leave h³ = 1e-9 times t² and rates of 10/s",
                     *kIllConditioned = "as kTight, accelerations from a matrix of condition 1e6";

const std::vector<Solution> kSolutions = {
    {"5/1 a", reproduce::slider_crank, "natural", "lagrange", 1e-9, kTight},
    {"5/1 b", reproduce::slider_crank, "natural", "penalty", 1e-4, kPenalty},
    {"5/1", reproduce::slider_crank, "natural", "augmented-lagrangian", 1e-8, kIllConditioned},
    {"5/1", reproduce::slider_crank, "natural", kIndex3, 1e-6, kExtrapolated},
    {"5/2 a", reproduce::slider_crank, "natural", "null-space", 1e-9, kTight},
    {"5/2 b", reproduce::slider_crank_in_x2, "natural", "null-space", 1e-9, kTight},
    {"5/2 b", reproduce::slider_crank_in_x2, "natural", "independent", 1e-9, kTight},
    {"5/2 a, L3 = L2", reproduce::equal_links, "natural", kIndex3, 1e-5, kExtrapolated},
    {"5/3", reproduce::slider_crank_in_x2, "natural", "canonical-independent", 1e-9, kTight},
    {"5/4 a", reproduce::driven_pivot, "natural", "lagrange", 1e-9, kTight},
    {"5/4", reproduce::driven_pivot, "natural", "null-space", 1e-9, kTight},
    {"5/4 b", reproduce::driven_pivot, "natural", "independent", 1e-9, kTight},
    {"5/4 b", reproduce::driven_pivot, "relative", "independent", 1e-9, kTight},
    {"5/5", reproduce::slider_crank, "natural", "canonical-augmented", 1e-8, kIllConditioned},
    {"5/6", reproduce::four_bar, "natural", "baumgarte", 1e-9, kTight},
    {"5/6", reproduce::four_bar, "relative", "baumgarte", 1e-9, kTight},
    {"5/6", reproduce::four_bar, "natural", kIndex3, 1e-5, kExtrapolated},
    {"5/7", reproduce::open_slider_crank, "natural", "penalty", 1e-5, kPenalty},
    {"5/7", reproduce::open_slider_crank, "natural", "lagrange", 1e-9, kTight},
    {"5/7", reproduce::open_slider_crank, "relative", "penalty", 1e-5, kPenalty},
    {"5/8", reproduce::coin, "natural", "lagrange", 1e-9, kTight},
    {"5/8", reproduce::coin, "reference", "lagrange", 1e-9, kTight},
    {"5/8", reproduce::coin, "natural", kIndex3, 1e-6, kExtrapolated},
    {"5/9", reproduce::satellite, "natural", "lagrange", 1e-9, kTight},
    {"5/9", reproduce::satellite, "reference", "lagrange", 1e-9, kTight},
    {"5/9", reproduce::satellite, "natural", kIndex3, 1e-6, kExtrapolated},
    {"5/10", reproduce::held_upright, "natural", "lagrange", 1e-8, kTight},
    {"5/10", reproduce::held_upright, "relative", "lagrange", 1e-8, kTight},
    {"5/10", reproduce::held_upright, "natural", kIndex3, 1e-5, kExtrapolated},
};

// dopri5 at a tight tolerance, or the trapezoidal rule of index 3 with the step that `solved` halves.
Plan plan_of(const Mechanism& mechanism, const std::string& coordinates, const std::string& formulation) {
  Plan plan;
  plan.coordinates = coordinates;
  plan.formulation = formulation;
  plan.duration = mechanism.plan.duration;
  plan.stabilization = "given";
  plan.penalty = mechanism.plan.penalty;
  plan.step = 1e-3;
  if (plan.formulation == kIndex3) return plan;
  plan.integrator = "dopri5";
  plan.tolerance = 1e-12;
  plan.step = 0;
  return plan;
}

class Chapter5 : public testing::TestWithParam<Solution> {};

TEST_P(Chapter5, AgreesWithTheAnswerDerivedByHand) {
  const Solution& s = GetParam();
  const reproduce::Answer answer = s.answer();
  const Mechanism mechanism = read(answer.model);
  const Rows exact = answer.exact(answer.until, answer.rows);
  const Rows rows = solved(mechanism, plan_of(mechanism, s.coordinates, s.formulation), answer);
  ASSERT_EQ(rows.size(), exact.size());
  const double difference = largest_difference(rows, exact);
  EXPECT_LT(difference, s.tolerance) << s.why;
}

INSTANTIATE_TEST_SUITE_P(Problems, Chapter5, testing::ValuesIn(kSolutions), [](const auto& of) {
  std::string name = std::string(of.param.problem) + "_" + of.param.coordinates + "_" + of.param.formulation;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// 5/1: accelerations as the equations of the book have them, M q̈ + Φ_qᵀλ = Q in (x1, y1, x2), solved by hand.
TEST(Problem1, StartsAsTheEquationsSay) {
  const Mechanism mechanism = read("1-slider-crank");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  // eight decimals are given
  EXPECT_NEAR(simulation.state().a[0], 2.41892275, 1e-8);
  EXPECT_NEAR(simulation.state().a[1], -2.41892275, 1e-8);
  EXPECT_NEAR(simulation.state().a[2], 3.33318961, 1e-8);
}

// 5/2: where the Jacobian loses rank, (5.17) has no solution, and the run says so.
TEST(Problem2, TheMatrixREndsAtTheSingularPosition) {
  const Mechanism mechanism =
      read("2-equal-links", {"parameters.start=-90 deg", "initial={P1: {velocity: [1, 0]}}"});
  Plan plan = mechanism.plan;
  plan.formulation = "null-space";
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_FALSE(assembly.report.accepted());
  EXPECT_NE(assembly.report.message.find("augmented-lagrangian-index3"), std::string::npos)
      << assembly.report.message;
}

// 5/7: the error of a penalty is proportional to its inverse.
TEST(Problem7, PenaltyErrorFallsAsItsInverse) {
  const reproduce::Answer answer = reproduce::open_slider_crank();
  const Mechanism mechanism = read(answer.model);
  const Rows exact = answer.exact(answer.until, answer.rows);
  Plan plan = plan_of(mechanism, "natural", "penalty");
  plan.penalty = 1e5;
  const double soft = largest_difference(rows_of(mechanism, plan, answer), exact);
  plan.penalty = 1e6;
  const double stiff = largest_difference(rows_of(mechanism, plan, answer), exact);
  // the next term is of the order of 1/α² = 1e-10 against 1e-5
  EXPECT_NEAR(soft / stiff, 10, 0.1);
}

// 5/9: I ω + h a keeps its size and direction, ω·Iω its value; each satellite's points are driven by its own
// cause.
TEST(Problem9, AngularMomentumAndEnergyAreKept) {
  const Mechanism mechanism = read("9-satellite");
  const Mat3 inertia = mechanism.bodies.front().inertia;
  const Vec3 h(0, 0, mechanism.parameters.at("h"));
  for (const std::size_t body : {0U, 1U}) {
    Vec3 momentum[2];
    double energy[2];
    for (const int end : {0, 1}) {
      Motion motion(mechanism, plan_of(mechanism, "natural", "lagrange"), {});
      motion.advance(10.0 * end);
      const Pose pose = motion.simulation().system().poses(motion.simulation().state()).at(body);
      const Vec3 omega = pose.axes.transpose() * pose.angular_velocity;
      momentum[end] = pose.axes * (inertia * omega + h);
      energy[end] = 0.5 * omega.dot(inertia * omega);
    }
    // dopri5 at 1e-12 over some 70 rad of nutation; momentum 200 N.m.s, energy 17 J
    EXPECT_LT((momentum[1] - momentum[0]).norm(), 1e-7);
    EXPECT_NEAR(energy[1], energy[0], 1e-8);
  }
}

// 5/10: the rods come back to the vertical; without the actuator the faster motion grows as cosh(a t).
TEST(Problem10, HeldByItsLawAndFallingWithoutIt) {
  const auto angles_at = [](double t, const Mechanism& mechanism) {
    Motion motion(mechanism, plan_of(mechanism, "natural", "lagrange"),
                  {"lower.angle - pi/2", "upper.angle - pi/2"});
    motion.advance(t);
    return motion.values();
  };
  const std::vector<double> held = angles_at(6, read("10-held-upright"));
  // exp(−b t) t after 6 s: 6e-7 of starting angles that the non-linear motion has made ten times larger
  EXPECT_NEAR(held[0], 0, 1e-5);
  EXPECT_NEAR(held[1], 0, 1e-5);

  const double a2 = (3 + 6 / std::sqrt(7)) * 9.81, t = 1;
  // (4/3 a² − 3/2 g) ψ1 + a²/2 ψ2 = 0
  const double start = 1e-6, other = -start * (4.0 / 3 * a2 - 1.5 * 9.81) / (a2 / 2);
  const Mechanism loose =
      read("10-held-upright", {"parameters.k1=0", "parameters.k2=0", "parameters.d1=0", "parameters.d2=0",
                               "parameters.start1=" + std::to_string(start * 1e6) + "e-6",
                               "parameters.start2=" + std::to_string(other * 1e6) + "e-6"});
  const std::vector<double> falling = angles_at(t, loose);
  // angles of 2e-3 rad: sin ψ = ψ to 1e-6; six digits of the start let the slower motion in by 1e-6
  EXPECT_NEAR(falling[0] / (start * std::cosh(std::sqrt(a2) * t)), 1, 1e-5);
  EXPECT_NEAR(falling[1] / (other * std::cosh(std::sqrt(a2) * t)), 1, 1e-5);
}

}  // namespace
}  // namespace trammel::tests::chapter5_test
