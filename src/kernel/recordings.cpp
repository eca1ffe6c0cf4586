#include "kernel/recordings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rows.h"

namespace trammel::kernel {
namespace {

constexpr int kSizes = 3;  // at the end of Recordings::numbers

// Two ways to compute one number, as (2L)² and 4L², may differ by rounding for some inputs and not for
// others.
bool same(double a, double b) {
  constexpr double kRounding = 1e-14;
  return a == b || std::abs(a - b) <= kRounding * std::abs(b);
}

// Masses and penalties vary with the inputs; scales, by which errors are judged, are those of the model.
StepNumbers step_numbers(const system::Dynamics& system) {
  const system::Terms terms = system.make_terms();
  StepNumbers numbers;
  const system::EntryPattern& pattern = system.mass_pattern();
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    numbers.mass.push_back({pattern.row[k], pattern.column[k], terms.M[k]});
  const std::vector<double> mobility = formulations::penalty_mobility(system, terms),
                            least = formulations::least_compliance(system, mobility);
  numbers.mobility.assign(mobility.begin(), mobility.end());
  numbers.least.assign(least.begin(), least.end());
  numbers.inverse_scale = formulations::inverse_scales(system);
  for (const double size : system.coordinate_scale()) numbers.inverse_size.push_back(1 / size);
  return numbers;
}

// Angles of the start, with the turns that the State or else the model gives them.
template <int D>
std::vector<double> start_angles(const system::NaturalSystem<D>& system, const KernelEquations& equations,
                                 const std::vector<int>& kept, const State& state) {
  const auto& basis = system.basis();
  std::vector<std::array<double, D>> x;
  for (int e = 0; e < basis.elements(); ++e)
    for (int i = 0; i < D; ++i) {
      if (i == 0) x.emplace_back();
      x.back()[static_cast<std::size_t>(i)] =
          e < basis.free_elements() ? state.q[static_cast<std::size_t>(D * e + i)] : basis.initial(e)[i];
    }
  const std::vector<double>* const seen = state.recall(system::kAngles);
  std::vector<double> angles;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const system::Measure<D>& measure = system.measure(equations.angle_measures[k]);
    const double near =
        seen != nullptr && kept[k] >= 0 ? (*seen)[static_cast<std::size_t>(kept[k])] : measure.expected();
    angles.push_back(system::with_turns(measure.value(x), near));
  }
  return angles;
}

// constant: by number, its place among the constants of an instance; null: the numbers alone are read.
template <int D>
Recordings recorded(const Mechanism& mechanism, const State& state, bool all_angles, Graph& graph,
                    const std::vector<int>* constant) {
  const system::NaturalSystem<D> system(mechanism);
  Recordings out;
  {
    const auto numbers =
        constant == nullptr ? std::make_unique<Numbers>() : std::make_unique<Numbers>(graph, *constant);
    out.equations = record_equations<D>(system, all_angles, graph, out.refusal);
    if (out.refusal.empty()) out.step = step_numbers(system);
    out.numbers = numbers->list();
    out.numbers.insert(out.numbers.end(), {double{D}, static_cast<double>(out.equations.Q.size()),
                                           static_cast<double>(out.equations.Phi.size())});
  }
  if (!out.refusal.empty())
    out.refusal = "it has no form of " + out.refusal + " yet";
  else if (!system.symmetric_tangent())
    out.refusal = "a force of the model has a tangent that is not symmetric";
  for (const int k : out.equations.angle_measures) {
    const auto at = std::ranges::find(system.angle_measures(), k);
    out.kept.push_back(
        at == system.angle_measures().end() ? -1 : static_cast<int>(at - system.angle_measures().begin()));
  }
  if (out.refusal.empty() && !state.q.empty())
    out.angles = start_angles(system, out.equations, out.kept, state);
  return out;
}

std::vector<double> numbers_of(const Mechanism& mechanism, bool all_angles) {
  Graph none(false);
  return record(mechanism, {}, all_angles, none, nullptr).numbers;
}

}  // namespace

Recordings record(const Mechanism& mechanism, const State& start, bool all_angles, Graph& graph,
                  const std::vector<int>* constant) {
  return mechanism.is_planar ? recorded<2>(mechanism, start, all_angles, graph, constant)
                             : recorded<3>(mechanism, start, all_angles, graph, constant);
}

Constants::Constants(const Mechanism& mechanism, const std::vector<Mechanism>& others, bool all_angles)
    : of_model_(numbers_of(mechanism, all_angles)), constant_(of_model_.size(), -1) {
  std::vector<std::vector<double>> all{of_model_};
  for (const Mechanism& other : others) {
    all.push_back(numbers_of(other, all_angles));
    if (all.back().size() != of_model_.size() ||
        !std::equal(of_model_.end() - kSizes, of_model_.end(), all.back().end() - kSizes))
      throw std::invalid_argument("the models of its instances differ in more than numbers");
  }
  std::map<std::vector<double>, int> known;
  for (std::size_t k = 0; k < of_model_.size(); ++k) {
    std::vector<double> values;
    for (const std::vector<double>& numbers : all) values.push_back(numbers[k]);
    if (std::ranges::all_of(values, [&](double value) { return value == values[0]; })) continue;
    const auto [at, is_new] = known.try_emplace(values, static_cast<int>(first_.size()));
    if (is_new) first_.push_back(k);
    constant_[k] = at->second;
  }
}

std::vector<double> Constants::of(const std::vector<double>& numbers) const {
  std::vector<double> out;
  for (const std::size_t k : first_) out.push_back(numbers[k]);
  return out;
}

bool Constants::describe(const std::vector<double>& numbers) const {
  if (numbers.size() != of_model_.size()) return false;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const int at = constant_[k];
    if (!same(numbers[k], at < 0 ? of_model_[k] : numbers[first_[static_cast<std::size_t>(at)]]))
      return false;
  }
  return true;
}

}  // namespace trammel::kernel
