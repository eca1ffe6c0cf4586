// The models against reference trajectories of tests/references.
//
// The trapezoidal rule is of second order: each model runs with h and h/2. The error at the reference times
// falls by four, and Richardson's (4 q_{h/2} − q_h)/3 has no h² term. What it keeps is of order h³: each
// projection of v takes ½ δvᵀMδv ~ h⁴ of energy, h³ per time, which shows as a lag that grows with t². The
// steps are small enough for this to be less than a tenth of e(h/2): e(h)/e(h/2) then lies well inside 3.5
// … 4.5, and a wrong model (whose error does not fall at all) cannot pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "model/models_testing.h"
#include "system/system.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::tests::reference_test {
namespace {

const std::string kFolder = kSourceDir;

// Rows of numbers with named columns; lines that begin with # are comments.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  std::size_t column(const std::string& name) const {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) throw std::invalid_argument("no column " + name);
    return static_cast<std::size_t>(found - columns.begin());
  }
};

Table read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("cannot read " + path);
  Table table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (table.columns.empty()) {
      table.columns = cells;
      continue;
    }
    std::vector<double> row;
    std::transform(cells.begin(), cells.end(), std::back_inserter(row),
                   [](const std::string& cell) { return std::stod(cell); });
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A column of the reference and what it is in the model: an expression, or BODY.omega_x … _z, the angular
// velocity in the body's own axes.
struct Observed {
  std::string column, expression;
};

struct Comparison {
  std::string name;
  std::string model;  // a file of models/, or the text of a model
  std::vector<std::string> settings;
  std::string reference;
  std::vector<Observed> observed;
  double step = 0;   // s, the larger of the two
  double until = 0;  // s
};

void PrintTo(const Comparison& c, std::ostream* out) { *out << c.model; }

Mechanism read(const Comparison& c) {
  if (c.model.find('\n') == std::string::npos) return model(c.model, c.settings);
  ModelInput input = read_model_text(c.model, c.name, c.settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// The observed values at one state.
class Observer {
 public:
  Observer(Mechanism& mechanism, const std::vector<Observed>& observed) {
    for (const Observed& o : observed) {
      const std::size_t dot = o.expression.find(".omega_");
      if (dot == std::string::npos) {
        mechanism.outputs[o.column] = o.expression;
        read_.push_back([name = o.column](const Simulation& s, const std::vector<system::Reading>& readings) {
          const auto found = std::find_if(readings.begin(), readings.end(), [&](const system::Reading& r) {
            return r.object.empty() && r.quantity == name;
          });
          if (found == readings.end()) throw std::logic_error(s.mechanism().name + " reads no " + name);
          return found->value;
        });
        continue;
      }
      const int axis = o.expression.back() - 'x';
      const std::string body = o.expression.substr(0, dot);
      read_.push_back([body, axis](const Simulation& s, const std::vector<system::Reading>&) {
        const auto& bodies = s.mechanism().bodies;
        const auto at =
            std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == body; });
        const Pose pose = s.system().poses(s.state()).at(static_cast<std::size_t>(at - bodies.begin()));
        return Vec3(pose.axes.transpose() * pose.angular_velocity)[axis];
      });
    }
  }

  std::vector<double> operator()(const Simulation& s) const {
    system::Terms terms = s.system().make_terms();
    const std::vector<system::Reading> readings = s.system().readings(s.state(), terms);
    std::vector<double> values;
    for (const auto& read_one : read_) values.push_back(read_one(s, readings));
    return values;
  }

 private:
  std::vector<std::function<double(const Simulation&, const std::vector<system::Reading>&)>> read_;
};

// The observed values at the reference's times, row by row.
std::vector<std::vector<double>> run(const Comparison& c, double h, const Table& table) {
  Mechanism mechanism = read(c);
  mechanism.plan.step = h;
  const Observer observe(mechanism, c.observed);
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  std::vector<std::vector<double>> values;
  long steps = 0;
  for (const auto& row : table.rows) {
    if (row[0] > c.until * (1 + 1e-12)) break;
    // reference times are whole numbers of steps
    const long wanted = std::lround(row[0] / h);
    EXPECT_NEAR(static_cast<double>(wanted) * h, row[0], 1e-6 * h);
    for (; steps < wanted; ++steps) {
      const StepResult result = simulation.step(h);
      EXPECT_TRUE(result.report.accepted()) << "t = " << simulation.state().t;
      if (!result.report.accepted()) return values;
    }
    values.push_back(observe(simulation));
  }
  return values;
}

class Reference : public testing::TestWithParam<Comparison> {};

TEST_P(Reference, SecondOrderAndTheRightLimit) {
  const Comparison& c = GetParam();
  const Table table = read_table(kFolder + "/tests/references/" + c.reference + ".csv");
  const auto coarse = run(c, c.step, table), fine = run(c, c.step / 2, table);
  ASSERT_EQ(coarse.size(), fine.size());
  ASSERT_GT(coarse.size(), 2U);
  double coarse_error = 0, fine_error = 0, extrapolated_error = 0;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    for (std::size_t k = 0; k < c.observed.size(); ++k) {
      const double exact = table.rows[i][table.column(c.observed[k].column)];
      const double extrapolated = (4 * fine[i][k] - coarse[i][k]) / 3;
      coarse_error = std::max(coarse_error, std::abs(coarse[i][k] - exact));
      fine_error = std::max(fine_error, std::abs(fine[i][k] - exact));
      extrapolated_error = std::max(extrapolated_error, std::abs(extrapolated - exact));
    }
  }
  EXPECT_GT(coarse_error / fine_error, 3.5);
  EXPECT_LT(coarse_error / fine_error, 4.5);
  EXPECT_LT(extrapolated_error, 0.1 * fine_error);
}

// Point masses at the joint and the tip.
const std::string kJoliDoublePendulum = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1, -1]}
bodies: {joint: {point: A, mass: 1 kg}, tip: {point: B, mass: 1 kg}}
joints: {upper: {distance: [O, A]}, lower: {distance: [A, B]}}
)";

// Passes θ = −90°, where both links lie on one another.
const std::string kJoliSliderCrank = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [cos(pi/4), sin(pi/4)], B: [2*cos(pi/4), 0]}
bodies: {pin: {point: A, mass: 1 kg}, slider: {point: B, mass: 1 kg}}
joints:
  crank: {distance: [O, A], length: 1}
  coupler: {distance: [A, B], length: 1}
  guide: {point-on-line: B, through: O, along: [1, 0]}
)";

// Welch et al. (71)–(74): the crank's centre of mass lies on its axis, the slider has no mass.
const std::string kWelchSliderCrank = R"(
trammel: 1
plane: xy
gravity: [0, -10]
parameters: {theta: asin(5/6), phi: -pi/6}
points:
  O: {at: [0, 0], on: ground}
  A: [0.3*cos(theta), 0.3*sin(theta)]
  B: [0.3*cos(theta) + 0.5*cos(phi), 0]
bodies:
  crank: {mass: 1, inertia: 0.045, angle: theta, carries: {O: [0, 0], A: [0.3, 0]}}
  rod: {mass: 1, inertia: 33/4800, at: A, angle: phi, com: [0.3, 0], carries: {A: [0, 0], B: [0.5, 0]}}
joints:
  guide: {point-on-line: B, through: O, along: [1, 0]}
)";

// The double pendulum of models/ in its two angles: no constraint, and a mass matrix that depends on them.
const std::string kAngles = R"(
trammel: 1
parameters: {g: 9.81}
coordinates: {a: 0, b: -pi/2}
mass: {a: 4/3, b: 1/3, a b: cos(a - b)/2}
potential: g*(3/2*sin(a) + sin(b)/2)
)";

// Chaotic motions run only as long as e(h) stays proportional to h²; the others to the end of the reference,
// or until the lag takes over.
const std::vector<Comparison> kComparisons = {
    {"A01_simple_pendulum",
     "simple-pendulum",
     {},
     "A01_pendulum_reference",
     {{"x", "P.x"}, {"y", "P.y"}},
     2e-3,
     10},
    {"A02_double_four_bar",
     "double-four-bar",
     {},
     "A02_N2_reference",
     {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
     5e-4,
     10},
    {"A02_forty_four_bars",
     "n-four-bar",
     {},
     "A02_N40_reference",
     {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
     5e-4,
     10},
    {"A03_andrews",
     "andrews",
     {},
     "A03_andrews_reference",
     {{"xF", "F.x"}, {"yF", "F.y"}, {"xD", "D.x"}, {"yD", "D.y"}, {"xE", "E.x"}, {"yE", "E.y"}},
     10e-6,
     0.05},
    {"A04_bricard",
     "bricard",
     {},
     "A04_bricard_slender_reference",
     {{"xP3", "P3.x"}, {"yP3", "P3.y"}, {"zP3", "P3.z"}},
     4e-3,
     4},
    {"A05_flyball_governor",
     "flyball-governor",
     {},
     "A05_flyball_reference",
     {{"s", "sleeve.displacement"},
      {"sdot", "sleeve.rate"},
      {"phi", "bearing.angle"},
      {"omega", "bearing.rate"}},
     5e-4,
     10},
    {"Bayo1_double_pendulum",
     "double-pendulum",
     {"points.B=[2, 0]"},
     "bayo_ex1_double_pendulum_exact",
     {{"x1", "A.x"}, {"y1", "A.y"}, {"x2", "B.x"}, {"y2", "B.y"}, {"x2d", "B.vx"}, {"y2d", "B.vy"}},
     5e-4,
     5},
    {"Bayo2_simple_pendulum",
     "simple-pendulum",
     {"gravity=[0, -1]", "points.P=[1, 0]", "initial={P: {velocity: [0, -1]}}"},
     "bayo_ex2_simple_pendulum_exact",
     {{"x", "P.x"}, {"y", "P.y"}, {"vx", "P.vx"}, {"vy", "P.vy"}},
     2.5e-3,
     100},
    {"Bayo3_double_four_bar",
     "double-four-bar",
     {},
     "bayo_ex3_double_fourbar_exact",
     {{"x1", "B0.x"}, {"y1", "B0.y"}, {"x1dot", "B0.vx"}},
     5e-4,
     10},
    {"Bayo4_five_link_chain",
     "five-link-chain",
     {},
     "bayo_ex4_readingA_reference",
     {{"tipx", "bar5.end.x"},
      {"tipy", "bar5.end.y"},
      {"tipz", "bar5.end.z"},
      {"q1", "hinge1.angle"},
      {"q2", "hinge2.angle"},
      {"q3", "hinge3.angle"},
      {"q4", "hinge4.angle"},
      {"q5", "hinge5.angle"}},
     1e-3,
     3},
    {"Bayo5_andrews",
     "andrews",
     {},
     "bayo_ex5_andrews_reference",
     {{"beta", "O.angle"},
      {"gamma", "B.angle"},
      {"Theta", "-F.angle"},
      {"Phi", "G.angle"},
      {"Omega", "H.angle"}},
     10e-6,
     0.03},
    {"Chapter5_double_pendulum",
     "double-pendulum",
     {},
     "chapter5_double_pendulum_bars",
     {{"x1", "A.x"}, {"y1", "A.y"}, {"x2", "B.x"}, {"y2", "B.y"}},
     5e-4,
     5},
    {"Chapter5_slider_crank",
     "slider-crank",
     {},
     "chapter5_problem_5_1_slider_crank",
     {{"x1", "A.x"}, {"y1", "A.y"}, {"x2", "B.x"}, {"thetadot", "crank.rate"}},
     5e-4,
     10},
    {"Heavy_top",
     "heavy-top",
     {},
     "heavy_top_reference",
     {{"xCOM", "top.x"}, {"yCOM", "top.y"}, {"zCOM", "top.z"}, {"Omega2", "top.omega_y"}},
     2.5e-5,
     2},
    {"Joli_double_pendulum",
     kJoliDoublePendulum,
     {},
     "joli_double_pendulum_reference",
     {{"x22", "B.x"}, {"y22", "B.y"}},
     1e-3,
     3},
    {"Joli_slider_crank",
     kJoliSliderCrank,
     {},
     "joli_slider_crank_reference",
     {{"x12", "A.x"}, {"y12", "A.y"}, {"x22", "B.x"}},
     5e-4,
     10},
    {"Spatial_slider_crank",
     "spatial-slider-crank",
     {},
     "spatial_slider_crank_reference",
     {{"s", "guide.displacement"}, {"theta", "bearing.angle"}, {"thetadot", "bearing.rate"}},
     1e-4,
     2},
    {"Welch_three_link_pendulum",
     "three-link-pendulum",
     {},
     "welch_3d_pendulum_pinX_reference",
     {{"r1x", "link1.x"},
      {"r1y", "link1.y"},
      {"r1z", "link1.z"},
      {"r2x", "link2.x"},
      {"r2y", "link2.y"},
      {"r2z", "link2.z"},
      {"r3x", "link3.x"},
      {"r3y", "link3.y"},
      {"r3z", "link3.z"},
      {"w1x", "link1.omega_x"},
      {"w2y", "link2.omega_y"},
      {"w3z", "link3.omega_z"}},
     1e-3,
     3},
    {"Welch_double_pendulum",
     "double-pendulum",
     {"gravity=[10, 0]", "points.A=[0, 5]", "points.B=[0, 10]"},
     "welch_double_pendulum_exact",
     {{"x1", "upper.x"}, {"y1", "upper.y"}, {"x2", "lower.x"}, {"y2", "lower.y"}, {"x2d", "lower.vx"}},
     5e-3,
     10},
    {"Welch_slider_crank",
     kWelchSliderCrank,
     {},
     "welch_slider_crank_exact",
     {{"theta", "crank.angle"},
      {"phi", "rod.angle"},
      {"x", "rod.x"},
      {"y", "rod.y"},
      {"thetad", "crank.rate"}},
     5e-4,
     10},
    // A person's own coordinates.
    {"Generalized_angles",
     kAngles,
     {},
     "chapter5_double_pendulum_bars",
     {{"x1", "cos(a)"}, {"y1", "sin(a)"}, {"x2", "cos(a) + cos(b)"}, {"y2", "sin(a) + sin(b)"}},
     5e-4,
     5},
    {"Generalized_Bayo2",
     "bayo-pendulum",
     {},
     "bayo_ex2_simple_pendulum_exact",
     {{"x", "x"}, {"y", "y"}, {"vx", "x.rate"}, {"vy", "y.rate"}},
     2.5e-3,
     100},
    {"Generalized_Welch_double_pendulum",
     "welch-double-pendulum",
     {},
     "welch_double_pendulum_exact",
     {{"x1", "x1"},
      {"y1", "y1"},
      {"th1", "theta1"},
      {"x2", "x2"},
      {"y2", "y2"},
      {"th2", "theta2"},
      {"x2d", "x2.rate"},
      {"th2d", "theta2.rate"}},
     5e-3,
     10},
    {"Generalized_Welch_slider_crank",
     "welch-slider-crank",
     {},
     "welch_slider_crank_exact",
     {{"theta", "theta"},
      {"phi", "phi"},
      {"x", "x"},
      {"y", "y"},
      {"thetad", "theta.rate"},
      {"phid", "phi.rate"}},
     5e-4,
     10},
};

INSTANTIATE_TEST_SUITE_P(Models, Reference, testing::ValuesIn(kComparisons),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace trammel::tests::reference_test
