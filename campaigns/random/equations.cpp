#include "equations.h"

#include <cmath>

namespace trammel::campaigns::random {
namespace {

Matrix3d turned_by(const Vector3d& rotation) {
  const double angle = rotation.norm();
  return angle == 0 ? Matrix3d::Identity()
                    : Matrix3d(Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix());
}

}  // namespace

double value_of(const LawSpec& law, double t, int derivative) {
  const double w = law.frequency, angle = w * t + law.phase;
  if (derivative == 0) return law.c0 + law.c1 * t + law.amplitude * std::sin(angle);
  if (derivative == 1) return law.c1 + law.amplitude * w * std::cos(angle);
  return -law.amplitude * w * w * std::sin(angle);
}

Phase Equations::start() const {
  Phase out;
  for (const BodySpec& body : spec_.bodies)
    out.bodies.push_back({body.position, body.orientation.toRotationMatrix(), body.velocity, body.spin});
  out.bodies.emplace_back();
  out.turned.assign(static_cast<std::size_t>(turns_), 0);
  return out;
}

std::vector<Reading> Equations::read(const Phase& phase) const {
  std::vector<Reading> out;
  out.reserve(measures_.size());
  for (std::size_t k = 0; k < measures_.size(); ++k) {
    out.push_back(measures_[k].read(phase.bodies));
    if (turn_[k] < 0) continue;
    const double near = phase.turned[static_cast<std::size_t>(turn_[k])];
    out.back().value += 2 * M_PI * std::round((near - out.back().value) / (2 * M_PI));
  }
  return out;
}

std::vector<double> Equations::turn_rates(const std::vector<Reading>& readings) const {
  std::vector<double> out;
  for (std::size_t k = 0; k < readings.size(); ++k)
    if (turn_[k] >= 0) out.push_back(readings[k].rate);
  return out;
}

std::vector<double> Equations::turned(const Phase& phase) const {
  std::vector<double> out;
  const std::vector<Reading> readings = read(phase);
  for (std::size_t k = 0; k < readings.size(); ++k)
    if (turn_[k] >= 0) out.push_back(readings[k].value);
  return out;
}

// The force of a row on the bodies is −λ times its gradient.
Eigen::Matrix<double, 7, 1> Equations::reaction_of_row(const Owner& owner, int row, const Phase& phase,
                                                       const std::vector<Reading>& readings) const {
  Eigen::Matrix<double, 7, 1> out = Eigen::Matrix<double, 7, 1>::Zero();
  out[6] = -owner.effort;
  if (owner.body < 0) return out;
  const BodyMotion& m = phase.bodies[static_cast<std::size_t>(owner.body)];
  const Vector3d about =
      owner.contact >= 0 ? readings[static_cast<std::size_t>(owner.contact)].place : m.x + m.R * owner.place;
  for (const auto& term : rows_[static_cast<std::size_t>(row)].terms) {
    const Reading& s = readings[static_cast<std::size_t>(term.measure)];
    for (int k = 0; k < s.count; ++k) {
      if (s.sides[k].body != owner.body) continue;
      const Vector3d f = -term.factor * s.sides[k].force;
      out.head<3>() += f;
      out.segment<3>(3) += -term.factor * s.sides[k].torque - (about - m.x).cross(f);
    }
  }
  return out;
}

double Equations::reading(const Phase&, const std::vector<Reading>& readings, int measure) const {
  return readings[static_cast<std::size_t>(measure)].value + offset_[static_cast<std::size_t>(measure)];
}

double Equations::row_value(const ConstraintRow& row, const Phase& phase,
                            const std::vector<Reading>& readings) const {
  double value = row.target && !row.target_is_rate ? -value_of(*row.target, phase.t, 0) : 0;
  for (const auto& term : row.terms)
    value += term.factor * readings[static_cast<std::size_t>(term.measure)].value;
  return value;
}

MatrixXd Equations::jacobian(const std::vector<Reading>& readings, bool positions_only) const {
  Eigen::Index count = 0;
  for (const ConstraintRow& row : rows_) count += row.of_positions || !positions_only ? 1 : 0;
  MatrixXd J = MatrixXd::Zero(count, unknowns());
  Eigen::Index r = 0;
  for (const ConstraintRow& row : rows_) {
    if (positions_only && !row.of_positions) continue;
    for (const auto& term : row.terms) {
      const Reading& s = readings[static_cast<std::size_t>(term.measure)];
      for (int k = 0; k < s.count; ++k) {
        const auto& side = s.sides[k];
        const Eigen::Index at = per_body_ * side.body;
        if (spec_.planar) {
          J.block<1, 2>(r, at) += term.factor * side.force.head<2>().transpose();
          J(r, at + 2) += term.factor * side.torque.z();
        } else {
          J.block<1, 3>(r, at) += term.factor * side.force.transpose();
          J.block<1, 3>(r, at + 3) += term.factor * side.torque.transpose();
        }
      }
    }
    ++r;
  }
  return J;
}

MatrixXd Equations::scaled_jacobian(const Phase& phase, bool positions_only) const {
  MatrixXd J = jacobian(read(phase), positions_only);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b)
    J.middleCols(per_body_ * static_cast<Eigen::Index>(b), spec_.planar ? 2 : 3) *= spec_.bodies[b].size;
  for (Eigen::Index r = 0; r < J.rows(); ++r) J.row(r) /= J.row(r).norm();
  return J;
}

VectorXd Equations::mass_power(const Phase& phase, VectorXd y, int power) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const BodySpec& body = spec_.bodies[b];
    const Eigen::Index at = per_body_ * static_cast<Eigen::Index>(b);
    const double root = power > 0 ? std::sqrt(body.mass) : 1 / std::sqrt(body.mass);
    y.segment(at, spec_.planar ? 2 : 3) *= root;
    if (spec_.planar) {
      const double spin = std::sqrt(body.inertia(2, 2));
      y[at + 2] *= power > 0 ? spin : 1 / spin;
    } else {
      const Matrix3d& R = phase.bodies[b].R;
      const Vector3d inside =
          (power > 0 ? root_[b] : inverse_root_[b]) * (R.transpose() * y.segment<3>(at + 3));
      y.segment<3>(at + 3) = R * inside;
    }
  }
  return y;
}

Factor Equations::factor(const Phase& phase, const std::vector<Reading>& readings, int rank,
                         bool positions_only) const {
  Factor out;
  out.rank = rank;
  out.J = jacobian(readings, positions_only);
  MatrixXd At(out.J.cols(), out.J.rows());
  out.scale.resize(out.J.rows());
  for (Eigen::Index r = 0; r < out.J.rows(); ++r) {
    At.col(r) = mass_power(phase, out.J.row(r).transpose(), -1);
    out.scale[r] = At.col(r).norm();
    At.col(r) /= out.scale[r];
  }
  if (At.cols() > 0) out.qr.compute(At);
  return out;
}

namespace {

// The y nearest to `free` with A y = wanted, rows of A scaled; λ of the same rows, and the misfit of others.
VectorXd nearest(const Factor& f, const VectorXd& free, const VectorXd& wanted, VectorXd* lambda,
                 double* misfit) {
  const Eigen::Index m = f.scale.size(), r = f.rank;
  if (lambda) *lambda = VectorXd::Zero(m);
  if (r == 0) return free;
  VectorXd z = f.qr.householderQ().transpose() * free;
  const VectorXd target = f.qr.colsPermutation().transpose() * VectorXd(wanted.cwiseQuotient(f.scale));
  const auto R = f.qr.matrixR();
  const VectorXd z1 = R.topLeftCorner(r, r).triangularView<Eigen::Upper>().transpose().solve(target.head(r));
  if (misfit && m > r)
    *misfit = (R.topRightCorner(r, m - r).transpose() * z1 - target.tail(m - r)).cwiseAbs().maxCoeff();
  if (lambda) {
    VectorXd all = VectorXd::Zero(m);
    all.head(r) = R.topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(VectorXd(z.head(r) - z1));
    *lambda = VectorXd(f.qr.colsPermutation() * all).cwiseQuotient(f.scale);
  }
  z.head(r) = z1;
  return f.qr.householderQ() * z;
}

}  // namespace

Accelerations Equations::solve(const Phase& phase, const std::vector<Reading>& readings,
                               const Factor& factor) const {
  // J V̇ = −bias + target''
  VectorXd wanted(factor.scale.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const ConstraintRow& row = rows_[r];
    double g = row.target ? value_of(*row.target, phase.t, row.target_is_rate ? 1 : 2) : 0;
    for (const auto& term : row.terms)
      g -= term.factor * readings[static_cast<std::size_t>(term.measure)].bias;
    wanted[static_cast<Eigen::Index>(r)] = g;
  }
  Accelerations out;
  const VectorXd free = mass_power(phase, applied(phase, readings), -1);
  out.V_dot = mass_power(phase, nearest(factor, free, wanted, &out.lambda, &out.misfit), -1);
  return out;
}

VectorXd Equations::wanted_rates(const Phase& phase) const {
  VectorXd b = VectorXd::Zero(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (rows_[r].target)
      b[static_cast<Eigen::Index>(r)] = value_of(*rows_[r].target, phase.t, rows_[r].target_is_rate ? 0 : 1);
  return b;
}

VectorXd Equations::velocities(const Phase& phase) const {
  VectorXd V(unknowns());
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const BodyMotion& body = phase.bodies[b];
    const Eigen::Index at = per_body_ * static_cast<Eigen::Index>(b);
    if (spec_.planar)
      V.segment<3>(at) << body.v.x(), body.v.y(), body.w.z();
    else
      V.segment<6>(at) << body.v, body.w;
  }
  return V;
}

void Equations::set_velocities(Phase& phase, const VectorXd& V) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    BodyMotion& body = phase.bodies[b];
    const Eigen::Index at = per_body_ * static_cast<Eigen::Index>(b);
    if (spec_.planar) {
      body.v << V[at], V[at + 1], 0;
      body.w << 0, 0, V[at + 2];
    } else {
      body.v = V.segment<3>(at), body.w = V.segment<3>(at + 3);
    }
  }
}

double Equations::project_velocities(Phase& phase, int rank) const {
  if (rows_.empty()) return 0;
  const Factor f = factor(phase, read(phase), rank, false);
  const VectorXd V = velocities(phase), wanted = wanted_rates(phase);
  const double before = (f.J * V - wanted).cwiseQuotient(f.scale).cwiseAbs().maxCoeff();
  set_velocities(phase, mass_power(phase, nearest(f, mass_power(phase, V, 1), wanted, nullptr, nullptr), -1));
  return before;
}

double Equations::project_positions(Phase& phase, int rank) const {
  double before = 0;
  for (int pass = 0; pass < 2 && rank > 0; ++pass) {
    const std::vector<Reading> readings = read(phase);
    const Factor f = factor(phase, readings, rank, true);
    VectorXd error(f.scale.size());
    Eigen::Index k = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].of_positions) error[k++] = constants_[r] - row_value(rows_[r], phase, readings);
    if (pass == 0) before = error.cwiseQuotient(f.scale).cwiseAbs().maxCoeff();
    const VectorXd move =
        mass_power(phase, nearest(f, VectorXd::Zero(unknowns()), error, nullptr, nullptr), -1);
    Phase aside = phase;
    set_velocities(aside, move);
    for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
      phase.bodies[b].x += aside.bodies[b].v;
      phase.bodies[b].R = turned_by(aside.bodies[b].w) * phase.bodies[b].R;
    }
  }
  return before;
}

double Equations::kinetic(const Phase& phase) const {
  double energy = 0;
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const Vector3d w = phase.bodies[b].R.transpose() * phase.bodies[b].w;
    energy += 0.5 * spec_.bodies[b].mass * phase.bodies[b].v.squaredNorm() +
              0.5 * w.dot(spec_.bodies[b].inertia * w);
  }
  return energy;
}

}  // namespace trammel::campaigns::random
