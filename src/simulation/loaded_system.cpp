#include "simulation/loaded_system.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "linalg/dense.h"

namespace trammel::simulation {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
// Newton's method for the loads: quadratic, so that what is left after this is rounding.
constexpr double kLoadRounding = 1e-13;
constexpr int kMostIterations = 50;

// Forces at the ends of a guide or bearing, or across the flanks of a thread.
using Pressing = std::array<Vec3, 2>;

Pressing pressing(const FrictionContact& contact, const system::Wrench& w, double effort) {
  const Vec3 axis = w.axes.col(contact.axis);
  const double along = axis.dot(w.force);
  if (contact.thread_radius > 0) {
    const double own = (w.body == contact.first ? effort : -effort) / contact.thread_radius;
    const double across = along / std::cos(contact.lead_angle) - own * std::sin(contact.lead_angle);
    return {across / contact.flank_cosine * axis, Vec3::Zero()};
  }
  const Vec3 half = 0.5 * (w.force - along * axis);
  const Vec3 tilts = contact.length > 0 ? Vec3(w.torque.cross(axis) / contact.length) : Vec3(Vec3::Zero());
  return {half + tilts, half - tilts};
}

std::vector<Pressing> pressing(std::span<const FrictionLoad> loads, const system::System& system,
                               const State& solved, system::Terms& terms) {
  const std::vector<system::Wrench> reactions = system.reactions(solved, terms);
  const std::vector<system::Reading> efforts = system.efforts(solved, terms);
  std::vector<Pressing> all;
  for (const FrictionLoad& load : loads) {
    const auto w = std::ranges::find(reactions, load.contact.joint, &system::Wrench::joint);
    const auto effort = std::ranges::find(efforts, load.friction, &system::Reading::object);
    if (w == reactions.end() || effort == efforts.end())
      all.push_back({Vec3::Constant(kNotANumber), Vec3::Zero()});
    else
      all.push_back(pressing(load.contact, *w, effort->value));
  }
  return all;
}

// The linear equations of accelerations and multipliers at one State.
class Accelerations {
 public:
  Accelerations(const system::System& system, const system::Terms& terms)
      : n_(system.sizes().v), m_(system.sizes().rows), matrix_(Eigen::MatrixXd::Zero(n_ + m_, n_ + m_)) {
    std::vector<double> unit(static_cast<std::size_t>(n_), 0.0);
    for (Eigen::Index k = 0; k < n_; ++k) {
      unit[static_cast<std::size_t>(k)] = 1;
      system.add_mass_times(terms, unit, 1, {matrix_.col(k).data(), static_cast<std::size_t>(n_)});
      unit[static_cast<std::size_t>(k)] = 0;
    }
    const system::RowPattern& rows = system.jacobian();
    for (Eigen::Index r = 0; r < m_; ++r)
      for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
           ++k) {
        const int c = rows.column[static_cast<std::size_t>(k)];
        matrix_(n_ + r, c) += terms.Phi_v[static_cast<std::size_t>(k)];
        matrix_(c, n_ + r) += terms.Phi_v[static_cast<std::size_t>(k)];
      }
  }
  // Where multipliers are not unique, the smallest ones.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const { return linalg::least_squares(matrix_, right); }
  Eigen::Index velocities() const { return n_; }
  Eigen::Index size() const { return n_ + m_; }

 private:
  Eigen::Index n_, m_;
  Eigen::MatrixXd matrix_;
};

// N_k = Σ_i |r0_ki + Σ N_l d_lki|, by Newton's method.
Eigen::VectorXd find_loads(const std::vector<Pressing>& r0, const std::vector<std::vector<Pressing>>& d) {
  const auto n = static_cast<Eigen::Index>(r0.size());
  Eigen::VectorXd N = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k)
    for (const Vec3& r : r0[static_cast<std::size_t>(k)]) N[k] += r.norm();
  for (int count = 0; count < kMostIterations; ++count) {
    Eigen::VectorXd residual(n);
    Eigen::MatrixXd slope = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      residual[k] = N[k];
      for (std::size_t i = 0; i < 2; ++i) {
        const auto by = [&](Eigen::Index l) -> const Vec3& {
          return d[static_cast<std::size_t>(l)][static_cast<std::size_t>(k)][i];
        };
        Vec3 r = r0[static_cast<std::size_t>(k)][i];
        for (Eigen::Index l = 0; l < n; ++l) r += N[l] * by(l);
        residual[k] -= r.norm();
        for (Eigen::Index l = 0; l < n && r.norm() > 0; ++l) slope(k, l) -= r.dot(by(l)) / r.norm();
      }
    }
    // A friction that adds to its own load by as much as it takes.
    if (!(slope.determinant() > 0)) break;
    if (residual.cwiseAbs().maxCoeff() <= kLoadRounding * N.cwiseAbs().maxCoeff()) return N;
    N -= linalg::solve(slope, residual);
  }
  return Eigen::VectorXd::Constant(n, kNotANumber);
}

}  // namespace

double load_of(const FrictionLoad& load, const system::System& system, const State& solved) {
  system::Terms terms = system.make_terms();
  const Pressing forces = pressing({&load, 1}, system, solved, terms).front();
  return forces[0].norm() + forces[1].norm();
}

LoadedSystem::LoadedSystem(std::shared_ptr<const system::System> within, std::vector<FrictionLoad> loads)
    : within_(std::move(within)), loads_(std::move(loads)) {
  slips_ = std::ranges::any_of(loads_, &FrictionLoad::slips);
  sizes_ = within_->sizes();
  sizes_.inputs -= static_cast<int>(loads_.size());
  rows_ = within_->rows();
  jacobian_ = within_->jacobian();
  mass_pattern_ = within_->mass_pattern();
  stiffness_ = within_->stiffness();
  damping_ = within_->damping();
  symmetric_tangent_ = within_->symmetric_tangent();
  inertia_scale_ = within_->inertia_scale();
  unit_inertia_ = within_->unit_inertia();
  length_scale_ = within_->length_scale();
  coordinate_scale_ = within_->coordinate_scale();
  position_scale_ = within_->position_scale();
  angle_positions_ = within_->angle_positions();
  constant_mass_ = within_->constant_mass();
  has_work_ = within_->has_work() || slips_;
  rheonomic_ = within_->rheonomic();
  has_range_ = within_->has_range() || slips_;
  flank_rows_ = within_->flank_rows();
  idle_columns_ = within_->idle_columns();
}

State LoadedSystem::without_loads(const State& s) const {
  State out = s;
  out.inputs.resize(out.inputs.size() + loads_.size(), 0.0);
  return out;
}

void LoadedSystem::take_back(State from, State& to) const {
  from.inputs.resize(from.inputs.size() - loads_.size());
  to = std::move(from);
}

State LoadedSystem::loaded(const State& s) const {
  State at = without_loads(s);
  if (!slips_) return at;
  std::vector<std::size_t> slipping;
  std::vector<FrictionLoad> loads;
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    if (!loads_[k].slips) continue;
    slipping.push_back(k);
    loads.push_back(loads_[k]);
  }
  const std::size_t first = s.inputs.size();
  const auto count = static_cast<Eigen::Index>(slipping.size());

  system::Terms terms = within_->make_terms();
  within_->evaluate(at, system::kAskPosition | system::kAskGamma | system::kAskForces, terms);
  const Accelerations equations(*within_, terms);
  const Eigen::Index n = equations.velocities();
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(equations.size(), 1 + count);
  const auto Q = [&] { return Eigen::Map<const Eigen::VectorXd>(terms.Q.data(), n); };
  right.col(0).head(n) = Q();
  for (Eigen::Index r = n; r < equations.size(); ++r)
    right(r, 0) = -terms.gamma[static_cast<std::size_t>(r - n)];
  for (Eigen::Index k = 0; k < count; ++k) {
    at.inputs[first + slipping[static_cast<std::size_t>(k)]] = 1;
    within_->evaluate(at, system::kAskForces, terms);
    right.col(1 + k).head(n) = Q() - right.col(0).head(n);
    at.inputs[first + slipping[static_cast<std::size_t>(k)]] = 0;
  }
  const Eigen::MatrixXd solved = equations.solve(right);

  // Reactions without loads, and what a load of one adds.
  const auto forces = [&](const Eigen::VectorXd& x) {
    at.a.assign(x.data(), x.data() + n);
    at.lambda.assign(x.data() + n, x.data() + x.size());
    return pressing(loads, *within_, at, terms);
  };
  const std::vector<Pressing> r0 = forces(solved.col(0));
  std::vector<std::vector<Pressing>> d;  // by the friction whose load it is
  for (std::size_t l = 0; l < slipping.size(); ++l) {
    at.inputs[first + slipping[l]] = 1;
    d.push_back(forces(solved.col(0) + solved.col(1 + static_cast<Eigen::Index>(l))));
    for (std::size_t k = 0; k < slipping.size(); ++k)
      for (std::size_t i = 0; i < 2; ++i) d.back()[k][i] -= r0[k][i];
    at.inputs[first + slipping[l]] = 0;
  }
  const Eigen::VectorXd N = find_loads(r0, d);
  for (std::size_t k = 0; k < slipping.size(); ++k)
    at.inputs[first + slipping[k]] = N[static_cast<Eigen::Index>(k)];
  at.a = s.a;
  at.lambda = s.lambda;
  return at;
}

State LoadedSystem::initial_state() const {
  State s;
  take_back(within_->initial_state(), s);
  return s;
}

std::vector<system::KnownVelocity> LoadedSystem::known_velocities(const State& s) const {
  return within_->known_velocities(without_loads(s));
}

void LoadedSystem::evaluate(const State& s, unsigned ask, system::Terms& terms) const {
  const bool forces = ask & (system::kAskForces | system::kAskTangent);
  within_->evaluate(forces ? loaded(s) : without_loads(s), ask, terms);
}

std::string LoadedSystem::accept_angles(State& s, system::Terms& terms, double step) const {
  State with = without_loads(s);
  std::string turned = within_->accept_angles(with, terms, step);
  take_back(std::move(with), s);
  return turned;
}

std::string LoadedSystem::out_of_range(const State& s, system::Terms& terms) const {
  const State with = loaded(s);
  for (std::size_t k = 0; k < loads_.size(); ++k)
    if (!std::isfinite(with.inputs[s.inputs.size() + k]))
      return "friction '" + loads_[k].friction +
             "' jams: it adds to its own load by as much as it takes; lower its coefficient, or guide the "
             "joint "
             "otherwise";
  return within_->out_of_range(with, terms);
}

std::vector<Pose> LoadedSystem::poses(const State& s) const { return within_->poses(without_loads(s)); }

std::vector<Vec3> LoadedSystem::point_positions(const State& s) const {
  return within_->point_positions(without_loads(s));
}

std::vector<system::Reading> LoadedSystem::readings(const State& s, system::Terms& terms) const {
  return within_->readings(reads_reactions() ? loaded(s) : without_loads(s), terms);
}

void LoadedSystem::forces(const State& s, system::Terms& terms, std::span<double> values) const {
  within_->forces(without_loads(s), terms, values);
}

void LoadedSystem::watch(const State& s, system::Terms& terms, std::span<double> values) const {
  within_->watch(watches_reactions() ? loaded(s) : without_loads(s), terms, values);
}

std::vector<system::Wrench> LoadedSystem::reactions(const State& s, system::Terms& terms) const {
  return within_->reactions(loaded(s), terms);
}

std::vector<system::Reading> LoadedSystem::efforts(const State& s, system::Terms& terms) const {
  return within_->efforts(loaded(s), terms);
}

std::vector<system::ReactionMode> LoadedSystem::reaction_modes(
    const State& s, system::Terms& terms, std::span<const std::vector<double>> multipliers) const {
  return within_->reaction_modes(without_loads(s), terms, multipliers);
}

std::map<std::string, double> LoadedSystem::turns(const State& s) const {
  return within_->turns(without_loads(s));
}

void LoadedSystem::place(std::span<const Body> bodies, std::span<const Pose> poses, State& s) const {
  State with = without_loads(s);
  within_->place(bodies, poses, with);
  take_back(std::move(with), s);
}

void LoadedSystem::take_turns(const std::map<std::string, double>& known, State& s) const {
  State with = without_loads(s);
  within_->take_turns(known, with);
  take_back(std::move(with), s);
}

}  // namespace trammel::simulation
