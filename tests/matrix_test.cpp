// Every model of models/ in every kind of coordinates by every formulation: the same motion, or a refusal
// with its reason. What exists is taken from known_coordinates() and known_formulations(): a new one is
// tested by being listed there.
//
// A motion comes with how well it is known: from a rule of second order by extrapolation of three steps, from
// one that controls its error by two tolerances. Two motions must agree as far as both are known. Where
// something is wrong with the mechanics the difference stays while these go to zero.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "analysis/acceptance.h"
#include "model/models_testing.h"
#include "simulation/plan_check.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::matrix_test {
namespace {

const std::string kModels = std::string(kSourceDir) + "/models/";

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kModels))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().lexically_relative(kModels).replace_extension().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Motion to compare: long enough for every body to move, short enough to keep clear of singular positions.
constexpr double kDuration = 0.3;  // s, but a tenth of the model's own at most
constexpr int kSamples = 5;
// Tolerances of rules that control their error. The finer one stays above the rounding of accelerations that
// come from a matrix of condition 1e6, as those with penalties do.
constexpr double kCoarse = 1e-9, kFine = 1e-10;
// Two estimates of what is known may both be small by luck: their sum counts this often.
constexpr double kDoubt = 10;
// Rounding: 1e-16 in positions over a few hundred steps of h, each with 1e-16/h in velocities.
constexpr double kRounding = 1e-10;
// Nothing is compared that is known less well than this, of the mechanism's size.
constexpr double kWorst = 1e-4;

// What is changed in a model, and how long it runs, where the common choice does not fit.
struct Choice {
  std::vector<std::string> settings;
  double duration = kDuration;
};
const std::map<std::string, Choice> kChoices = {
    // Dampers that explicit rules, algebraic among them, would follow in steps of microseconds.
    {"flyball-governor", {{"parameters.k=4 kN/m", "parameters.c=200"}}},
    // Large loads, to which constraints by penalties give way: after 0.3 s by more than model_error().
    {"delta-robot", {{}, 0.1}},
    {"double-wishbone", {{}, 0.05}},
    {"scissor-lift", {{}, 0.1}},
    {"toggle-press", {{}, 0.05}},
    // At 150 rad/s the acceleration is 22500 m/s²: an error of 1e-6 of it, as penalties leave, adds up in
    // radians.
    {"heavy-top", {{}, 0.05}},
    // The same at 60 rad/s.
    {"helical-gearbox", {{}, 0.05}},
    // As well with few.
    {"n-four-bar", {{"parameters.N=5"}}},
    // Pushed from the start.
    {"rolling-wheel", {{"applied.y=f"}}},
};

// Formulations that solve other equations, close to those of the mechanism.
double model_error(const std::string& formulation) {
  // In proportion to 1/penalty, which is 1e6 times the inverse of the mass moved: 1e-6 of the accelerations,
  // and most in reference coordinates, where every joint gives by that much.
  return formulation == "penalty" ? 3e-4 : 0;
}

struct Sampled {
  std::vector<double> values;
  double known_to = 0;
  std::string failure;
};

double largest_difference(const Sampled& a, const Sampled& b) {
  if (a.values.size() != b.values.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  return largest;
}

// Where everything is, lengths over the mechanism's size: bodies, named points, a model's own coordinates.
void sample(const Simulation& simulation, double size, std::vector<double>& values) {
  const Mechanism& mechanism = simulation.mechanism();
  const auto add = [&](const auto& numbers) { values.insert(values.end(), numbers.begin(), numbers.end()); };
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  for (std::size_t b = 0; b < poses.size(); ++b) {
    add(Vec3(poses[b].position / size));
    const Body::Kind kind = mechanism.bodies[b].kind;
    // A rod in space has no rotation about itself, a point mass none at all.
    if (kind == Body::Kind::rigid) add(poses[b].axes.reshaped());
    if (kind == Body::Kind::rod) add(poses[b].axes.col(0));
  }
  for (const Vec3& point : simulation.system().point_positions(simulation.state())) add(Vec3(point / size));
  if (mechanism.generalized) add(simulation.state().q);
}

class Matrix : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto choice = kChoices.find(GetParam());
    const Choice how = choice == kChoices.end() ? Choice() : choice->second;
    mechanism_ = model(GetParam(), how.settings);
    step_ = mechanism_.plan.step;
    steps_per_sample_ =
        std::max(1L, std::lround(std::min(how.duration, mechanism_.plan.duration / 10) / step_ / kSamples));
    home_ = mechanism_.generalized ? "generalized" : "natural";
    size_ = system::compile(mechanism_, home_)->length_scale();
    reference_ = motion(plan(home_, kIndex3));
    ASSERT_EQ(reference_.failure, "");
    ASSERT_LT(kDoubt * reference_.known_to, kWorst) << "a smaller step or a shorter time is needed";
  }

  // The formulation with a rule that suits it.
  Plan plan(const std::string& coordinates, const std::string& formulation) const {
    Plan own;
    own.coordinates = coordinates;
    own.formulation = formulation;
    own.duration = mechanism_.plan.duration;
    // The error of its rule, with Φ of order h², is several times that of index 3 at the same step.
    own.step = formulation == "modular" ? step_ / 4 : step_;
    own.stabilization = "given";
    if (simulation::is_own_rule(formulation)) return own;
    Plan tight = own;
    tight.integrator = "dopri5";
    return check_plan(tight).empty() ? tight : own;
  }

  Sampled motion(Plan plan) const {
    Sampled out;
    if (simulation::controls_error(plan)) {
      plan.tolerance = kCoarse;
      const Sampled coarse = samples(plan, 1);
      plan.tolerance = kFine;
      out = samples(plan, 1);
      out.known_to = largest_difference(coarse, out);
    } else {
      const Sampled coarse = samples(plan, 1), middle = samples(plan, 2), fine = samples(plan, 4);
      out = extrapolated(middle, fine);
      out.known_to = largest_difference(extrapolated(coarse, middle), out);
    }
    return out;
  }

  Mechanism mechanism_;
  std::string home_;  // coordinates of the reference
  double step_ = 0, size_ = 1;
  long steps_per_sample_ = 1;
  Sampled reference_;

 private:
  // With the model's step divided.
  Sampled samples(Plan plan, int divided) const {
    Sampled out;
    divided *= static_cast<int>(std::lround(step_ / plan.step));
    plan.step = step_ / divided;
    Simulation simulation(mechanism_, plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) out.failure = assembly.report.message;
    for (long i = 1; i <= kSamples * steps_per_sample_ * divided && out.failure.empty(); ++i) {
      const StepResult result = simulation.step(plan.step);
      if (!result.report.accepted())
        out.failure = fmt::format("t = {} s: {}", simulation.state().t, result.report.message);
      if (i % (steps_per_sample_ * divided) == 0) sample(simulation, size_, out.values);
    }
    return out;
  }
  // Richardson's, for a rule of second order; a failure of either is one of both.
  static Sampled extrapolated(const Sampled& coarse, const Sampled& fine) {
    Sampled out = fine;
    if (out.failure.empty()) out.failure = coarse.failure;
    for (std::size_t i = 0; i < std::min(coarse.values.size(), fine.values.size()); ++i)
      out.values[i] += (fine.values[i] - coarse.values[i]) / 3;
    return out;
  }
};

TEST_P(Matrix, TheSameMotionByEveryMethod) {
  const std::size_t width = reference_.values.size() / kSamples;
  double moved = 0;
  for (std::size_t i = 0; i < width; ++i)
    moved = std::max(moved, std::abs(reference_.values[i] - reference_.values[i + (kSamples - 1) * width]));
  EXPECT_GT(moved, 100 * kDoubt * reference_.known_to) << "nothing moves that could be wrong";
  int compared = 0;
  for (const std::string& coordinates : simulation::known_coordinates())
    for (const std::string& formulation : simulation::known_formulations()) {
      const Plan own = plan(coordinates, formulation);
      const std::string name = fmt::format("{:<12}{:<28}", coordinates, formulation);
      if (const std::string reason = analysis::refusal(mechanism_, own); !reason.empty()) {
        fmt::print("{} refused: {}\n", name, reason);
        continue;
      }
      if (coordinates == home_ && formulation == kIndex3) {
        fmt::print("{} {:<12} is the reference, known to {:.0e}\n", name, own.integrator,
                   reference_.known_to);
        continue;
      }
      const Sampled found = motion(own);
      EXPECT_EQ(found.failure, "") << name;
      const double allowed =
          kDoubt * (found.known_to + reference_.known_to) + model_error(formulation) + kRounding;
      const double difference = largest_difference(found, reference_);
      fmt::print("{} {:<12} differs by {:.0e}, allowed {:.0e}\n", name, own.integrator, difference, allowed);
      EXPECT_LE(allowed - model_error(formulation), 2 * kWorst) << name;
      EXPECT_LE(difference, allowed) << name;
      ++compared;
    }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Matrix, testing::ValuesIn(model_names()), [](const auto& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace trammel::tests::matrix_test
