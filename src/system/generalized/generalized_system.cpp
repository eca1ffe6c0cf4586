// What evaluate() fills is laid out here, once; generalized_terms.cpp fills it.
#include "system/generalized/generalized_system.h"

#include <algorithm>
#include <map>

#include "mechanism/signals.h"
#include "system/decisions.h"

namespace trammel::system {
namespace {

int index_of(const GeneralizedModel& model, const std::string& name) {
  const auto& all = model.coordinates;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.name == name; });
  return static_cast<int>(found - all.begin());
}

std::size_t place_in(const std::vector<int>& sorted, int index) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), index) - sorted.begin());
}

}  // namespace

GeneralizedSystem::GeneralizedSystem(const Mechanism& mechanism,
                                     const std::vector<mechanism::Watched>& watched)
    : mechanism_(mechanism),
      model_(*mechanism_.generalized),
      symbols_(mechanism::make_symbols(mechanism_)),
      asked_(watched) {
  const auto n = static_cast<int>(model_.coordinates.size());
  layout_ = {static_cast<int>(mechanism_.states.size()), static_cast<int>(mechanism_.inputs.size()), n};
  for (const mechanism::Watched& one : watched)
    if (one.crossing >= 0) ++layout_.decisions;
  signal_count_ = layout_.size();
  coordinate_scale_.assign(static_cast<std::size_t>(n), 1);

  build_constraints();
  build_mass();
  build_applied();
  for (const AuxiliaryState& x : mechanism_.states) state_rates_.push_back(formula(x.derivative));
  for (const auto& [name, text] : mechanism_.outputs) outputs_.emplace_back(name, formula(text));
  for (const mechanism::Watched& one : watched) {
    const expressions::Expression e = parse_valid(one.text, *symbols_);
    watched_.emplace_back(one.crossing < 0 ? e : e.crossing_argument(one.crossing), layout_);
  }
  const auto holonomic = static_cast<int>(constraints_.size());
  sizes_ = {n, n, jacobian_.rows(), holonomic, layout_.states, layout_.inputs, 0};

  const auto make_room = [&](const Formula& f) {
    expression_scratch_ = std::max(expression_scratch_, f.scratch_size());
  };
  for (const MassEntry& entry : mass_entries_) make_room(entry.value);
  for (const AppliedForce& force : applied_) make_room(force.value);
  make_room(potential_);
  for (const auto* list : {&constraints_, &velocity_constraints_, &state_rates_, &watched_})
    for (const Formula& f : *list) make_room(f);
  for (const auto& [name, f] : outputs_) make_room(f);

  // M at the start, for what compares itself with the size of the inertia.
  Terms terms = make_terms();
  evaluate(initial_state(), 0, terms);
  mass_ = terms.M;
  inertia_scale_.assign(static_cast<std::size_t>(n), 0);
  for (std::size_t k = 0; k < mass_.size(); ++k)
    if (mass_pattern_.row[k] == mass_pattern_.column[k])
      inertia_scale_[static_cast<std::size_t>(mass_pattern_.row[k])] = mass_[k];
}

Formula GeneralizedSystem::formula(const std::string& text) const {
  expressions::Expression e = parse_valid(text, *symbols_);
  decide(asked_, text, layout_.first_decision(), e);
  return {std::move(e), layout_};
}

void GeneralizedSystem::declare_block(const std::vector<int>& rows, const std::vector<int>& columns) {
  for (const int row : rows)
    for (const int column : columns)
      for (EntryPattern* pattern : {&stiffness_, &damping_}) {
        pattern->row.push_back(row);
        pattern->column.push_back(column);
      }
}

// Those that name a rate are of velocities, and their rows follow the others.
void GeneralizedSystem::build_constraints() {
  std::vector<RowOwner> velocity_rows;
  for (const auto& constraint : model_.constraints) {
    Formula f = formula(constraint.value);
    const bool of_velocities = f.depends_on(Formula::Kind::rate);
    RowOwner owner{RowOwner::Kind::joint, constraint.name, 1, {constraint.name}};
    // A constraint of velocities does work through b alone, whatever A depends on.
    rheonomic_ = rheonomic_ ||
                 (of_velocities ? !f.is_homogeneous_in_rates(layout_) : f.depends_on(Formula::Kind::time));
    if (!of_velocities) jacobian_.add_row(f.coordinates());
    (of_velocities ? velocity_rows : rows_).push_back(std::move(owner));
    (of_velocities ? velocity_constraints_ : constraints_).push_back(std::move(f));
  }
  for (const Formula& f : velocity_constraints_) jacobian_.add_row(f.rates());
  rows_.insert(rows_.end(), velocity_rows.begin(), velocity_rows.end());
  has_work_ = rheonomic_;
}

void GeneralizedSystem::build_mass() {
  std::map<std::pair<int, int>, std::string> given;  // (column, row) of the lower triangle
  for (int i = 0; i < layout_.coordinates; ++i) given[{i, i}] = "0";
  for (const auto& entry : model_.mass) {
    const int i = index_of(model_, entry.row), j = index_of(model_, entry.column);
    given[{std::min(i, j), std::max(i, j)}] = entry.value;
  }
  for (const auto& [place, text] : given) {
    MassEntry entry;
    entry.column = place.first;
    entry.row = place.second;
    entry.value = formula(text);
    mass_pattern_.column.push_back(entry.column);
    mass_pattern_.row.push_back(entry.row);
    if (!entry.value.is_constant()) {
      entry.block = entry.value.coordinates();
      entry.block.insert(entry.block.end(), {entry.row, entry.column});
      std::sort(entry.block.begin(), entry.block.end());
      entry.block.erase(std::unique(entry.block.begin(), entry.block.end()), entry.block.end());
      entry.row_at = place_in(entry.block, entry.row);
      entry.column_at = place_in(entry.block, entry.column);
      for (const auto& x : entry.value.variables()) entry.at.push_back(place_in(entry.block, x.index));
      declare_block(entry.block, entry.block);
      symmetric_tangent_ = false;
      has_work_ = has_work_ || entry.value.depends_on(Formula::Kind::time);
    }
    mass_entries_.push_back(std::move(entry));
  }
  mass_.assign(mass_entries_.size(), 0);
}

void GeneralizedSystem::build_applied() {
  applied_start_ = stiffness_.row.size();
  for (const auto& term : model_.applied) {
    AppliedForce force;
    force.row = index_of(model_, term.name);
    force.value = formula(term.value);
    force.columns = force.value.coordinates();
    for (const auto& x : force.value.variables()) force.at.push_back(place_in(force.columns, x.index));
    declare_block({force.row}, force.columns);
    for (const int column : force.columns) symmetric_tangent_ = symmetric_tangent_ && column == force.row;
    applied_.push_back(std::move(force));
  }
  potential_start_ = stiffness_.row.size();
  if (!model_.potential.empty()) potential_ = formula(model_.potential);
  declare_block(potential_.coordinates(), potential_.coordinates());
  has_work_ = has_work_ || !applied_.empty() || potential_.depends_on(Formula::Kind::time);
}

State GeneralizedSystem::initial_state() const {
  State s;
  for (const auto& q : model_.coordinates) s.q.push_back(q.start);
  s.v.assign(s.q.size(), 0);
  s.a.assign(s.q.size(), 0);
  s.lambda.assign(rows_.size(), 0);
  for (const AuxiliaryState& x : mechanism_.states) s.x.push_back(x.initial);
  for (const Input& input : mechanism_.inputs) s.inputs.push_back(input.value);
  return s;
}

std::vector<KnownVelocity> GeneralizedSystem::known_velocities(const State&) const {
  std::vector<KnownVelocity> all;
  for (std::size_t i = 0; i < model_.coordinates.size(); ++i)
    if (const auto& q = model_.coordinates[i]; q.rate)
      all.push_back({q.name, {static_cast<int>(i)}, {1.0}, *q.rate});
  return all;
}

std::string GeneralizedSystem::coordinate_owner(int column) const {
  return "coordinate '" + model_.coordinates[static_cast<std::size_t>(column)].name + "'";
}

std::vector<std::string> GeneralizedSystem::coordinate_names() const {
  std::vector<std::string> names;
  for (const auto& q : model_.coordinates) names.push_back(q.name);
  return names;
}

void GeneralizedSystem::watch(const State& s, Terms& terms, std::span<double> values) const {
  layout_.fill(s, terms.signals);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = watched_[k].value(terms.signals, terms.scratch);
}

std::vector<Reading> GeneralizedSystem::readings(const State& s, Terms& terms) const {
  layout_.fill(s, terms.signals);
  std::vector<Reading> all;
  for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
    const std::string& name = model_.coordinates[i].name;
    all.push_back({"", name, "", s.q[i]});
    all.push_back({"", name + ".rate", "", s.v[i]});
  }
  for (std::size_t k = 0; k < mechanism_.states.size(); ++k)
    all.push_back({"", mechanism_.states[k].name, "", s.x[k]});
  for (const auto& [name, f] : outputs_) all.push_back({"", name, "", f.value(terms.signals, terms.scratch)});
  return all;
}

// A stop has a row only while something rests on it: its multiplier is zero else.
std::vector<Reading> GeneralizedSystem::multipliers(const std::vector<double>& lambda) const {
  const auto is_stop = [&](const std::string& name) {
    return std::any_of(mechanism_.stops.begin(), mechanism_.stops.end(),
                       [&](const EndStop& e) { return e.name == name; });
  };
  std::vector<Reading> all;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (!is_stop(rows_[r].name)) all.push_back({"", "lambda." + rows_[r].name, "", lambda[r]});
  for (const EndStop& stop : mechanism_.stops) {
    double value = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].name == stop.name) value = lambda[r];
    all.push_back({"", "lambda." + stop.name, "", value});
  }
  return all;
}

std::vector<Reading> GeneralizedSystem::efforts(const State& s, Terms&) const {
  return multipliers(s.lambda);
}

std::vector<ReactionMode> GeneralizedSystem::reaction_modes(
    const State&, Terms&, std::span<const std::vector<double>> null_multipliers) const {
  std::vector<ReactionMode> modes;
  for (std::vector<double> y : null_multipliers) {
    double largest = 0;
    for (const double x : y) largest = std::max(largest, std::abs(x));
    for (double& x : y) x /= largest;
    modes.push_back({{}, multipliers(y)});
  }
  return modes;
}

}  // namespace trammel::system
