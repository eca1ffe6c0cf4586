#include "generator.h"

#include <Eigen/QR>
#include <algorithm>
#include <set>

#include "dice.h"
#include "generator_parts.h"

namespace trammel::campaigns::random {
namespace {

// The start is farther from singular positions than the motion need be, so that most draws last.
constexpr double kRegularStart = 0.02;
// Rows that depend on each other do so to rounding.
constexpr double kDependent = 1e-12;
constexpr double kTight = 1e-12, kLoose = 1e-10;
// Two runs of the oracle agree so far, of sizes and speeds.
constexpr double kKnown = 1e-7;

}  // namespace

bool is_regular(const Specification& spec, Mobility& found) {
  const Equations equations(spec);
  found = mobility(equations, equations.start());
  return found.regular > kRegularStart && found.noise < kDependent;
}

bool settle_velocities(Specification& spec) {
  const Equations equations(spec);
  Phase phase = equations.start();
  const Mobility ranks = mobility(equations, phase);
  equations.project_velocities(phase, ranks.rank);
  const VectorXd wish = equations.velocities(phase);
  // Least |M^½ V| with J V = b and V of given bodies as wished.
  const std::vector<Reading> readings = equations.read(phase);
  const MatrixXd J = equations.factor(phase, readings, ranks.rank, false).J;
  const Eigen::Index per = spec.planar ? 3 : 6;
  std::vector<Eigen::Index> held;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b)
    for (Eigen::Index k = 0; k < per && spec.bodies[b].given; ++k)
      held.push_back(per * static_cast<Eigen::Index>(b) + k);
  const auto extra = static_cast<Eigen::Index>(held.size());
  MatrixXd C = MatrixXd::Zero(J.rows() + extra, J.cols());
  VectorXd d(C.rows());
  C.topRows(J.rows()) = J;
  d.head(J.rows()) = equations.wanted_rates(phase);
  for (Eigen::Index k = 0; k < extra; ++k)
    C(J.rows() + k, held[static_cast<std::size_t>(k)]) = 1,
                    d[J.rows() + k] = wish[held[static_cast<std::size_t>(k)]];
  for (Eigen::Index r = 0; r < C.rows(); ++r) {
    const VectorXd row = equations.mass_power(phase, C.row(r).transpose(), -1);
    C.row(r) = row.transpose() / row.norm();
    d[r] /= row.norm();
  }
  VectorXd V = VectorXd::Zero(J.cols());
  if (C.rows() > 0) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
    cod.setThreshold(1e-10);
    cod.compute(C);
    const VectorXd y = cod.solve(d);
    if ((C * y - d).norm() > 1e-9 * (d.norm() + 1e-300)) return false;
    V = equations.mass_power(phase, y, -1);
  }
  equations.set_velocities(phase, V);
  equations.project_velocities(phase, ranks.rank);
  spec.rate = spec.gravity.norm() > 0 ? std::sqrt(spec.gravity.norm() / spec.size) : 0;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    BodySpec& body = spec.bodies[b];
    body.velocity = phase.bodies[b].v, body.spin = phase.bodies[b].w;
    spec.rate = std::max({spec.rate, body.velocity.norm() / body.size, body.spin.norm()});
  }
  for (const DriverSpec& driver : spec.drivers) spec.rate = std::max(spec.rate, driver.law.frequency);
  return spec.rate > 0 && std::isfinite(spec.rate);
}

std::optional<ReferenceTable> settle_duration(Specification& spec) {
  Mobility found;
  if (!is_regular(spec, found)) return std::nullopt;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Equations equations(spec);
    const OracleMotion tight = simulate(equations, kTight);
    if (!tight.complete) {
      if (tight.failure != kNextToSingular || tight.regular_until < 0.3 * spec.duration) return std::nullopt;
      spec.duration = 0.7 * tight.regular_until;
      continue;
    }
    const OracleMotion loose = simulate(equations, kLoose);
    if (!loose.complete) return std::nullopt;
    double apart = 0, moved = 0;
    for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
      const BodyMotion &one = tight.rows.back().phase.bodies[b], &other = loose.rows.back().phase.bodies[b],
                       &first = tight.rows.front().phase.bodies[b];
      apart = std::max(apart, (one.v - other.v).norm() / (spec.bodies[b].size * spec.rate));
      apart = std::max(apart, (one.w - other.w).norm() / spec.rate);
      moved = std::max({moved, (one.x - first.x).norm() / spec.bodies[b].size, (one.R - first.R).norm()});
    }
    const bool locked = equations.unknowns() == found.rank;
    if (moved < 1e-3 && !locked) return std::nullopt;
    if (apart < kKnown) return reference_table(equations, tight, loose);
    spec.duration *= 0.5;
  }
  return std::nullopt;
}

Drawn draw(std::uint64_t seed) {
  Drawn out;
  Dice dice(seed * 0x2545f4914f6cdd1dULL + 1);
  for (out.attempts = 1;; ++out.attempts) {
    Dice own(dice.bits());
    out.spec = Specification();
    out.spec.seed = seed;
    if (!draw_parts(out.spec, own)) continue;
    if (!settle_velocities(out.spec)) continue;
    out.spec.duration = own.between(1.5, 5) / out.spec.rate;
    if (std::optional<ReferenceTable> reference = settle_duration(out.spec)) {
      out.reference = std::move(*reference);
      return out;
    }
  }
}

}  // namespace trammel::campaigns::random
