#include "oracle.h"

#include <Eigen/SVD>
#include <array>
#include <cmath>

namespace trammel::campaigns::random {
namespace {

// Columns of the extrapolation table; the step is chosen so that about kUsual of them are needed.
constexpr int kColumns = 9, kUsual = 6;
// A mechanism that takes more than this is too costly for a campaign.
constexpr int kMostEvaluations = 12000;
// Rank: singular values of exact dependence are rounding.
constexpr double kRankTolerance = 1e-9;

// Phase as a vector and back: per body x, quaternion, v, ω; turned angles; work.
class Flow {
 public:
  Flow(const Equations& equations, int rank) : equations_(equations), rank_(rank) {}

  VectorXd pack(const Phase& phase) const {
    const std::size_t n = phase.bodies.size() - 1;
    VectorXd y(static_cast<Eigen::Index>(13 * n + phase.turned.size() + 1));
    Eigen::Index at = 0;
    for (std::size_t b = 0; b < n; ++b, at += 13) {
      const BodyMotion& m = phase.bodies[b];
      y.segment<3>(at) = m.x;
      y.segment<4>(at + 3) = Quaterniond(m.R).coeffs();
      y.segment<3>(at + 7) = m.v;
      y.segment<3>(at + 10) = m.w;
    }
    for (double angle : phase.turned) y[at++] = angle;
    y[at] = phase.work;
    return y;
  }

  Phase unpack(double t, const VectorXd& y) const {
    Phase phase = equations_.start();
    phase.t = t;
    Eigen::Index at = 0;
    for (std::size_t b = 0; b + 1 < phase.bodies.size(); ++b, at += 13) {
      BodyMotion& m = phase.bodies[b];
      m.x = y.segment<3>(at);
      m.R = Quaterniond(Eigen::Vector4d(y.segment<4>(at + 3).normalized())).toRotationMatrix();
      m.v = y.segment<3>(at + 7);
      m.w = y.segment<3>(at + 10);
    }
    for (double& angle : phase.turned) angle = y[at++];
    phase.work = y[at];
    return phase;
  }

  VectorXd derivative(double t, const VectorXd& y) {
    ++evaluations;
    const Phase phase = unpack(t, y);
    const std::vector<Reading> readings = equations_.read(phase);
    const Factor factor = equations_.factor(phase, readings, rank_, false);
    const Accelerations a = equations_.solve(phase, readings, factor);
    Phase change = phase;
    equations_.set_velocities(change, a.V_dot);
    VectorXd out(y.size());
    Eigen::Index at = 0;
    for (std::size_t b = 0; b + 1 < phase.bodies.size(); ++b, at += 13) {
      const BodyMotion& m = phase.bodies[b];
      const Quaterniond q(Eigen::Vector4d(y.segment<4>(at + 3)));
      out.segment<3>(at) = m.v;
      // ė = ½ ω e
      out.segment<4>(at + 3) = 0.5 * (Quaterniond(0, m.w.x(), m.w.y(), m.w.z()) * q).coeffs();
      out.segment<3>(at + 7) = change.bodies[b].v;
      out.segment<3>(at + 10) = change.bodies[b].w;
    }
    for (double rate : equations_.turn_rates(readings)) out[at++] = rate;
    out[at] = equations_.applied_power(phase, readings) + equations_.driver_power(phase, factor, a.lambda);
    return out;
  }

  // What an error of one means, for each component.
  VectorXd scales() const {
    const Specification& spec = equations_.spec();
    const Phase start = equations_.start();
    VectorXd out = VectorXd::Ones(pack(start).size());
    double energy = 0;
    Eigen::Index at = 0;
    for (const BodySpec& body : spec.bodies) {
      const double size = std::max(body.size, 0.03 * spec.size);
      out.segment<3>(at).setConstant(size);
      out.segment<3>(at + 7).setConstant(size * spec.rate);
      out.segment<3>(at + 10).setConstant(spec.rate);
      energy = std::max(energy, body.mass * std::pow(body.size * spec.rate, 2));
      at += 13;
    }
    out[out.size() - 1] = energy;
    return out;
  }

  Phase projected(double t, const VectorXd& y, const Mobility& ranks) const {
    Phase phase = unpack(t, y);
    equations_.project_positions(phase, ranks.position_rank);
    equations_.project_velocities(phase, ranks.rank);
    const std::vector<double> turned = equations_.turned(phase);
    phase.turned = turned;
    return phase;
  }

  int evaluations = 0;

 private:
  const Equations& equations_;
  int rank_;
};

// One extrapolated step. True: accepted, y is the end; h_next is what to try next in either case.
bool extrapolated_step(Flow& flow, double t, VectorXd& y, double h, double tolerance, const VectorXd& scale,
                       double& h_next) {
  const VectorXd slope = flow.derivative(t, y);
  std::array<VectorXd, kColumns> table;
  for (int k = 0; k < kColumns; ++k) {
    const int n = 2 * (k + 1);
    const double step = h / n;
    VectorXd before = y, now = y + step * slope;
    for (int i = 1; i < n; ++i) {
      const VectorXd next = before + 2 * step * flow.derivative(t + i * step, now);
      before = now, now = next;
    }
    // Gragg's smoothing, which costs one evaluation more, is left out: steps are short.
    VectorXd column = now;
    double error = INFINITY;
    for (int j = 1; j <= k; ++j) {
      const double ratio = static_cast<double>(n) / (2 * (k - j + 1));
      const VectorXd better =
          column + (column - table[static_cast<std::size_t>(j - 1)]) / (ratio * ratio - 1);
      if (j == k) error = (better - column).cwiseQuotient(scale).cwiseAbs().maxCoeff();
      table[static_cast<std::size_t>(j - 1)] = column;
      column = better;
    }
    table[static_cast<std::size_t>(k)] = column;
    if (!std::isfinite(column.sum())) break;
    if (k >= 3 && error <= tolerance) {
      y = column;
      h_next = h * (k + 1 < kUsual ? 1.6 : k + 1 == kUsual ? 1.15 : k + 1 == kUsual + 1 ? 0.95 : 0.75);
      return true;
    }
  }
  h_next = 0.4 * h;
  return false;
}

// Reactions, and how far redundant constraints leave them open.
void read_loads(const Equations& equations, const Phase& phase, OracleRow& row, int rank) {
  const std::vector<Reading> readings = equations.read(phase);
  const Factor factor = equations.factor(phase, readings, rank, false);
  const Accelerations a = equations.solve(phase, readings, factor);
  const Eigen::Index m = factor.scale.size();
  // Null space of Aᵀ: P [−R11⁻¹ R12; 1]
  MatrixXd null(m, m - rank);
  if (m > rank && rank > 0) {
    MatrixXd inner(m, m - rank);
    const auto R = factor.qr.matrixR();
    inner.topRows(rank) = -R.topLeftCorner(rank, rank)
                               .triangularView<Eigen::Upper>()
                               .solve(MatrixXd(R.topRightCorner(rank, m - rank)));
    inner.bottomRows(m - rank).setIdentity();
    null = factor.qr.colsPermutation() * inner;
    const Eigen::HouseholderQR<MatrixXd> qr(null);
    null = qr.householderQ() * MatrixXd::Identity(m, m - rank);
  }
  for (const Owner& owner : equations.owners()) {
    MatrixXd B = MatrixXd::Zero(7, m);
    for (int r = owner.first; r < owner.first + owner.count; ++r)
      B.col(r) = equations.reaction_of_row(owner, r, phase, readings);
    const VectorXd value = B * a.lambda;
    const MatrixXd scaled = B * factor.scale.cwiseInverse().asDiagonal();
    Load load;
    for (int k = 0; k < 7; ++k) {
      load.value[k] = value[k];
      // Against the largest component of its unit, so that a component that is always zero stays unique.
      const int first = k < 3 ? 0 : k < 6 ? 3 : 6, count = k < 6 ? 3 : 1;
      const double all = scaled.middleRows(first, count).norm();
      if (m > rank && all > 0) load.freedom[k] = (scaled.row(k) * null).norm() / all;
    }
    row.loads.push_back(load);
  }
}

OracleRow record(const Equations& equations, const Phase& phase, int rank) {
  OracleRow row;
  row.phase = phase;
  const std::vector<Reading> readings = equations.read(phase);
  const Specification& spec = equations.spec();
  for (std::size_t b = 0; spec.planar && b < spec.bodies.size(); ++b)
    row.angle.push_back(equations.reading(phase, readings, equations.angle_of_body(static_cast<int>(b))));
  for (int j = 0; j < static_cast<int>(spec.joints.size()); ++j)
    for (int kind = 0; kind < 2; ++kind) {
      const int k = kind == 0 ? equations.angle_of(j) : equations.displacement_of(j);
      row.coordinate[kind].push_back(k < 0 ? NAN : equations.reading(phase, readings, k));
      row.rate[kind].push_back(k < 0 ? NAN : readings[static_cast<std::size_t>(k)].rate);
    }
  read_loads(equations, phase, row, rank);
  row.kinetic = equations.kinetic(phase);
  row.potential = equations.potential(phase, readings);
  row.work = phase.work;
  return row;
}

}  // namespace

Mobility mobility(const Equations& equations, const Phase& phase) {
  Mobility out;
  for (const bool positions : {true, false}) {
    const MatrixXd J = equations.scaled_jacobian(phase, positions);
    int& rank = positions ? out.position_rank : out.rank;
    if (J.rows() == 0) continue;
    const Eigen::JacobiSVD<MatrixXd> svd(J);
    const VectorXd& sigma = svd.singularValues();
    while (rank < sigma.size() && sigma[rank] > kRankTolerance * sigma[0]) ++rank;
    out.regular = std::min(out.regular, sigma[rank - 1] / sigma[0]);
    if (rank < sigma.size()) out.noise = std::max(out.noise, sigma[rank] / sigma[0]);
  }
  return out;
}

OracleMotion simulate(const Equations& equations, double tolerance) {
  const Specification& spec = equations.spec();
  OracleMotion out;
  Phase phase = equations.start();
  const Mobility ranks = mobility(equations, phase);
  Flow flow(equations, ranks.rank);
  const VectorXd scale = flow.scales();
  VectorXd y = flow.pack(phase);
  out.rows.push_back(record(equations, phase, ranks.rank));
  double h = 0.2 / spec.rate;
  for (int row = 1; row <= spec.rows; ++row) {
    const double end = spec.duration * row / spec.rows;
    while (phase.t < end) {
      const bool lands = phase.t + h >= end * (1 - 1e-12);
      const double step = lands ? end - phase.t : h;
      double next = 0;
      const bool accepted = extrapolated_step(flow, phase.t, y, step, tolerance, scale, next);
      // A step that was cut short to land says little about the next.
      h = accepted && lands ? std::max(h, next) : next;
      if (flow.evaluations > kMostEvaluations) out.failure = "too many evaluations";
      if (h * spec.rate < 1e-6) out.failure = "steps too short";
      if (!out.failure.empty()) return out;
      if (!accepted) continue;
      phase = flow.projected(lands ? end : phase.t + step, y, ranks);
      y = flow.pack(phase);
      out.evaluations = flow.evaluations;
      const Mobility here = mobility(equations, phase);
      if (here.rank != ranks.rank || here.position_rank != ranks.position_rank || here.regular < kRegular) {
        out.failure = kNextToSingular;
        return out;
      }
      out.regular_until = phase.t;
    }
    out.rows.push_back(record(equations, phase, ranks.rank));
  }
  out.complete = true;
  return out;
}

}  // namespace trammel::campaigns::random
