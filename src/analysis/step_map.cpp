#include "analysis/step_map.h"

#include <Eigen/Dense>
#include <cmath>
#include <optional>

#include "analysis/differences.h"
#include "forms/residual_form.h"
#include "formulations/matrices/dense_terms.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// As in mobility: above the error of an assembled position.
constexpr double kRankTolerance = 1e-9;
// One vector of the State: its unit is scale/h^order, its columns of directions split motion from violation.
struct Part {
  Level level = Level::position;
  int order = 0;
  std::optional<MemorySlot> slot;  // if it is kept by a method
  bool reactions = false;          // multipliers of constraints of velocities
  Eigen::MatrixXd directions;      // orthonormal; those of motion first
  Eigen::Index motion = 0;         // how many these are

  std::vector<double>& of(State& s) const {
    if (slot) return s.remember(*slot, 0);
    if (reactions) return s.lambda;
    if (level == Level::auxiliary) return s.x;
    return level == Level::position ? s.q : level == Level::velocity ? s.v : s.a;
  }
};

class Differences {
 public:
  Differences(const system::System& system, simulation::Method& method, const State& rest, double h,
              int steps);
  StepMap map();

 private:
  void add_part(Level level, int order, const std::optional<MemorySlot>& slot, Eigen::Index first_row,
                Eigen::Index last_row);
  void add_reactions(const system::Terms& terms);
  void number_directions();
  // u after the steps from δ along direction (part, column); false when a step is not accepted.
  bool advance(const Part& part, Eigen::Index column, double delta, Eigen::VectorXd& u, Report& report);
  double unit(const Part& part, std::size_t i) const;
  Eigen::VectorXd deviation(State& s) const;

  const system::System& system_;
  simulation::Method& method_;
  State rest_;
  double h_;
  int steps_;
  Eigen::MatrixXd rows_;
  std::vector<double> reaction_unit_;  // by row: changes A v̇ by what counts as one, by h²
  std::vector<Part> parts_;
  struct Direction {
    std::size_t part;
    Eigen::Index column;
  };
  std::vector<Direction> directions_;  // of u: motion first
  Eigen::Index motion_ = 0;
};

Differences::Differences(const system::System& system, simulation::Method& method, const State& rest,
                         double h, int steps)
    : system_(system), method_(method), rest_(rest), h_(h), steps_(steps) {
  system::Terms terms = system.make_terms();
  system.evaluate(rest, system::kAskPosition, terms);
  rows_ = formulations::scaled_rows(system, terms).rowwise().normalized();
  const Eigen::Index all = rows_.rows(), holonomic = system.sizes().holonomic;
  add_part(Level::position, 0, std::nullopt, 0, holonomic);
  add_part(Level::velocity, 1, std::nullopt, 0, all);
  const simulation::Carried carried = method.carried();
  if (carried.accelerations) add_part(Level::acceleration, 2, std::nullopt, 0, all);
  if (carried.reactions && all > holonomic) add_reactions(terms);
  if (!rest_.x.empty()) add_part(Level::auxiliary, 0, std::nullopt, 0, 0);
  for (const MemorySlot& slot : carried.slots) {
    if (!rest_.recall(slot)) continue;
    const bool of_states = slot == forms::kStateRates;
    // An acceleration's offset comes per unit of the step.
    add_part(of_states ? Level::auxiliary : Level::acceleration, of_states ? 1 : 3, slot, 0,
             of_states ? 0 : all);
  }
  number_directions();
}

void Differences::add_part(Level level, int order, const std::optional<MemorySlot>& slot,
                           Eigen::Index first_row, Eigen::Index last_row) {
  Part part;
  part.level = level;
  part.order = order;
  part.slot = slot;
  // Positions are perturbed along their velocities.
  const auto n = static_cast<Eigen::Index>((level == Level::position ? rest_.v : part.of(rest_)).size());
  part.directions = Eigen::MatrixXd::Identity(n, n);
  part.motion = n;
  if (last_row > first_row) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(
        rows_.middleRows(first_row, last_row - first_row).transpose());
    qr.setThreshold(kRankTolerance);
    const Eigen::MatrixXd Q = qr.householderQ();
    part.motion = n - qr.rank();
    part.directions << Q.rightCols(part.motion), Q.leftCols(qr.rank());
  }
  parts_.push_back(std::move(part));
}

// λ̂ moves freely: a state with any λ̂ keeps the constraints, so that it belongs to the motion.
void Differences::add_reactions(const system::Terms& terms) {
  const std::vector<double> mobility = formulations::effective_mobility(system_, terms);
  const Eigen::Index all = rows_.rows(), holonomic = system_.sizes().holonomic;
  for (std::size_t r = 0; r < system_.rows().size(); ++r) {
    const double compliance = formulations::row_compliance(system_.jacobian(), terms.Phi_v, r, mobility);
    reaction_unit_.push_back(compliance > 0 ? system_.rows()[r].scale / (h_ * h_ * compliance) : 1);
  }
  Part part;
  part.level = Level::acceleration;
  part.reactions = true;
  part.directions = Eigen::MatrixXd::Identity(all, all).rightCols(all - holonomic);
  part.motion = all - holonomic;
  parts_.push_back(std::move(part));
}

void Differences::number_directions() {
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (Eigen::Index c = 0; c < parts_[p].motion; ++c) directions_.push_back({p, c});
  motion_ = static_cast<Eigen::Index>(directions_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (Eigen::Index c = parts_[p].motion; c < parts_[p].directions.cols(); ++c)
      directions_.push_back({p, c});
}

double Differences::unit(const Part& part, std::size_t i) const {
  if (part.reactions) return reaction_unit_[i];
  const double scale = part.level == Level::auxiliary ? 1 : system_.coordinate_scale()[i];
  return scale / std::pow(h_, part.order);
}

Eigen::VectorXd Differences::deviation(State& s) const {
  std::vector<Eigen::VectorXd> turned;
  State rest = rest_;
  for (const Part& part : parts_) {
    const std::vector<double>&now = part.of(s), &was = part.of(rest);
    Eigen::VectorXd change(part.directions.rows());
    if (part.level == Level::position)
      system_.difference(was, now, {change.data(), rest.v.size()});
    else
      for (std::size_t i = 0; i < now.size(); ++i) change[static_cast<Eigen::Index>(i)] = now[i] - was[i];
    for (Eigen::Index i = 0; i < change.size(); ++i) change[i] /= unit(part, static_cast<std::size_t>(i));
    turned.emplace_back(part.directions.transpose() * change);
  }
  Eigen::VectorXd u(static_cast<Eigen::Index>(directions_.size()));
  for (std::size_t k = 0; k < directions_.size(); ++k)
    u[static_cast<Eigen::Index>(k)] = turned[directions_[k].part][directions_[k].column];
  return u;
}

bool Differences::advance(const Part& part, Eigen::Index column, double delta, Eigen::VectorXd& u,
                          Report& report) {
  State s = rest_;
  std::vector<double> way(static_cast<std::size_t>(part.directions.rows()));
  for (std::size_t i = 0; i < way.size(); ++i)
    way[i] = delta * unit(part, i) * part.directions(static_cast<Eigen::Index>(i), column);
  std::vector<double>& values = part.of(s);
  if (part.level == Level::position)
    system_.retract(values, way);
  else
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += way[i];
  for (int step = 0; step < steps_; ++step) {
    report = method_.step(s, h_).report;
    // A marked step met a weaker criterion: its differences would be noise.
    if (report.outcome == Outcome::ok) continue;
    if (report.outcome == Outcome::marked) report.outcome = Outcome::not_converged;
    return false;
  }
  u = deviation(s);
  return u.allFinite();
}

StepMap Differences::map() {
  StepMap out;
  for (std::size_t k = 0; k < directions_.size(); ++k)
    (static_cast<Eigen::Index>(k) < motion_ ? out.motion : out.violation)
        .push_back(parts_[directions_[k].part].level);
  Eigen::VectorXd u;
  if (!advance(parts_[0], 0, 0, u, out.report)) return out;
  out.drift = u.cwiseAbs().maxCoeff();
  const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& u_after, Report& report) {
    const auto [p, column] = directions_[static_cast<std::size_t>(j)];
    return advance(parts_[p], column, distance, u_after, report);
  };
  Jacobian X = differentiate(along, static_cast<Eigen::Index>(directions_.size()), out.drift);
  out.report = std::move(X.report);
  out.X = std::move(X.values);
  out.error = std::move(X.error);
  return out;
}

}  // namespace

StepMap step_map(const system::System& system, simulation::Method& method, const State& rest, double h,
                 int steps) {
  return Differences(system, method, rest, h, steps).map();
}

}  // namespace trammel::analysis
