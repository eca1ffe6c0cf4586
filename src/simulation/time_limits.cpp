#include "simulation/time_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

// As short as what breaks keep away from their time, of the time or of the output interval.
constexpr double kAside = 1e-12;
// Of a limit that is there: the most that it changes in that time, and the most by which it is larger than
// these parts of an output interval away. Several, for one may be a zero of a wave; irrational, for waves
// often have a whole number of periods in an interval, and their rounded zeros look alike.
constexpr double kChange = 0.05, kLarger = 1.5;
constexpr double kGolden = 0.3819660112501051;
constexpr std::array kAway = {kGolden, kGolden* kGolden, kGolden* kGolden* kGolden};

constexpr std::array kDerivatives = {"", "the derivative of ", "the second derivative of "};

}  // namespace

TimeLimits::TimeLimits(const Mechanism& mechanism, double interval) : interval_(interval) {
  const auto symbols = mechanism::make_symbols(mechanism);
  const auto add = [&](const std::string& text, int derivative, const std::string& owner) {
    if (text.empty()) return;
    const auto parsed = expressions::Expression::parse(text, *symbols);
    const auto* f = std::get_if<expressions::Expression>(&parsed);
    // What is wrong with it the System says.
    if (f == nullptr || f->slots() != std::vector<int>{0}) return;
    laws_.push_back(
        {*f, derivative,
         fmt::format("{}: {}'{}'", owner, kDerivatives[static_cast<std::size_t>(derivative)], text)});
  };
  for (const Driver& driver : mechanism.drivers)
    for (const std::string& text : driver.equals)
      add(text, driver.of_speed ? 1 : 2, fmt::format("driver '{}'", driver.name));
  for (const Joint& joint : mechanism.joints)
    if (mechanism::about(joint.kind).of == mechanism::JointOf::signals)
      for (const std::string& text : joint.law) add(text, 1, fmt::format("joint '{}'", joint.name));
  for (const Force& force : mechanism.forces) {
    const std::string owner = fmt::format("force '{}'", force.name);
    mechanism::for_each_text(
        force, [&](const std::string&, const char*, const std::string& text) { add(text, 0, owner); });
  }
  variables_ = static_cast<std::size_t>(symbols->size());
}

double TimeLimits::value(const Law& law, double t) const {
  std::vector<double> variables(variables_, 0.0), scratch(static_cast<std::size_t>(law.f.scratch_size()));
  variables[0] = t;
  const expressions::Expression::Taylor f = law.f.taylor(variables, 0, scratch);
  return std::abs(law.derivative == 0 ? f.f : law.derivative == 1 ? f.fd : f.fdd);
}

bool TimeLimits::has_limit(const Law& law, const State& state) const {
  // Away from the break on whose side the state is.
  const double t = state.seen_time(), way = state.t > state.before ? -1 : 1;
  const auto at = [&](double later) {
    State aside;
    aside.take_time(state);
    aside.t = t + way * later;
    return value(law, aside.seen_time());
  };
  const double here = at(0), beside = at(kAside * std::max(std::abs(t), interval_));
  if (!std::isfinite(here)) return false;
  if (std::abs(beside - here) <= kChange * std::max(here, beside)) return true;
  return std::any_of(kAway.begin(), kAway.end(),
                     [&](double part) { return here <= kLarger * at(part * interval_); });
}

TimeLimits::Missing TimeLimits::missing_at(const State& state) const {
  for (const Law& law : laws_)
    if (!has_limit(law, state))
      return {fmt::format("{} is not finite at t = {:.6g} s, so that no reaction exists there", law.words,
                          state.t),
              law.derivative == 0};
  return {};
}

}  // namespace trammel::simulation
