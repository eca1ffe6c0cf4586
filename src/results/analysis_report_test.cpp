// Files of analyses, read as those of a run.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <nlohmann/json.hpp>

#include "results/files/results_hdf5.h"
#include "results/files/test_support.h"
#include "trammel/model.h"
#include "trammel/results.h"

namespace trammel::results::analysis_report_test {
namespace {

class AnalysisReportTest : public ResultsTest {
 protected:
  static Mechanism oscillator() {
    return read_model_text(R"(
trammel: 1
name: oscillator
plane: xy
parameters: {k: 50}
bodies: {block: {mass: 2, inertia: 1}}
joints: {slide: {prismatic: [block, ground], axis: [1, 0], at: [0, 0]}}
inputs: {F: 0}
forces:
  spring: {joint-spring: slide, stiffness: k, damping: 3}
  push: {force: [F, 0], at: block.com}
outputs: {columns: {x: slide.displacement}}
simulate: {duration: 1}
)",
                           "oscillator.yaml")
        .value();
  }
  std::filesystem::path path() const { return folder() / "results.h5"; }

  // Of a matrix in the file.
  std::vector<double> matrix(const char* name, std::size_t size) const {
    std::vector<double> values(size);
    const hid_t file = H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Dclose(data);
    H5Fclose(file);
    return values;
  }
};

TEST_F(AnalysisReportTest, RowsOfKinematicsAreReadAsThoseOfARun) {
  Mechanism mechanism = oscillator();
  const Kinematics found = solve_kinematics(mechanism, {.rows = 4});
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  AnalysisReport(mechanism, found).write_hdf5(path());
  const Trajectory read = read_hdf5(path());
  EXPECT_EQ(read.channels, found.motion.channels);
  EXPECT_EQ(bits(read.values), bits(found.motion.values));
  EXPECT_EQ(read_hdf5_header(path()).model, mechanism.text);
}

// A slide on a turning base, both within stops: x and y reach to its arc, and down to its corner.
TEST_F(AnalysisReportTest, TheReachOfAWorkspaceIsThatOfItsBoundary) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
name: slide
plane: xy
bodies:
  base: {mass: 1, inertia: 0.1}
  slide: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0, 0]}}
joints:
  turn: {revolute: [base, ground], at: [0, 0]}
  push: {prismatic: [slide, base], axis: [1, 0], coordinate: 0.5}
stops:
  of_push: {joint: push, lower: 0.3, upper: 0.9}
  of_turn: {joint: turn, lower: -45 deg, upper: 200 deg}
)",
                                              "slide.yaml")
                                  .value();
  const Workspace found = solve_workspace(mechanism, {.point = "slide.tip"});
  const std::string text = AnalysisReport(mechanism, found).text();
  EXPECT_NE(text.find("x from -0.9 to 0.9 m\ny from -0.6364 to 0.9 m\n"), std::string::npos) << text;
}

TEST_F(AnalysisReportTest, ModesHaveMatricesAndTablesOfTheirOwn) {
  const Mechanism mechanism = oscillator();
  const Modes found = solve_modes(
      mechanism, {.parameter = "k", .values = {50, 200}, .frequencies = frequency_range(0.1, 10, 5)});
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  const AnalysisReport report(mechanism, found);
  report.write_hdf5(path());
  const Trajectory rows = read_hdf5(path());
  EXPECT_EQ(rows.channels.front().name, "mode");
  EXPECT_EQ(rows.column("frequency").at(0), found.modes[0].frequency());
  const std::vector<double> A = matrix("/A", 4);  // by rows
  for (int k = 0; k < 4; ++k) EXPECT_EQ(A[static_cast<std::size_t>(k)], found.linear.A(k / 2, k % 2));
  EXPECT_EQ(matrix("/response/frequency", 5), found.frequencies);
  EXPECT_EQ(matrix("/varied/parameters/k", 2), (std::vector<double>{50, 200}));
  report.write_csv(folder());
  for (const char* name : {"results.csv", "response.csv", "varied.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder() / name)) << name;
}

// Two masses in a row, two inputs: the resonances are those of the mechanism, not of the curve's frequencies.
TEST_F(AnalysisReportTest, ResonancesDoNotDependOnTheNumberOfFrequencies) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
name: two masses
plane: xy
bodies:
  a: {mass: 1, inertia: 1, at: [1, 0]}
  b: {mass: 2, inertia: 1, at: [2, 0]}
joints:
  ja: {prismatic: [a, ground], axis: [1, 0], at: [1, 0]}
  jb: {prismatic: [b, a], axis: [1, 0], at: [2, 0]}
inputs: {F: 0, G: 3}
forces:
  s1: {joint-spring: ja, stiffness: 100, damping: 0.5}
  s2: {joint-spring: jb, stiffness: 100, damping: 0.5}
  push: {force: [F, 0], at: a.com}
  pull: {force: [G, 0], at: b.com}
outputs: {columns: {xb: b.x}}
)",
                                              "two.yaml")
                                  .value();
  const auto response = [&](int count) {
    const std::string text =
        AnalysisReport(mechanism, solve_modes(mechanism, {.frequencies = frequency_range(0.1, 10, count)}))
            .text();
    return text.substr(text.find("Frequency response"));
  };
  const std::string few = response(2), many = response(600);
  EXPECT_EQ(few, many);
  // The second mode hardly moves b: its gain is a sixtieth of the first's there.
  for (const char* hertz : {"0.745104", "2.39246", "0.745079", "2.43606"})
    EXPECT_NE(few.find(hertz), std::string::npos) << hertz << few;
}

// A path has the parameter in place of the time.
TEST_F(AnalysisReportTest, APathHasItsParameterFirst) {
  Mechanism mechanism = oscillator();
  const EquilibriumPath found = solve_equilibrium_path(mechanism, {.parameter = "k", .from = 50, .to = 60});
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  AnalysisReport(mechanism, found).write_hdf5(path());
  const Trajectory rows = read_hdf5(path());
  EXPECT_EQ(rows.channels.front().name, "k");
  EXPECT_EQ(rows.rows(), found.points.size());
  EXPECT_EQ(rows.column("k").back(), 60);
  EXPECT_EQ(rows.column("equilibrium.kind").back(), 1);
  EXPECT_EQ(rows.find("violation.position"), -1);
}

TEST_F(AnalysisReportTest, EveryAnswerHasTextFiguresAndAPage) {
  const Mechanism mechanism = oscillator();
  const std::vector<AnalysisReport> all = {
      {mechanism, solve_positions(mechanism)},
      {mechanism, solve_kinematics(mechanism, {.rows = 4})},
      {mechanism, solve_workspace(mechanism, {.point = "block.com", .most = 30})},
      {mechanism, solve_inverse(mechanism, {.rows = 4, .hold = true})},
      {mechanism, solve_equilibrium(mechanism)},
      {mechanism, solve_modes(mechanism)}};
  for (const AnalysisReport& one : all) {
    EXPECT_FALSE(one.text().empty());
    EXPECT_TRUE(nlohmann::json::parse(one.json()).is_object());
    EXPECT_NE(one.html().find("of oscillator"), std::string::npos);
    one.write_hdf5(path());
    EXPECT_GT(read_hdf5(path()).rows(), 0u);
  }
}

}  // namespace
}  // namespace trammel::results::analysis_report_test
