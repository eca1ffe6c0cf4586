#include "trammel/equations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "formulations/independent/independent.h"
#include "simulation/plan_check.h"
#include "system/coordinate_direction.h"
#include "system/decisions.h"
#include "system/system.h"
#include "trammel/motion_reader.h"
#include "trammel/run.h"

namespace trammel {
namespace {

// From one position to another z goes in parts of at most this, of what counts as one: the next position is
// then on the same branch. A part that fails is halved this far.
constexpr double kPart = 0.2, kSmallestPart = 1e-6;

// Independent coordinates: joint coordinates where the mechanism has them all.
Plan plan_for(const Simulation& simulation, const std::vector<std::string>& coordinates) {
  Plan plan;
  plan.formulation = name_of(FormulationKind::independent);
  const bool joints = simulation::suits(simulation.mechanism(), CoordinatesKind::relative);
  plan.coordinates = name_of(joints ? CoordinatesKind::relative : simulation.resolved().coordinates);
  plan.duration = simulation.plan().duration;
  plan.verify = false;
  plan.independent_coordinates = coordinates;
  return plan;
}

}  // namespace

struct MotionEquations::Parts {
  Parts(const Simulation& simulation, const std::vector<std::string>& coordinates)
      : own(simulation.mechanism(), plan_for(simulation, coordinates)) {
    carry(simulation);
    form.emplace(own.shared_system(), own.resolved());
    if (const std::string refusal = form->refusal(own.state()); !refusal.empty())
      throw std::invalid_argument(refusal);
    form->pack(own.state(), inner);
    take_up();
    describe();
    refer(simulation);
  }

  // `own` goes to where the simulation stands.
  void carry(const Simulation& simulation) {
    if (own.resolved().coordinates == simulation.resolved().coordinates) {
      own.restore(simulation.state());
    } else {
      const TakeOver over = own.take_over(simulation);
      if (!over.assembly.report.accepted()) throw std::invalid_argument(explain(over.assembly, own));
    }
    const std::vector<Memory> chart = std::move(at.memory);
    at = own.state();
    at.after = -std::numeric_limits<double>::infinity();
    at.before = std::numeric_limits<double>::infinity();
    // Expressions choose their branch anew at every y.
    std::erase_if(at.memory, [](const Memory& m) { return m.slot == system::kDecisions; });
    if (!form) return;
    const auto is_chart = [](const Memory& m) { return m.slot == formulations::Chart::kCoordinates; };
    std::erase_if(at.memory, is_chart);
    std::copy_if(chart.begin(), chart.end(), std::back_inserter(at.memory), is_chart);
  }

  // The chart of the form goes into the memory of `at`, where the form finds it from now on.
  void take_up() {
    State here = at;
    const Report report = form->unpack(here.t, inner, here);
    if (!report.accepted()) throw std::invalid_argument(report.message);
    at.memory = here.memory;
  }

  void describe() {
    const system::System& system = own.system();
    const std::vector<std::string> given = system.coordinate_names();
    const auto name = [&](int column) {
      const std::string& one = given[static_cast<std::size_t>(column)];
      return one.empty() ? fmt::format("{}#{}", system.coordinate_owner(column), column) : one;
    };
    const auto scale = [&](int column) {
      return system::coordinate_direction(system, at, column, scratch) *
             system.coordinate_scale()[static_cast<std::size_t>(column)];
    };
    const bool plain = system.sizes().q == system.sizes().v;
    for (const int column : form->chart().position_columns()) {
      names.push_back(name(column));
      entries.push_back({scale(column), plain ? at.q[static_cast<std::size_t>(column)] : 0});
    }
    positions = names.size();
    for (const int column : form->chart().velocity_columns()) {
      names.push_back(name(column) + ".rate");
      entries.push_back({scale(column), 0});
    }
    for (const AuxiliaryState& state : own.mechanism().states) {
      names.push_back(state.name);
      entries.push_back({});
    }
    // Work is none of y.
    inner.resize(std::max(inner.size(), names.size()));
  }

  // Positions count as results of that name do: of a joint with `coordinate:` from there, with its turns.
  // Rotations of free bodies have no such result.
  void refer(const Simulation& simulation) {
    for (std::size_t k = 0; k < positions; ++k) {
      try {
        entries[k].origin = simulation.value(names[k]) - entries[k].scale * inner[k];
      } catch (const std::invalid_argument&) {
        continue;  // counted from where the simulation stood
      }
    }
  }

  void to_inner(std::span<const double> y, std::vector<double>& z) const {
    z = inner;
    for (std::size_t k = 0; k < names.size(); ++k) z[k] = (y[k] - entries[k].origin) / entries[k].scale;
  }

  // Follows the motion to y. Nothing has changed if it fails.
  Report go_to(double t, std::span<const double> y) {
    Report report;
    if (y.size() != names.size())
      throw std::invalid_argument(fmt::format("y has {} entries, and this motion has {}: {}", y.size(),
                                              names.size(), fmt::join(names, ", ")));
    to_inner(y, target);
    if (!std::isfinite(t) || !std::ranges::all_of(y, [](double one) { return std::isfinite(one); })) {
      report.outcome = Outcome::not_finite;
      report.message = "t or an entry of y is not a finite number";
      return report;
    }
    const State before = at;
    form->pack(at, from);
    double way = 0;
    for (std::size_t k = 0; k < positions; ++k) way = std::max(way, std::abs(target[k] - from[k]));
    const double longest = way > kPart ? kPart / way : 1;
    double done = 0, part = longest;
    while (done < 1) {
      const double next = std::min(1.0, done + part);
      State trial = at;
      for (std::size_t k = 0; k < target.size(); ++k)
        inner[k] = next == 1 ? target[k] : from[k] + next * (target[k] - from[k]);
      report = form->unpack(next == 1 ? t : before.t + next * (t - before.t), inner, trial);
      if (report.accepted()) {
        own.system().accept_angles(trial, scratch, 0);
        at = std::move(trial);
        done = next;
        part = std::min(longest, 2 * part);
      } else if ((part *= 0.5) < kSmallestPart) {
        at = before;
        return told(report, t);
      }
    }
    return report;
  }

  // What to do about it depends on who integrates.
  Report told(Report report, double t) const {
    const std::vector<std::string> z(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(positions));
    report.message = fmt::format(
        "at t = {:.6g} s {} no longer determine{} the motion, as in a position where {} turn{} back, or no "
        "position belongs to the values given; choose other independent coordinates before that",
        t, fmt::join(z, ", "), z.size() == 1 ? "s" : "", z.size() == 1 ? "it" : "they",
        z.size() == 1 ? "s" : "");
    return report;
  }

  // What stands in one entry of y: a coordinate in units of its scale (negative: it counts the other way),
  // from an origin.
  struct Entry {
    double scale = 1, origin = 0;
  };

  Simulation own;  // in coordinates that z are some of
  std::optional<formulations::Independent> form;
  State at;  // where the other coordinates were last
  std::vector<std::string> names;
  std::vector<Entry> entries;
  std::size_t positions = 0;
  std::vector<double> inner, from, target, rates;
  system::Terms scratch = own.system().make_terms();
};

MotionEquations::MotionEquations(const Simulation& simulation, const std::vector<std::string>& coordinates)
    : parts_(std::make_unique<Parts>(simulation, coordinates)) {}
MotionEquations::~MotionEquations() = default;

const std::vector<std::string>& MotionEquations::names() const { return parts_->names; }

std::vector<double> MotionEquations::y(const Simulation& simulation) {
  Parts& p = *parts_;
  p.carry(simulation);
  p.form->pack(p.at, p.inner);
  p.refer(simulation);
  std::vector<double> y(p.names.size());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = p.entries[k].origin + p.entries[k].scale * p.inner[k];
  return y;
}

void MotionEquations::take_inputs(const Simulation& simulation) {
  parts_->at.inputs = simulation.state().inputs;
}

Report MotionEquations::derivative(double t, std::span<const double> y, std::span<double> rate) {
  Parts& p = *parts_;
  Report report = p.go_to(t, y);
  if (!report.accepted()) return report;
  p.form->pack(p.at, p.inner);
  p.to_inner(y, p.target);
  p.rates.resize(p.inner.size());
  report = p.form->rate(t, p.target, p.rates);
  for (std::size_t k = 0; k < rate.size(); ++k) rate[k] = p.entries[k].scale * p.rates[k];
  return report.accepted() ? report : p.told(report, t);
}

Report MotionEquations::place(double t, std::span<const double> y, Simulation& simulation) {
  Parts& p = *parts_;
  Report report = p.go_to(t, y);
  if (!report.accepted()) return report;
  State state = p.at;
  std::erase_if(state.memory, [](const Memory& m) { return m.slot == formulations::Chart::kCoordinates; });
  p.own.restore(state);
  Simulation there(simulation.mechanism(), simulation.plan());
  const TakeOver over = there.take_over(p.own);
  if (over.assembly.report.accepted()) simulation.restore(there.state());
  return over.assembly.report;
}

}  // namespace trammel
