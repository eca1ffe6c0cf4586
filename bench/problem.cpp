#include "problem.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/source_dir.h"
#include "trammel/model.h"

namespace trammel::bench {
namespace {

const std::string kSource = kSourceDir;

Problem judged(std::string name, std::string model, double duration, double step, std::string body,
               const Vec3& point, double length, double kinetic_energy, std::string reference,
               std::vector<std::string> columns) {
  return {std::move(name),
          std::move(model),
          {},
          duration,
          step,
          std::move(body),
          point,
          length,
          kinetic_energy,
          std::move(reference),
          std::move(columns)};
}

Problem four_bars(int n) {
  // From above to below: ½(N+1) + N kilograms fall two metres, beside what it starts with.
  const double kinetic_energy = 2 * 9.81 * ((n + 1) / 2.0 + n) + 0.5 * ((n + 1) / 3.0 + n);
  Problem p = judged(fmt::format("n-four-bar-{}", n), "models/n-four-bar.yaml", 10, 0.0025, "crank0",
                     {1, 0, 0}, 1, kinetic_energy, "", {});
  p.settings = {fmt::format("parameters.N={}", n)};
  p.bodies = n;
  return p;
}

Problem chain(int n) {
  Problem p = judged(fmt::format("chain-{}", n), "bench/models/chain.yaml", 1, 0.001, fmt::format("bar{}", n),
                     {0.5, 0, 0}, 1, 336.9, "bench/references/chain-10.csv", {"x", "y", "z"});
  p.settings = {fmt::format("parameters.N={}", n)};
  p.bodies = n;
  p.judged = n == 10;
  return p;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

// θ̈ = −r cos θ of N parallel four-bars, θ from +x, by RK4 with steps of 10 µs: closed to rounding.
std::vector<Sample> swing(const Problem& p) {
  const double n = p.bodies, r = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n);
  const auto fall = [r](double angle) { return -r * std::cos(angle); };
  constexpr double kInterval = 0.1, h = 1e-5;
  double angle = std::acos(0.0), rate = -1;
  std::vector<Sample> samples{{0, {0, 1, 0}}};
  for (int k = 1; k <= std::lround(p.duration / kInterval); ++k) {
    for (int i = 0; i < std::lround(kInterval / h); ++i) {
      const double a1 = fall(angle), a2 = fall(angle + 0.5 * h * rate);
      const double a3 = fall(angle + 0.5 * h * rate + 0.25 * h * h * a1);
      const double a4 = fall(angle + h * rate + 0.5 * h * h * a2);
      angle += h * rate + h * h / 6 * (a1 + a2 + a3);
      rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    samples.push_back({k * kInterval, {std::cos(angle), std::sin(angle), 0}});
  }
  return samples;
}

}  // namespace

const std::vector<Problem>& judged_problems() {
  const std::string models = "models/", known = "tests/references/", own = "bench/";
  // name, model, duration, step; monitored body and point, length, kinetic energy; reference and its columns
  static const std::vector<Problem> problems{
      judged("double-four-bar", models + "double-four-bar.yaml", 10, 0.01, "crank0", {1, 0, 0}, 1, 70.17,
             known + "A02_N2_reference.csv", {"xB0", "yB0", ""}),
      four_bars(40),
      judged("bricard", models + "bricard.yaml", 10, 0.002, "rod2", {1, 0, 0}, 1, 4.553,
             known + "A04_bricard_slender_reference.csv", {"xP3", "yP3", "zP3"}),
      judged("andrews", models + "andrews.yaml", 0.05, 1e-5, "K1", {0.007, 0, 0}, 0.028, 1.972,
             known + "A03_andrews_reference.csv", {"xF", "yF", ""}),
      judged("flyball-governor", models + "flyball-governor.yaml", 10, 0.001, "slider", {0, 0, 0}, 1, 169.2,
             known + "A05_flyball_reference.csv", {"", "", "s"}),
      judged("three-link-pendulum", models + "three-link-pendulum.yaml", 5, 0.001, "link3", {1.25, 0, 0}, 1,
             410.5, known + "welch_3d_pendulum_pinX_reference.csv", {"r3x", "r3y", "r3z"}),
      chain(10),
      judged("lattice", own + "models/lattice.yaml", 5, 0.002, "shelf5_4", {1, 0, 0}, 1, 557.7,
             own + "references/lattice.csv", {"x", "y", "z"}),
      judged("vehicle", own + "models/vehicle.yaml", 2, 0.001, "upright1_1", {0, 0, 0}, 1, 451.5,
             own + "references/vehicle.csv", {"x", "y", "z"})};
  return problems;
}

const std::vector<Problem>& growing_problems() {
  static const std::vector<Problem> problems{four_bars(40), four_bars(400), four_bars(4000), chain(10),
                                             chain(100),    chain(1000),    chain(10000)};
  return problems;
}

Mechanism mechanism_of(const Problem& problem) {
  ModelInput input = read_model(kSource + "/" + problem.model, problem.settings);
  if (!input.errors.empty()) throw std::runtime_error(to_string(input.errors.front()));
  input.mechanism.plan.duration = problem.duration;
  return std::move(input.mechanism);
}

std::vector<Sample> reference_of(const Problem& problem) {
  if (problem.reference.empty()) return swing(problem);
  const std::string path = kSource + "/" + problem.reference;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path));
  std::vector<std::string> header;
  std::vector<Sample> samples;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = split(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Sample sample{std::stod(cells.at(0)), Vec3::Zero()};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t c = 0; c < header.size(); ++c)
        if (header[c] == problem.columns[k]) sample.at[static_cast<int>(k)] = std::stod(cells.at(c));
    if (sample.t <= problem.duration * (1 + 1e-12)) samples.push_back(sample);
  }
  return samples;
}

}  // namespace trammel::bench
