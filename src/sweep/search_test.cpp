// Sensitivity indices, least squares, fits and optimizations against what is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "results/files/test_support.h"
#include "sweep/counter_random.h"
#include "sweep/distribution.h"
#include "sweep/least_squares.h"
#include "sweep/run_plan.h"
#include "sweep/sensitivity.h"
#include "sweep/sweep_report.h"
#include "trammel/fit.h"
#include "trammel/model.h"

namespace trammel::sweep::search_test {
namespace {

using SearchTest = results::ResultsTest;

constexpr const char* kMass = R"(
trammel: 1
name: damped oscillator
plane: xy
parameters: {m: 2 kg, k: 50 N/m, c: 1 N.s/m}
bodies: {a: {mass: m, inertia: 1, at: [0.1, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0], at: [0, 0]}}
forces: {spring: {force: [-k*a.x - c*a.vx, 0], at: a.com}}
simulate: {duration: 2 s, step: 5 ms}
)";

Mechanism mass() { return read_model_text(kMass, "mass.yaml").value(); }

// x = 0.1 e^(−δt)(cos ωt + (δ/ω) sin ωt), with noise of one deviation.
double position(double t, double m, double k, double c) {
  const double delta = c / (2 * m), omega = std::sqrt(k / m - delta * delta);
  return 0.1 * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
}

std::string data_of(const std::filesystem::path& path, double noise, std::uint64_t seed) {
  std::ofstream file(path);
  file << "t,a.x [m]\n";
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k;
    file << fmt::format(
        "{},{}\n", t,
        position(t, 2, 40, 1.5) + noise * normal_quantile(unit_number(random_bits(
                                              seed, Stream::noise, static_cast<std::uint64_t>(k), 0))));
  }
  return path.string();
}

// Ishigami & Homma (1990): sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1, whose indices have closed forms (Saltelli et
// al. 2008).
TEST(Sensitivity, HasTheIndicesOfIshigamisFunction) {
  std::vector<std::string> errors;
  const SweepSpec spec{.sample = {"a~uniform(-3.14159265358979, 3.14159265358979)",
                                  "b~uniform(-3.14159265358979, 3.14159265358979)",
                                  "c~uniform(-3.14159265358979, 3.14159265358979)"},
                       .runs = 5 * 2048,
                       .design = "saltelli"};
  const RunPlan plan(spec, "", {"a", "b", "c"}, {}, errors);
  ASSERT_TRUE(errors.empty());
  std::vector<double> f;
  for (std::uint64_t run = 0; run < plan.runs(); ++run) {
    const std::vector<double> x = plan.values(run);
    f.push_back(std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) + 0.1 * std::pow(x[2], 4) * std::sin(x[0]));
  }
  const Sensitivity found = sobol_indices(f, 3, 1);
  EXPECT_EQ(found.blocks, 2048U);
  const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
  for (std::size_t k = 0; k < 3; ++k) {
    // Of 2048 blocks of a Sobol' sequence; random ones would err by some 0.03.
    EXPECT_NEAR(found.first[k].value, first[k], 0.02) << k;
    EXPECT_NEAR(found.total[k].value, total[k], 0.02) << k;
    EXPECT_LT(found.total[k].low, found.total[k].value);
    EXPECT_GT(found.total[k].high, found.total[k].value);
  }
}

TEST(Sensitivity, RanksAndQuantiles) {
  EXPECT_NEAR(rank_correlation(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{1.0, 8.0, 27.0, 64.0}), 1, 1e-15);
  EXPECT_NEAR(rank_correlation(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{2.0, 1.0, 4.0, 3.0}), 0.6, 1e-15);
  EXPECT_TRUE(std::isnan(rank_correlation(std::vector{1.0, 1.0}, std::vector{1.0, 2.0})));
  EXPECT_EQ(quantile({3, 1, std::nan(""), 2}, 0.5), 2);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
}

// Tables of Student's distribution.
TEST(LeastSquares, StudentsQuantiles) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228139, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 30), 1.697261, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.959966, 1e-5);
}

// Moré, Garbow & Hillstrom (1981), problem 1: Rosenbrock's function, least at (1, 1); with a bound, on it.
TEST(LeastSquares, FindsTheMinimumOfRosenbrocksFunction) {
  LeastSquares problem;
  problem.residuals = [](const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    r.resize(2);
    r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
    return true;
  };
  problem.jacobian = [](const Eigen::VectorXd& x, const Eigen::VectorXd&, Eigen::MatrixXd& J) {
    J.resize(2, 2);
    J << -20 * x[0], 10, -1, 0;
    return std::string();
  };
  problem.low = Eigen::Vector2d(-5, -5), problem.high = Eigen::Vector2d(5, 5);
  const LeastSquaresResult found = solve(problem, Eigen::Vector2d(-1.2, 1));
  EXPECT_NEAR(found.x[0], 1, 1e-6);
  EXPECT_NEAR(found.x[1], 1, 1e-6);
  problem.high[0] = 0.5;
  const LeastSquaresResult bound = solve(problem, Eigen::Vector2d(-1.2, 1));
  EXPECT_TRUE(bound.converged) << bound.message;
  EXPECT_EQ(bound.x[0], 0.5);
  EXPECT_NEAR(bound.x[1], 0.25, 1e-6);
}

// Two columns of y = a + b k whose deviations differ a hundredfold: the generalized least squares of the
// precise one, which the other hardly changes.
TEST(LeastSquares, ColumnsCountByTheirDeviations) {
  constexpr Eigen::Index kRows = 50;
  const auto noise = [](Eigen::Index k) { return std::sin(7.0 * static_cast<double>(k * k)); };
  LeastSquares problem;
  problem.columns = 2;
  problem.residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    r.resize(2 * kRows);
    for (Eigen::Index k = 0; k < kRows; ++k) {
      r[k] = x[0] - 1 + (x[1] - 2) * static_cast<double>(k) / kRows + 1e-3 * noise(k);
      r[kRows + k] = x[0] - 1 + 0.1 * noise(k + 9) + 0.05;
    }
    return true;
  };
  problem.jacobian = [&](const Eigen::VectorXd&, const Eigen::VectorXd&, Eigen::MatrixXd& J) {
    J = Eigen::MatrixXd::Zero(2 * kRows, 2);
    J.col(0).setOnes();
    for (Eigen::Index k = 0; k < kRows; ++k) J(k, 1) = static_cast<double>(k) / kRows;
    return std::string();
  };
  problem.low = Eigen::Vector2d(-9, -9), problem.high = Eigen::Vector2d(9, 9);
  const LeastSquaresResult found = solve(problem, Eigen::Vector2d(3, -1));
  ASSERT_TRUE(found.converged) << found.message;
  // One standard error of the precise column is 1e-3·0.7·2/√50.
  EXPECT_NEAR(found.x[0], 1, 4e-4);
  EXPECT_NEAR(found.x[1], 2, 8e-4);
  EXPECT_NEAR(deviations(found.r, 2)[0], 1e-3 / std::sqrt(2), 2e-4);
}

// Steps that are refused for another reason than the minimum are not taken for it.
TEST(LeastSquares, SaysWhereNoStepIsAccepted) {
  LeastSquares problem;
  problem.residuals = [](const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    r = Eigen::Vector2d(x[0] - 3, 1);
    return x[0] <= 1;
  };
  problem.jacobian = [](const Eigen::VectorXd&, const Eigen::VectorXd&, Eigen::MatrixXd& J) {
    J = Eigen::Vector2d(1, 0);
    return std::string();
  };
  problem.low = Eigen::VectorXd::Constant(1, -9), problem.high = Eigen::VectorXd::Constant(1, 9);
  const LeastSquaresResult found = solve(problem, Eigen::VectorXd::Constant(1, 1));
  EXPECT_FALSE(found.converged);
  EXPECT_NE(found.message.find("no step makes the residuals smaller"), std::string::npos);
}

TEST_F(SearchTest, AFitFindsStiffnessAndDamping) {
  const FitSpec spec{.parameters = {"k", "c"}, .data = data_of(folder() / "data.csv", 1e-3, 5)};
  const FitResult found = fit(mass(), spec, {.folder = folder() / "fit"});
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_NEAR(found.columns[0].deviation, 1e-3, 2e-4);
  EXPECT_LT(found.parameters[0].low, 40);
  EXPECT_GT(found.parameters[0].high, 40);
  EXPECT_LT(found.parameters[1].low, 1.5);
  EXPECT_GT(found.parameters[1].high, 1.5);
  EXPECT_LT(found.parameters[0].high - found.parameters[0].low, 1);
  EXPECT_EQ(read_model_text(found.model, "").value().parameters.at("k"), found.parameters[0].value);
  // Started again, it computes nothing.
  const FitResult again = fit(mass(), spec, {.folder = folder() / "fit", .resume = true});
  EXPECT_EQ(again.runs, 0);
  EXPECT_EQ(again.parameters[0].value, found.parameters[0].value);
}

// Units in which the author wrote, or where these would round, SI units; comments, order and the plan of a
// sweep stay.
TEST_F(SearchTest, TheFittedModelIsTheAuthorsText) {
  std::string text = kMass;
  const std::string was = "k: 50 N/m, c: 1 N.s/m}";
  text.replace(text.find(was), was.size(), "k: 0.05 kN/m, c: 1}  # from the drawing");
  text += "sweep: {vary: {k: [40, 50]}, observe: [peak(a.x)]}\n";
  const FitSpec spec{.parameters = {"k", "c", "bodies.a.at.0"},
                     .data = data_of(folder() / "data.csv", 1e-3, 5)};
  const FitResult found = fit(read_model_text(text, "mass.yaml").value(), spec);
  ASSERT_TRUE(found.converged) << found.message;
  for (const char* words : {" kN/m, c: 1.", "}  # from the drawing\n", "at: [0.", ", 0]}}", "duration: 2 s",
                            "\nsweep: {vary: {k: [40, 50]}, observe: [peak(a.x)]}\n"})
    EXPECT_NE(found.model.find(words), std::string::npos) << words << "\n" << found.model;
  const Mechanism read = read_model_text(found.model, "").value();
  EXPECT_EQ(read.parameters.at("k"), found.parameters[0].value);
  EXPECT_EQ(read.parameters.at("c"), found.parameters[1].value);
  EXPECT_EQ(read.bodies[0].placement.at.x(), found.parameters[2].value);
}

// Half a dozen derivatives, each of two runs for each parameter.
TEST_F(SearchTest, AFitNeedsFewRuns) {
  const FitResult found =
      fit(mass(), {.parameters = {"k", "c"}, .data = data_of(folder() / "data.csv", 1e-3, 5)});
  ASSERT_TRUE(found.converged);
  EXPECT_LT(found.runs, 40);
}

// Without noise: to what differences and the straight lines between rows allow.
TEST_F(SearchTest, StoppedAndResumedItFindsTheSame) {
  const FitSpec spec{.parameters = {"k=50:10:100", "c"}, .data = data_of(folder() / "data.csv", 1e-4, 1)};
  const FitResult whole = fit(mass(), spec);
  long allowed = 0;
  FitResult found;
  do {
    allowed += 4;
    found =
        fit(mass(), spec, {.folder = folder() / "fit", .resume = true, .progress = [&](long runs, double) {
                             return runs < allowed;
                           }});
  } while (!found.converged && allowed < 500);
  ASSERT_TRUE(found.converged);
  EXPECT_GT(found.resumed, 0);
  EXPECT_EQ(found.parameters[0].value, whole.parameters[0].value);
  EXPECT_EQ(found.parameters[1].error, whole.parameters[1].error);
}

// Only k/m and c/m show in the motion.
TEST_F(SearchTest, WhatTheDataDoNotDetermineIsSaid) {
  const FitResult found =
      fit(mass(), {.parameters = {"m", "k", "c"}, .data = data_of(folder() / "data.csv", 1e-3, 2)});
  EXPECT_NE(found.message.find("the measurements do not determine m, k, c"), std::string::npos)
      << found.message;
  EXPECT_TRUE(std::isinf(found.parameters[0].error));
}

std::string fit_error(const FitSpec& spec) {
  try {
    fit(mass(), spec);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_F(SearchTest, MistakesOfFitsAreNamed) {
  const std::string data = data_of(folder() / "data.csv", 0, 1);
  EXPECT_NE(fit_error({.parameters = {"kk"}, .data = data}).find("there is no parameter 'kk'"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k=1:2"}, .data = data})
                .find("write NAME, NAME=START or NAME=START:LOW:HIGH"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k=1:2:3"}, .data = data}).find("is not within its bounds"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k=3 kg"}, .data = data}).find("'3 kg' is in kg"), std::string::npos);
  EXPECT_NE(fit_error({.parameters = {}, .data = data}).find("no parameter is to be fitted"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k"}, .data = data, .compare = {"b.x=a.x"}})
                .find("compare 'b.x=a.x': write COLUMN=EXPRESSION"),
            std::string::npos);
  const auto file = [&](const char* text) {
    results::write_bytes(folder() / "bad.csv", text);
    return (folder() / "bad.csv").string();
  };
  EXPECT_NE(fit_error({.parameters = {"k"}, .data = file("a.x,t\n1,2\n")})
                .find("the first column is 'a.x'; it must be the time, t"),
            std::string::npos);
  EXPECT_NE(
      fit_error({.parameters = {"k"}, .data = file("t\n1\n")}).find("there is no column beside the time"),
      std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k"}, .data = file("t,a.x\n1,2\n1,3\n")})
                .find("the times must be 0 or more, and increase"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k"}, .data = file("t,b.x\n1,2\n2,3\n")}).find("b.x"),
            std::string::npos);
  EXPECT_NE(fit_error({.parameters = {"k", "c"}, .data = file("t,a.x\n1,2\n2,3\n")})
                .find("2 measurements cannot determine 2 parameters"),
            std::string::npos);
}

// The time of the first zero, π/2 √(m/k) without damping, is 0.3 s for m/k = 0.0365.
TEST_F(SearchTest, AnOptimumIsFoundGloballyAndLocally) {
  Mechanism free = mass();
  free.set_parameter("c", 0);
  for (const char* method : {"global", "local"}) {
    const OptimizeSpec spec{.minimize = "abs(first_time(a.x < 0) - 0.3)",
                            .over = {"k=20:120"},
                            .method = method,
                            .evaluations = 150};
    const OptimizeResult found = optimize(free, spec, {.folder = folder() / method});
    ASSERT_FALSE(found.values.empty()) << found.message;
    // Straight lines between rows of 5 ms.
    EXPECT_NEAR(found.values[0], 2 * std::pow(std::numbers::pi / 2 / 0.3, 2), 0.2) << method;
    const OptimizeResult again = optimize(free, spec, {.folder = folder() / method, .resume = true});
    EXPECT_EQ(again.runs, 0) << method;
    EXPECT_EQ(again.values, found.values) << method;
  }
}

// Of one run, of fewer than a search begins with, of many; with and without constraints.
TEST_F(SearchTest, EvaluationsBoundTheRunsOfAnOptimization) {
  for (const char* method : {"global", "local"})
    for (const bool bound : {false, true})
      for (const long most : {1, 3, 5, 20, 40}) {
        OptimizeSpec spec{.minimize = "abs(at(a.x, 0.2))",
                          .over = {"k=20:120", "m=1:4"},
                          .method = method,
                          .evaluations = most};
        if (bound) spec.subject_to = {"first_time(a.x < 0) < 0.5"};
        const OptimizeResult found = optimize(mass(), spec);
        EXPECT_LE(found.runs, most) << method << bound;
        EXPECT_LE(found.history.size(), most) << method << bound;
        EXPECT_FALSE(most == 1 && found.converged);
        if (!found.converged && !found.values.empty()) {
          EXPECT_EQ(found.message, "the largest number of runs was reached") << method << bound;
        }
      }
}

// The largest m + k/50 for which the first zero is not later than 0.3 s: on the constraint.
TEST_F(SearchTest, AnOptimumMeetsItsConstraints) {
  Mechanism free = mass();
  free.set_parameter("c", 0);
  const OptimizeSpec spec{.maximize = "m + 0*peak(a.x)",
                          .over = {"m=1:4"},
                          .subject_to = {"first_time(a.x < 0) < 0.3"},
                          .method = "local",
                          .evaluations = 120};
  const OptimizeResult found = optimize(free, spec);
  ASSERT_FALSE(found.values.empty()) << found.message;
  EXPECT_NEAR(found.values[0], 50 * std::pow(0.3 * 2 / std::numbers::pi, 2), 0.02);
  EXPECT_LE(found.constraints[0], 1e-8);
}

TEST_F(SearchTest, MistakesOfOptimizationsAreNamed) {
  const auto error_of = [](const OptimizeSpec& spec) {
    try {
      optimize(mass(), spec);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(error_of({.minimize = "peak(a.x)"}).find("nothing can change; give --over NAME=LOW:HIGH"),
            std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(a.x)", .over = {"k"}}).find("over 'k': write NAME=LOW:HIGH"),
            std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(a.x)", .over = {"k=3:1"}})
                .find("the lower bound must be below the upper one"),
            std::string::npos);
  EXPECT_NE(error_of({.over = {"k=1:3"}}).find("give one of --minimize and --maximize"), std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(b.x)", .over = {"k=1:3"}}).find("character"), std::string::npos);
  EXPECT_NE(error_of({.minimize = "curve(a.x)", .over = {"k=1:3"}}).find("a curve cannot be least"),
            std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(a.x)", .over = {"k=1:3"}, .subject_to = {"final(a.x)"}})
                .find("there is no < or >"),
            std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(a.x)", .over = {"kk=1:3"}}).find("there is no parameter 'kk'"),
            std::string::npos);
  EXPECT_NE(error_of({.minimize = "peak(a.x)", .over = {"k=1:3"}, .method = "best"})
                .find("there is no method 'best'"),
            std::string::npos);
}

TEST_F(SearchTest, TheReportOfASweepHasItsParts) {
  const Sweep sweep(mass(), {.vary = {"k=40:60:3"},
                             .sample = {"m~uniform(1, 3)"},
                             .runs = 10,
                             .observe = {"zero=first_time(a.x < 0)", "curve(a.x, 0, 1, 5)"}});
  run_sweep(sweep, folder() / "s");
  report_sweep(sweep, folder() / "s", 2);
  const std::string page = results::read_bytes(folder() / "s" / "report.html");
  for (const char* words : {"30 runs: 30 ok", "Histogram of zero", "zero over k, quantiles", "zero over m",
                            "Parallel coordinates", "largest zero", "curve(a.x, 0, 1, 5), quantiles",
                            "Rank correlation", "trammel run MODEL --out run-"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  const std::uint64_t extreme = extreme_runs(read_sweep(folder() / "s" / "sweep.h5"), 2).front();
  const std::filesystem::path own = folder() / "s" / "runs" / std::to_string(extreme) / "report.html";
  EXPECT_EQ(std::filesystem::exists(own), page.find("href=\"runs/") != std::string::npos);
}

}  // namespace
}  // namespace trammel::sweep::search_test
