// Every model of models/: constraints hold over the whole run, through singular positions too, and energy
// behaves as the order of the rule says. Then facts of mechanics that single models show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "model/models_testing.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::models_test {
namespace {

const std::string kModels = std::string(kSourceDir) + "/models/";

// With their sub-folders: "chapter-5/8-coin".
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kModels)) {
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().lexically_relative(kModels).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Models that choose their steps or their method: what is published about them was computed so.
const std::map<std::string, std::string> kPublished = {
    {"bayo-pendulum", "Bayo & Ledesma (1996), example 2: drift over steps of one hundredth"},
    {"chapter-5/", "García de Jalón & Bayo (1994), ch. 5: each problem names its method"},
    {"dead-centre-four-bar",
     "García de Jalón & Bayo (1994), figures 5.1 and 5.2: what independent coordinates do in dead centres"},
    {"double-four-bar", "Bayo & Ledesma (1996), example 3, with its step"},
    {"joli-double-pendulum", "Joli, Seguy & Feng (2008), section 5.1, with its step"},
    {"joli-slider-crank", "Joli, Seguy & Feng (2008), section 5.2, with its step"},
    {"n-four-bar", "IFToMM benchmark A02, N = 40 in the LIM library, with its step"},
    {"welch-double-pendulum", "Welch, Hong, Trapp & Choi, table 1, with its step"},
    {"welch-slider-crank", "Welch, Hong, Trapp & Choi, table 3, with its step"},
};

bool chooses_its_method(const Mechanism& mechanism) {
  const Plan &plan = mechanism.plan, usual;
  // Models with coordinates of their own have no choice of them.
  return plan.step != usual.step || plan.tolerance != usual.tolerance ||
         (plan.coordinates != usual.coordinates && !mechanism.generalized) ||
         plan.formulation != usual.formulation || plan.integrator != usual.integrator;
}

// People copy models: those that are given to be copied leave the choice to the program, whose default
// controls the error.
TEST(Models, OnlyPublishedOnesChooseTheirStepsOrTheirMethod) {
  std::set<std::string> choosing;
  for (const std::string& name : model_names())
    if (chooses_its_method(read_model(kModels + name + ".yaml").value()))
      choosing.insert(name.starts_with("chapter-5/") ? "chapter-5/" : name);
  std::set<std::string> published;
  for (const auto& [name, reason] : kPublished) published.insert(name);
  EXPECT_EQ(choosing, published);
  // A new model of `trammel new`, and those of the documents.
  for (const char* folder : {"/apps/trammel/starters", "/examples", "/examples/machines"})
    for (const auto& entry : std::filesystem::directory_iterator(kSourceDir + std::string(folder))) {
      if (entry.path().extension() != ".yaml") continue;
      EXPECT_FALSE(chooses_its_method(read_model(entry.path().string()).value())) << entry.path();
    }
}

void raise(Violation& to, const Violation& by) {
  to.position = std::max(to.position, by.position);
  to.velocity = std::max(to.velocity, by.velocity);
  to.acceleration = std::max(to.acceleration, by.acceleration);
}

// What a whole run left.
struct Outcomes {
  long steps = 0;
  int marked = 0, longest_mark = 0;  // steps; in a row
  bool has_failed = false;
  Violation unmarked, marks;
  double energy_error = 0;  // J, the largest
  double final_error = 0;   // J, signed
  double branch_error = 0;  // m, four-bars: how far the cranks are from parallel
  int passages = 0;         // four-bars: how often the first crank lies flat
};

// Φ, Φ̇, Φ̈ of a state, each row in its own scale.
Violation violation_of(const Simulation& simulation) {
  const system::System& system = simulation.system();
  const State& s = simulation.state();
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition | system::kAskGamma, terms);
  Violation left;
  for (std::size_t r = 0; r < terms.Phi.size(); ++r) {
    double rate = terms.Phi_t[r], second = terms.gamma[r];
    for (auto k = static_cast<std::size_t>(system.jacobian().start[r]);
         k < static_cast<std::size_t>(system.jacobian().start[r + 1]); ++k) {
      const auto column = static_cast<std::size_t>(system.jacobian().column[k]);
      rate += terms.Phi_v[k] * s.v[column];
      second += terms.Phi_v[k] * s.a[column];
    }
    const double scale = system.rows()[r].scale;
    raise(left, {std::abs(terms.Phi[r]) / scale, std::abs(rate) / scale, std::abs(second) / scale});
  }
  return left;
}

// q holds the crank pins B0, B1, …: B_i − B_0 = (i, 0) while the cranks are parallel.
double distance_from_parallel(const State& s) {
  double largest = 0;
  for (std::size_t i = 1; 2 * i < s.q.size(); ++i) {
    largest = std::max(largest, std::abs(s.q[2 * i] - s.q[0] - static_cast<double>(i)));
    largest = std::max(largest, std::abs(s.q[2 * i + 1] - s.q[1]));
  }
  return largest;
}

Outcomes run(const Mechanism& mechanism, const Plan& plan, bool is_four_bar = false) {
  Outcomes out;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const double start = simulation.energy().balance();
  out.steps = std::lround(std::ceil(plan.duration / plan.step - 1e-9));
  int marks_in_a_row = 0;
  for (long i = 0; i < out.steps; ++i) {
    const double height = simulation.state().q[1];
    const StepResult result = simulation.step(plan.step);
    if (!result.report.accepted()) {
      out.has_failed = true;
      ADD_FAILURE() << "t = " << simulation.state().t << " s: " << result.report.message;
      return out;
    }
    const bool is_marked = result.report.outcome == Outcome::marked;
    raise(is_marked ? out.marks : out.unmarked, result.violation);
    // now and then, that what the step reports is so
    if (i % 50 == 0) raise(is_marked ? out.marks : out.unmarked, violation_of(simulation));
    marks_in_a_row = is_marked ? marks_in_a_row + 1 : 0;
    out.marked += is_marked ? 1 : 0;
    out.longest_mark = std::max(out.longest_mark, marks_in_a_row);
    out.final_error = simulation.energy().balance() - start;
    out.energy_error = std::max(out.energy_error, std::abs(out.final_error));
    if (!is_four_bar) continue;
    out.branch_error = std::max(out.branch_error, distance_from_parallel(simulation.state()));
    if ((height < 0) != (simulation.state().q[1] < 0)) ++out.passages;
  }
  return out;
}

Outcomes run_with_step(const Mechanism& mechanism, double h, bool is_four_bar = false) {
  Plan plan = mechanism.plan;
  plan.step = h;
  return run(mechanism, plan, is_four_bar);
}

// Some models name another method, which holds its constraints less well.
Plan default_method(const Plan& plan) {
  Plan method;
  method.coordinates = plan.coordinates == "generalized" ? plan.coordinates : method.coordinates;
  method.duration = plan.duration;
  method.step = plan.step;
  return method;
}

// The bounds of the project: steps next to a singular position are marked and have weaker ones.
void expect_constraints_hold(const Outcomes& out) {
  EXPECT_LE(out.unmarked.position, 1e-10);
  EXPECT_LE(out.unmarked.velocity, 1e-10);
  EXPECT_LE(out.unmarked.acceleration, 1e-8);
  EXPECT_LE(out.marks.position, 1e-7);
  EXPECT_LE(out.marks.velocity, 1e-3);
}

TEST(Models, ConstraintsHoldAndEnergyErrorsAreOfTheRulesOrder) {
  const std::set<std::string> singular = {"double-four-bar", "n-four-bar"};
  // Bodies that turn steadily make no error of order h²: what is left is the drift of the projections, h³ t.
  const std::set<std::string> third_order = {"gyrostat", "heavy-top", "rolling-disk"};
  // A linear motion: the rule and the work that goes with it keep the balance of energies to rounding.
  const std::set<std::string> exact = {"freewheel", "loaded-guide", "rolling-sphere-turntable"};
  for (const std::string& name : model_names()) {
    SCOPED_TRACE(name);
    Mechanism mechanism = model(name);
    mechanism.plan = default_method(mechanism.plan);
    const Outcomes coarse = run_with_step(mechanism, mechanism.plan.step);
    const Outcomes fine = run_with_step(mechanism, mechanism.plan.step / 2);
    expect_constraints_hold(coarse);
    expect_constraints_hold(fine);
    if (singular.count(name) == 0) {
      EXPECT_EQ(coarse.marked + fine.marked, 0);
    }
    // a few steps at each passage
    EXPECT_LE(coarse.marked, coarse.steps / 50);

    if (exact.count(name) > 0) {
      EXPECT_LT(std::max(coarse.energy_error, fine.energy_error), 1e-13);  // of 3.8 J
      continue;
    }
    const double ratio = coarse.energy_error / fine.energy_error;
    const bool fourth_order = mechanism.plan.integrator == "rk4";
    EXPECT_GT(ratio, fourth_order ? 12 : 3);
    EXPECT_LT(ratio, fourth_order ? 20 : third_order.count(name) > 0 ? 9 : 5);
  }
}

// Sharing points and axes saves coordinates and equations: the counts of the literature.
TEST(Models, CoordinatesAndConstraints) {
  struct Count {
    const char* model;
    int unknowns, constraints;
  };
  for (const Count& count :
       {Count{"simple-pendulum", 2, 1}, Count{"double-pendulum", 4, 2}, Count{"double-four-bar", 6, 5},
        Count{"n-four-bar", 82, 81}, Count{"andrews", 8, 7}, Count{"bricard", 24, 24},
        Count{"five-link-chain", 30, 25}}) {
    const Mechanism mechanism = model(count.model);
    const Simulation simulation(mechanism, mechanism.plan);
    EXPECT_EQ(simulation.system().sizes().v, count.unknowns) << count.model;
    EXPECT_EQ(simulation.system().sizes().rows, count.constraints) << count.model;
  }
}

// Bayo & Ledesma (1996), example 3, with their penalty and their Φ = d² − L²; energies within a few per cent
// of the figures that an independent program gives for the same run: 0.66 J at most, −0.17 J at the end.
TEST(DoubleFourBar, PublishedPlan) {
  const Mechanism mechanism = model("double-four-bar");
  Plan plan = mechanism.plan;
  plan.step = 0.025;
  plan.penalty = 1e7;
  plan.constraint_scale = 2;
  plan.projection_metric = "mass";
  plan.convergence = 1e-12;
  const Outcomes out = run(mechanism, plan, true);
  EXPECT_EQ(out.passages, 10);
  EXPECT_NEAR(out.energy_error, 0.66, 0.02);
  EXPECT_NEAR(out.final_error, -0.17, 0.01);
  // Violation measures ½(d² − L²)
  EXPECT_LT(2 * std::max(out.unmarked.position, out.marks.position), 4e-12);
  EXPECT_LT(out.branch_error, 1e-8);
}

// One step size in a hundred may land anywhere near a singular position: all keep the branch and the order.
TEST(DoubleFourBar, EveryStepSize) {
  const Mechanism mechanism = model("double-four-bar");
  constexpr int kSizes = 100;
  for (int k = 0; k < kSizes; ++k) {
    const double h = 0.5e-3 * std::pow(60.0, k / (kSizes - 1.0));
    SCOPED_TRACE(h);
    const Outcomes out = run_with_step(mechanism, h, true);
    expect_constraints_hold(out);
    EXPECT_EQ(out.passages, 10);
    EXPECT_LT(out.branch_error, 1e-3);
    // 917 J/s² at h = 10 ms is the published figure
    EXPECT_GT(out.energy_error / (h * h), 750);
    EXPECT_LT(out.energy_error / (h * h), 1200);
  }
}

TEST(DoubleFourBar, PublishedEnergyError) {
  // IFToMM benchmark A02, the authors' entry
  EXPECT_NEAR(run_with_step(model("double-four-bar"), 0.01).energy_error, 0.0917, 2e-4);
}

TEST(FortyFourBars, StayOnTheParallelBranchFor20Seconds) {
  const Mechanism mechanism = model("n-four-bar");
  for (const double h : {1.7e-3, 2.5e-3, 3.3e-3}) {
    SCOPED_TRACE(h);
    const Outcomes out = run_with_step(mechanism, h, true);
    expect_constraints_hold(out);
    EXPECT_EQ(out.passages, 20);
    EXPECT_LT(out.branch_error, 1e-3);
    EXPECT_GT(out.energy_error / (h * h), 12000);
    EXPECT_LT(out.energy_error / (h * h), 18000);
  }
}

// A simulation that has run to its end; readings by name, "joint.quantity" or a column.
class Finished {
 public:
  explicit Finished(const std::string& name, double h = 0)
      : mechanism_(model(name)), simulation_(mechanism_, mechanism_.plan) {
    EXPECT_TRUE(simulation_.assemble().report.accepted());
    const double step = h > 0 ? h : mechanism_.plan.step;
    for (long i = std::lround(mechanism_.plan.duration / step); i > 0; --i) {
      EXPECT_TRUE(simulation_.step(step).report.accepted());
    }
  }

  double operator[](const std::string& name) const {
    system::Terms terms = simulation_.system().make_terms();
    for (const system::Reading& r : simulation_.system().readings(simulation_.state(), terms)) {
      if ((r.object.empty() ? r.quantity : r.object + "." + r.quantity) == name) return r.value;
    }
    ADD_FAILURE() << "nothing reads " << name;
    return 0;
  }
  double parameter(const std::string& name) const { return mechanism_.parameters.at(name); }
  double time() const { return simulation_.state().t; }
  const Simulation& simulation() const { return simulation_; }

 private:
  Mechanism mechanism_;
  Simulation simulation_;
};

// García de Jalón & Bayo, problem 5/1: accelerations and multipliers at the start; theirs belong to
// Φ = d² − L² and are half of ours.
TEST(SliderCrank, StartsAsTheBookSays) {
  const Mechanism mechanism = model("slider-crank");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  // eight decimals are printed
  EXPECT_NEAR(simulation.state().a[0], 2.41892275, 1e-8);
  EXPECT_NEAR(simulation.state().a[1], -2.41892275, 1e-8);
  EXPECT_NEAR(simulation.state().a[2], 3.33318961, 1e-8);
  EXPECT_NEAR(simulation.state().lambda[0], -2 * 6.99442419, 2e-8);
  EXPECT_NEAR(simulation.state().lambda[1], -2 * 1.70021542, 2e-8);
}

// The driven crank follows its law exactly and the piston the crank, whatever the step.
TEST(DrivenSliderCrank, FollowsItsLaw) {
  const Finished run("driven-slider-crank");
  const double angle = run.parameter("speed") * (run.time() - 0.5 * run.parameter("ramp"));
  const double r = run.parameter("r"), l = run.parameter("l");
  // ten times the bound on |Φ|, times the length
  EXPECT_NEAR(run["O.angle"], angle, 1e-9);
  EXPECT_NEAR(run["stroke"], r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2)), 1e-9);
}

// ω turns in the body's frame at n = ((I₃ − I₁) ω₃ + h)/I₁.
TEST(Gyrostat, Nutates) {
  const Finished run("gyrostat");
  const double n = ((25 - 40) * 0.2 + 0.5 * 20 * std::numbers::pi) / 40;
  const Pose pose = run.simulation().system().poses(run.simulation().state()).front();
  const Vec3 omega = pose.axes.transpose() * pose.angular_velocity;
  // phase error n t (n h)²/12 = 6e-5 of 0.05 rad/s
  EXPECT_NEAR(omega.x(), 0.05 * std::cos(n * run.time()), 1e-5);
  EXPECT_NEAR(omega.y(), 0.05 * std::sin(n * run.time()), 1e-5);
  EXPECT_NEAR(omega.z(), 0.2, 1e-5);
}

// The nut falls with g/(1 + J (2π/p)²/m); its angle and displacement stay coupled over nine turns.
TEST(LeadScrew, FallsSlowly) {
  const Finished run("lead-screw");
  const double turns_per_metre = 2 * std::numbers::pi / 0.2;
  const double fall =
      0.5 * 9.81 / (1 + 0.05 * turns_per_metre * turns_per_metre / 5) * run.time() * run.time();
  // a unit vector that turns by ωh = 0.057 a step lags by (ωh)²/12 = 3e-4
  EXPECT_NEAR(run["screw.displacement"], -fall, 5e-4 * fall);
  EXPECT_NEAR(run["screw.angle"], run["screw.displacement"] * turns_per_metre, 1e-8);
}

// One oscillator: J = J_pinion + m r² + J_wheel/ratio², stiffness k/ratio², load m g r.
TEST(GearTrain, OscillatesAsOneBody) {
  const Finished run("gear-train");
  const double r = run.parameter("r"), ratio = run.parameter("ratio");
  const double inertia = 4e-4 + 2 * r * r + 0.03 / (ratio * ratio),
               stiffness = run.parameter("k") / (ratio * ratio);
  const double angle =
      -2 * 9.81 * r / stiffness * (1 - std::cos(std::sqrt(stiffness / inertia) * run.time()));
  // as above, with ωh = 0.028 at most
  EXPECT_NEAR(run["O.angle"], angle, 5e-4 * std::abs(angle));
  EXPECT_NEAR(run["O.angle"] + ratio * run["Q.angle"], 0, 1e-9);
  EXPECT_NEAR(run["slide.displacement"], r * run["O.angle"], 1e-9);
}

// The integral holds the arm at its level against gravity: 1 mrad after four seconds.
TEST(ControlledPendulum, ReachesItsLevel) {
  const Finished run("controlled-pendulum");
  EXPECT_NEAR(run["error"], 0, 1e-3);
  EXPECT_NEAR(run["torque"], 9.81 * 0.8 * (1.5 + 2) * std::cos(run.parameter("level")), 0.1);
}

}  // namespace
}  // namespace trammel::tests::models_test
