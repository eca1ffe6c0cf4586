// A person's own coordinates: every name exists, every formula depends on what it may, and the mass matrix is
// one at the start.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <set>

#include "expressions/nearest_name.h"
#include "linalg/dense.h"
#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

// A dense eigenvalue problem of this size takes a fraction of a second.
constexpr std::size_t kDenseMass = 300;
// Eigenvalues are exact to rounding of the largest one.
constexpr double kRounding = 1e-12;

constexpr const char* kMayTie = "a constraint ties coordinates, or their rates, at times of t";

class GeneralizedCheck {
 public:
  GeneralizedCheck(const Mechanism& mechanism, Issues& issues)
      : model_(*mechanism.generalized), issues_(issues), symbols_(make_symbols(mechanism)) {
    const std::size_t n = model_.coordinates.size();
    first_ = 1 + mechanism.states.size() + mechanism.inputs.size();
    // The start, with everything but coordinates zero: formulas that are evaluated depend on t and q only.
    start_.assign(first_ + 2 * n, 0);
    for (std::size_t i = 0; i < n; ++i) start_[first_ + i] = model_.coordinates[i].start;
    held_.assign(n, false);
  }

  void run() {
    for (const auto& q : model_.coordinates) {
      if (!std::isfinite(q.start) || !std::isfinite(q.rate.value_or(0)))
        report(q.where, fmt::format("the start of coordinate '{}' is not finite", q.name),
               "give a finite number");
    }
    check_constraints();
    check_mass();
    std::set<std::string> pushed;
    for (const auto& force : model_.applied) {
      const std::string label = fmt::format("the force on '{}'", force.name);
      if (find(force.name, label, force.where) && !pushed.insert(force.name).second)
        report(force.where, fmt::format("{} is given twice", label), "add the two");
      static_cast<void>(parse(force.value, label, force.where));
    }
    if (model_.potential.empty()) return;
    const auto V = parse(model_.potential, "the potential", {}, "potential");
    if (V && depends_on_position(*V, "the potential", {}, "potential",
                                 "put forces of rates, states and inputs under `applied:`"))
      static_cast<void>(value_at_start(*V, "the potential", {}, "potential"));
  }

 private:
  void report(const Source& where, std::string message, std::string remedy, std::string field = "",
              bool of_whole = false) {
    issues_.push_back({where, std::move(field), std::move(message), std::move(remedy), of_whole});
  }

  std::size_t first_rate() const { return first_ + model_.coordinates.size(); }

  // The index of a coordinate.
  std::optional<std::size_t> find(const std::string& name, const std::string& label, const Source& where) {
    std::vector<std::string> names;
    for (const auto& q : model_.coordinates) {
      if (q.name == name) return names.size();
      names.push_back(q.name);
    }
    const std::string nearest = expressions::nearest_name(name, names);
    report(where, fmt::format("{}: there is no coordinate '{}'", label, name),
           nearest.empty() ? "declare it under `coordinates:`" : fmt::format("did you mean '{}'?", nearest));
    return std::nullopt;
  }

  std::optional<expressions::Expression> parse(const std::string& text, const std::string& label,
                                               const Source& where, const std::string& field = "") {
    auto parsed = expressions::Expression::parse(text, *symbols_);
    if (auto* good = std::get_if<expressions::Expression>(&parsed)) return std::move(*good);
    report(where,
           fmt::format("{}, '{}': {}", label, text, std::get<expressions::ExpressionError>(parsed).message),
           "", field);
    return std::nullopt;
  }

  // t and coordinates only.
  bool depends_on_position(const expressions::Expression& f, const std::string& label, const Source& where,
                           const std::string& field, const std::string& remedy) {
    const auto is_wrong = [&](int slot) {
      const auto at = static_cast<std::size_t>(slot);
      return at > 0 && (at < first_ || at >= first_rate());
    };
    const auto wrong = std::find_if(f.slots().begin(), f.slots().end(), is_wrong);
    if (wrong == f.slots().end()) return true;
    report(where, fmt::format("{} cannot depend on '{}'", label, symbols_->name(*wrong)), remedy, field);
    return false;
  }

  double value_at_start(const expressions::Expression& f, const std::string& label, const Source& where,
                        const std::string& field = "") {
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(f.scratch_size())));
    const double value = f.value(start_, scratch_);
    if (std::isfinite(value)) return value;
    report(where, fmt::format("{} is not finite at the start", label),
           "look for a division by zero or the root of a negative number, or change the start", field);
    return 0;
  }

  void check_constraints() {
    for (const auto& constraint : model_.constraints) {
      const std::string label = fmt::format("constraint '{}'", constraint.name);
      const auto f = parse(constraint.value, label, constraint.where);
      if (!f) continue;
      const bool of_velocities = f->degree(static_cast<int>(first_rate())).high > 0;
      if (of_velocities ? check_rates(*f, label, constraint.where)
                        : check_positions(*f, label, constraint.where))
        static_cast<void>(value_at_start(*f, label, constraint.where));
    }
  }

  // Φ(q, t) = 0
  bool check_positions(const expressions::Expression& f, const std::string& label, const Source& where) {
    if (!depends_on_position(f, label, where, "", kMayTie)) return false;
    bool ties = false;
    for (const int slot : f.slots()) {
      if (slot == 0) continue;
      ties = true;
      held_[static_cast<std::size_t>(slot) - first_] = true;
    }
    if (!ties)
      report(where, fmt::format("{} depends on no coordinate", label), "name the coordinates it ties");
    return true;
  }

  // A(q, t) q̇ + b(q, t) = 0
  bool check_rates(const expressions::Expression& f, const std::string& label, const Source& where) {
    for (const int slot : f.slots()) {
      const auto at = static_cast<std::size_t>(slot);
      if (at == 0 || at >= first_) continue;
      report(where, fmt::format("{} cannot depend on '{}'", label, symbols_->name(slot)), kMayTie);
      return false;
    }
    if (f.degree(static_cast<int>(first_rate())).is_linear()) return true;
    report(where, fmt::format("{} is not linear in the rates", label),
           "write a sum of rates, each times an expression of coordinates and t: A(q, t) v + b(q, t)");
    return false;
  }

  void check_mass() {
    const std::size_t n = model_.coordinates.size();
    if (model_.mass.empty()) {
      report({}, "the coordinates have no inertia", "add `mass:` with the entries of the mass matrix", "mass",
             true);
      return;
    }
    const std::size_t before = issues_.size();
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    std::vector<bool> has_inertia(n, false);
    std::set<std::pair<std::size_t, std::size_t>> given;
    for (const auto& entry : model_.mass) {
      const std::string label = entry.row == entry.column
                                    ? fmt::format("the mass of '{}'", entry.row)
                                    : fmt::format("the mass of '{} {}'", entry.row, entry.column);
      const auto i = find(entry.row, label, entry.where);
      const auto j = entry.row == entry.column ? i : find(entry.column, label, entry.where);
      if (i && j && !given.insert(std::minmax(*i, *j)).second)
        report(entry.where, fmt::format("{} is given twice", label),
               "the matrix is symmetric: give an entry once, in either order");
      const auto m = parse(entry.value, label, entry.where);
      if (!i || !j) continue;
      const bool is_good =
          m && depends_on_position(*m, label, entry.where, "",
                                   "a mass may use coordinates, t, parameters and functions");
      const double value = is_good ? value_at_start(*m, label, entry.where) : 0;
      const bool is_zero = is_good && m->is_constant() && value == 0;
      if (!is_zero) has_inertia[*i] = has_inertia[*j] = true;
      const auto row = static_cast<Eigen::Index>(*i), column = static_cast<Eigen::Index>(*j);
      M(row, column) = M(column, row) = value;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (has_inertia[i] || held_[i]) continue;
      report(model_.coordinates[i].where,
             fmt::format("coordinate '{}' has neither inertia nor a constraint", model_.coordinates[i].name),
             "give it an entry under `mass:`, or tie it, not its rate alone, under `constraints:`", "", true);
    }
    if (issues_.size() == before && n > 0 && n <= kDenseMass) check_positive(M);
  }

  // T = ½ q̇ᵀMq̇ is never negative.
  void check_positive(const Eigen::MatrixXd& M) {
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(M);
    const double least = eigen.values[0];
    if (least >= -kRounding * M.cwiseAbs().maxCoeff()) return;
    std::vector<std::string> along;
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i)
      if (std::abs(eigen.vectors(static_cast<Eigen::Index>(i), 0)) > 0.1)
        along.push_back(fmt::format("'{}'", model_.coordinates[i].name));
    report({},
           fmt::format("the mass matrix gives a negative kinetic energy at the start, in a motion of {}",
                       fmt::join(along, ", ")),
           "check its signs, and that every entry is there", "mass", true);
  }

  const GeneralizedModel& model_;
  Issues& issues_;
  std::unique_ptr<expressions::Symbols> symbols_;
  std::size_t first_ = 1;  // slot of the first coordinate
  std::vector<double> start_, scratch_;
  std::vector<bool> held_;  // by a constraint of positions
};

}  // namespace

void validate_generalized(const Mechanism& mechanism, Issues& issues) {
  const bool has_bodies = !mechanism.bodies.empty() || !mechanism.points.empty() ||
                          !mechanism.joints.empty() || !mechanism.drivers.empty() ||
                          !mechanism.forces.empty() || !mechanism.constraints.empty();
  if (has_bodies)
    issues.push_back({{},
                      "coordinates",
                      "a model with coordinates of its own has no bodies, joints or forces",
                      "keep one of the two descriptions",
                      true});
  if (mechanism.generalized->coordinates.empty()) {
    issues.push_back(
        {{}, "coordinates", "the model has no coordinates", "add one under `coordinates:`", true});
    return;
  }
  GeneralizedCheck(mechanism, issues).run();
}

}  // namespace trammel::mechanism
