#include "analysis/kinks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace trammel::analysis {
namespace {

// Moves of what counts as one: equilibria are known to 1e-11, and smooth forces are straight lines over
// these.
constexpr std::array<double, 3> kNear = {1e-5, 1e-6, 1e-7};
// At a kink or a jump the three moves tell the same, but for curvature; rounding and curvature differ by ten.
constexpr double kSame = 1.5;
// A kink or a jump below this part of the forces is rounding.
constexpr double kKinkRounding = 1e-13, kJumpRounding = 1e-9;
// A change of slope below this part of the slope is none.
constexpr double kSlopeChange = 1e-6;

// The forces at y, and what they would be if none balanced another.
struct Probe {
  Eigen::VectorXd value, size;
};

bool probe(LocalMotion& motion, const Eigen::VectorXd& y, Probe& out) {
  State s = motion.about();
  if (!motion.place(y, s).accepted()) return false;
  system::Terms terms = motion.system().make_terms();
  motion.system().evaluate(s, system::kAskPosition | system::kAskForces, terms);
  const Eigen::MatrixXd R = motion.basis(s);
  const Eigen::Map<const Eigen::VectorXd> Q(terms.Q.data(), R.rows());
  const Eigen::Map<const Eigen::VectorXd> x_dot(terms.x_dot.data(), motion.states());
  out.value.resize(R.cols() + x_dot.size());
  out.size.resize(out.value.size());
  out.value << R.transpose() * Q, x_dot;
  out.size << R.cwiseAbs().transpose() * Q.cwiseAbs(), x_dot.cwiseAbs();
  return out.value.allFinite();
}

bool alike(const std::array<double, 3>& of) {
  const auto [least, most] = std::ranges::minmax(of);
  return most <= kSame * least;
}

bool has_kink_along(LocalMotion& motion, Eigen::Index j, const Probe& here, double size) {
  std::array<Probe, kNear.size()> ahead, behind;
  for (std::size_t k = 0; k < kNear.size(); ++k) {
    Eigen::VectorXd y = motion.origin();
    y[j] = motion.origin()[j] + kNear[k] * motion.unit()[j];
    if (!probe(motion, y, ahead[k])) return false;
    y[j] = motion.origin()[j] - kNear[k] * motion.unit()[j];
    if (!probe(motion, y, behind[k])) return false;
  }
  for (Eigen::Index i = 0; i < here.value.size(); ++i) {
    std::array<double, kNear.size()> bend{}, jump{};
    for (std::size_t k = 0; k < kNear.size(); ++k) {
      jump[k] = std::abs(ahead[k].value[i] - behind[k].value[i]);
      bend[k] = std::abs(ahead[k].value[i] + behind[k].value[i] - 2 * here.value[i]) / kNear[k];
    }
    const double nearest = kNear.back();
    if (alike(jump) && jump.back() > kJumpRounding * size) return true;
    if (alike(bend) && bend.back() * nearest > kKinkRounding * size &&
        bend.back() > kSlopeChange * jump.back() / nearest)
      return true;
  }
  return false;
}

}  // namespace

namespace {

// The largest force that acts, or that a move of what counts as one would bring about: in coordinates of
// joints, forces that balance do not act at all, and leave rounding.
double size_of_forces(LocalMotion& motion, const Probe& here, Eigen::Index count) {
  constexpr double kMoved = 0.01;
  double size = here.size.size() > 0 ? here.size.maxCoeff() : 0;
  for (Eigen::Index j = 0; j < count; ++j) {
    Eigen::VectorXd y = motion.origin();
    y[j] += kMoved * motion.unit()[j];
    if (Probe there; probe(motion, y, there) && there.value.size() > 0)
      size = std::max(size, (there.value - here.value).cwiseAbs().maxCoeff() / kMoved);
  }
  return size;
}

}  // namespace

bool has_kink(LocalMotion& motion) {
  Probe here;
  if (!motion.report().accepted() || !probe(motion, motion.origin(), here)) return false;
  const bool moves = motion.regime() == Regime::motion;
  const Eigen::Index count = motion.positions() + (moves ? motion.velocities() : 0);
  const double size = size_of_forces(motion, here, count);
  for (Eigen::Index j = 0; j < count; ++j)
    if (has_kink_along(motion, j, here, size)) return true;
  return false;
}

namespace {

// Without the other forces, in the same place.
bool has_kink_alone(const LocalMotion& motion, const Mechanism& mechanism,
                    const system::Coordinates& coordinates, const Force& force) {
  Mechanism alone = mechanism;
  alone.forces = {force};
  try {
    const std::shared_ptr<const system::System> system = system::compile(alone, coordinates);
    const system::Sizes &sizes = system->sizes(), &all = motion.system().sizes();
    if (sizes.q != all.q || sizes.v != all.v || sizes.rows != all.rows) return false;
    LocalMotion there(system, motion);
    return has_kink(there);
  } catch (const std::invalid_argument&) {
    return false;  // it reads another force, and cannot stand alone
  }
}

}  // namespace

std::vector<std::string> forces_with_kink(const LocalMotion& motion, const Mechanism& mechanism,
                                          const system::Coordinates& coordinates) {
  std::vector<std::string> names;
  for (const Force& force : mechanism.forces)
    if (has_kink_alone(motion, mechanism, coordinates, force)) names.push_back(force.name);
  return names;
}

}  // namespace trammel::analysis
