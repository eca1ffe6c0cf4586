// Where a mechanism is linearized, and in which coordinates; then what its modes are there.
//
// Coordinates of joints stay the same while bodies turn, so that steady motions are steady in them: a start
// that moves is analysed in relative coordinates, whatever the model's own are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "analysis/asking.h"
#include "analysis/equilibrium.h"
#include "analysis/kinks.h"
#include "analysis/mobility.h"
#include "analysis/parameter_name.h"
#include "analysis/standing_drivers.h"
#include "analysis/vibration.h"
#include "analysis/without_stiction.h"
#include "trammel/analyses.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

bool moves(const Simulation& simulation) {
  const std::vector<double>& v = simulation.state().v;
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}

// At its assembled start; where that fails, the report says why.
std::unique_ptr<Simulation> started(const Mechanism& mechanism, const std::string& coordinates,
                                    Report& report) {
  report.message = stiction_refusal(mechanism, "an analysis of modes");
  if (!report.message.empty()) {
    report.outcome = Outcome::refused;
    return nullptr;
  }
  Plan plan;
  plan.coordinates = coordinates;
  plan.open = mechanism.plan.open;
  auto simulation = std::make_unique<Simulation>(with_far_stops(mechanism), plan);
  const AssemblyReport assembly = simulation->assemble();
  report = assembly.report;
  if (!report.accepted()) report.message = explain(assembly, *simulation);
  return simulation;
}

void refuse_crossing(Modes& out, const char* where, const char* remedy) {
  out.report.outcome = Outcome::refused;
  out.report.message = fmt::format(
      "{} is a singular position: several motions cross there, and no linear equations describe "
      "all of them. {}",
      where, remedy);
}

// Whether forces have no linear equations at a state: then the report says so.
bool refuse_kink(const Simulation& simulation, const State& state, Modes& out) {
  LocalMotion motion(simulation.shared_system(), state);
  if (!has_kink(motion)) return false;
  const std::vector<std::string> names =
      forces_with_kink(motion, simulation.mechanism(), system::coordinates_of(simulation.resolved()));
  out.report.outcome = Outcome::refused;
  out.report.message = fmt::format(
      "{} a kink or a jump exactly at this position: on its two sides the mechanism moves by different "
      "linear "
      "equations. Move the equilibrium or the start off the kink, or smooth the force, as with "
      "tanh()",
      names.empty() ? "a force has" : fmt::format("the force '{}' has", fmt::join(names, "', '")));
  return true;
}

// The vibration about a state, into the result; whether there is one.
bool linearized(const Simulation& simulation, const State& state, const char* about, Modes& out) {
  Vibration found = vibration(simulation.shared_system(), simulation.mechanism(), state);
  out.report = found.report;
  out.modes = std::move(found.modes);
  out.linear = std::move(found.linear);
  out.turning = std::move(found.turning);
  out.outputs_turn = found.outputs_turn;
  out.size = simulation.system().length_scale();
  out.about = about;
  out.poses = simulation.system().poses(state);
  return out.report.accepted();
}

// At rest drivers hold their values; with their speeds they would go on to act through centrifugal forces.
void find_modes_at_rest(const Mechanism& mechanism, const std::string& coordinates, ModesAt at, Modes& out) {
  const auto simulation = started(with_drivers_standing(mechanism), coordinates, out.report);
  if (!out.report.accepted()) return;
  const Equilibrium rest = find_rest(*simulation, at == ModesAt::stable ? Seek::stable : Seek::nearest);
  out.report = rest.report;
  // The option of 'solve equilibrium' has another name here.
  constexpr std::string_view kStable = "(--stable)";
  if (const auto place = out.report.message.find(kStable); place != std::string::npos)
    out.report.message.replace(place, kStable.size(), "(--at stable)");
  if (out.report.accepted() && rest.kind == EquilibriumKind::locked) {
    out.report.outcome = Outcome::refused;
    out.report.message =
        "the equilibrium is a singular position in which the mechanism is locked: its joints allow a "
        "velocity, "
        "but no motion. It has no modes; 'trammel check' explains the position";
  } else if (out.report.accepted() && rest.singular) {
    refuse_crossing(out, "the nearest equilibrium",
                    "Ask for the modes about a stable equilibrium (--at stable), or start elsewhere");
  }
  if (out.report.accepted() && !refuse_kink(*simulation, rest.state, out))
    linearized(*simulation, rest.state, "equilibrium", out);
}

Modes find_modes(const Mechanism& mechanism, ModesAt at) {
  Modes out;
  const bool has_joints = !mechanism.generalized;
  const std::string relative = "relative";
  std::string coordinates = mechanism.plan.coordinates;
  if (coordinates == kAutomatic && has_joints) coordinates = relative;
  auto simulation = started(mechanism, coordinates, out.report);
  if (out.report.accepted() && moves(*simulation) && has_joints && coordinates != relative) {
    coordinates = relative;
    simulation = started(mechanism, coordinates, out.report);
  }
  if (!out.report.accepted()) return out;
  if (at == ModesAt::start) {
    if (mobility(*simulation).only_here)
      refuse_crossing(out, "the start", "Start beside it, or ask for the modes about an equilibrium");
    else if (!refuse_kink(*simulation, simulation->state(), out))
      linearized(*simulation, simulation->state(), "start", out);
    return out;
  }
  if (at == ModesAt::equilibrium && moves(*simulation)) {
    const Equilibrium steady =
        find_equilibrium(simulation->shared_system(), simulation->state(), Regime::motion, Seek::nearest);
    if (steady.report.accepted() && (refuse_kink(*simulation, steady.state, out) ||
                                     linearized(*simulation, steady.state, "steady motion", out)))
      return out;
    out.not_steady = true;
  }
  find_modes_at_rest(mechanism, coordinates, at, out);
  return out;
}

}  // namespace
}  // namespace trammel::analysis

namespace trammel {

std::optional<ModesAt> modes_at(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kModesAt); ++k)
    if (name == kModesAt[k]) return static_cast<ModesAt>(k);
  return std::nullopt;
}

Modes solve_modes(const Mechanism& mechanism, const ModesOptions& options) {
  if (!options.parameter.empty() && !mechanism.parameters.contains(options.parameter))
    throw std::invalid_argument(analysis::no_parameter(mechanism, options.parameter));
  if (!options.frequencies.empty() && (mechanism.inputs.empty() || mechanism.outputs.empty()))
    throw std::invalid_argument(
        "a frequency response needs `inputs:` and `outputs: columns:`; add them to the model");
  Modes out = analysis::find_modes(mechanism, options.at);
  if (!out.report.accepted()) return out;
  out.frequencies = options.frequencies;
  out.response = frequency_response(out.linear, out.frequencies, options.go_on);
  if (out.response.size() < out.frequencies.size()) out.report = analysis::Asking::interrupted();
  out.parameter = options.parameter;
  analysis::Asking asking(options.go_on);
  for (const double value : options.parameter.empty() ? std::vector<double>{} : options.values) {
    if (out.report.accepted() && !asking.goes_on()) out.report = analysis::Asking::interrupted();
    if (!out.report.accepted()) break;
    Modes::Varied& one = out.varied.emplace_back();
    one.value = value;
    try {
      Mechanism other = mechanism;
      other.set_parameter(options.parameter, value);
      Modes there = analysis::find_modes(other, options.at);
      one.report = std::move(there.report);
      one.modes = std::move(there.modes);
    } catch (const std::invalid_argument& error) {
      one.report.outcome = Outcome::refused;
      one.report.message = error.what();
    }
  }
  return out;
}

std::vector<Eigen::MatrixXcd> frequency_response(const StateSpace& linear,
                                                 const std::vector<double>& frequencies, const GoOn& go_on) {
  std::vector<Eigen::MatrixXcd> all;
  const Eigen::MatrixXcd A = linear.A.cast<std::complex<double>>(), B = linear.B.cast<std::complex<double>>(),
                         C = linear.C.cast<std::complex<double>>(), D = linear.D.cast<std::complex<double>>();
  const Eigen::MatrixXcd one = Eigen::MatrixXcd::Identity(A.rows(), A.cols());
  analysis::Asking asking(go_on);
  for (const double hertz : frequencies) {
    if (!asking.goes_on()) break;
    const std::complex<double> s(0, 2 * std::numbers::pi * hertz);
    all.emplace_back(C * (s * one - A).partialPivLu().solve(B) + D);
  }
  return all;
}

std::vector<double> frequency_range(double from, double to, int count) {
  std::vector<double> all;
  for (int k = 0; k < count; ++k) all.push_back(from * std::pow(to / from, double(k) / (count - 1)));
  return all;
}

}  // namespace trammel
