#include "analysis/vibration.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/differences.h"
#include "analysis/spectrum.h"
#include "analysis/turning_axes.h"
#include "system/coordinate_direction.h"

namespace trammel::analysis {
namespace {

// The largest rate of change of what should stand still, as a part of what moves the mechanism.
constexpr double kSteadyPart = 1e-7;
// How far the mechanism moves, as a part of what counts as one, before it is looked at again.
constexpr double kFurther = 0.37;
// Eigenvalues there must agree to this part of the largest.
constexpr double kSameEigenvalues = 1e-6;
// Dense eigenvalues of more states would take minutes.
constexpr Eigen::Index kMostModes = 600;

using Shape = Eigen::Matrix<std::complex<double>, 6, 1>;

Report not_steady(std::string message) {
  Report report;
  report.outcome = Outcome::refused;
  report.message = std::move(message);
  return report;
}

// Displacement and rotation of every body by z: 6 rows for each.
Eigen::MatrixXd body_motions(LocalMotion& motion) {
  const std::vector<Pose> start = motion.system().poses(motion.about());
  const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& value, Report& report) {
    Eigen::VectorXd y = motion.origin();
    y[j] += distance;
    State s = motion.about();
    report = motion.place(y, s);
    if (!report.accepted()) return false;
    const std::vector<Pose> poses = motion.system().poses(s);
    value.resize(6 * static_cast<Eigen::Index>(poses.size()));
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const Eigen::AngleAxisd turn(poses[b].axes * start[b].axes.transpose());
      value.segment<3>(6 * static_cast<Eigen::Index>(b)) = poses[b].position;
      value.segment<3>(6 * static_cast<Eigen::Index>(b) + 3) = turn.angle() * turn.axis();
    }
    return true;
  };
  return differentiate(along, motion.positions()).values;
}

std::vector<Shape> shape_of(const Eigen::VectorXcd& z, const Eigen::MatrixXd& motions, double size) {
  const Eigen::Index bodies = motions.rows() / 6;
  std::vector<Shape> shape(static_cast<std::size_t>(bodies), Shape::Zero());
  if (bodies == 0 || z.size() == 0) return shape;
  Eigen::VectorXcd all = motions.cast<std::complex<double>>() * z;
  std::complex<double> largest = 0;
  for (Eigen::Index i = 0; i < all.size(); ++i)
    if (const std::complex<double> value = all[i] * (i % 6 < 3 ? 1.0 : size);
        std::abs(value) > std::abs(largest) * (1 + 1e-9))
      largest = value;
  if (std::abs(largest) > 0) all /= largest;
  for (Eigen::Index b = 0; b < bodies; ++b) shape[static_cast<std::size_t>(b)] = all.segment<6>(6 * b);
  return shape;
}

// Eigenvalues of a matrix of which some columns or rows vanish: nothing depends on a cyclic coordinate, as
// the way of a vehicle, and nothing changes a conserved speed. Both have the eigenvalue zero. Without them
// the others are better known: zeros of free motions are multiple, and would draw small eigenvalues to them.
class Deflated {
 public:
  Deflated(const Linearization& linear, const Eigen::VectorXd& unit) {
    // In units of what counts as one, so that errors of large and small entries compare.
    A_ = unit.cwiseInverse().asDiagonal() * linear.A * unit.asDiagonal();
    const Eigen::MatrixXd error = unit.cwiseInverse().asDiagonal() * linear.error * unit.asDiagonal();
    for (Eigen::Index k = 0; k < A_.rows(); ++k) kept_.push_back(k);
    const Eigen::MatrixXd none = ((A_.cwiseAbs() - error).array() <= 0).cast<double>();
    while (leave_out(none)) {
    }
    if (!kept_.empty()) eigenvalues_ = spectrum(A_(kept_, kept_), error(kept_, kept_));
  }
  // Besides the zeros that were left out.
  const std::vector<Eigenvalue>& eigenvalues() const { return eigenvalues_; }
  int zeros() const { return static_cast<int>(left_out_.size()); }
  // An eigenvector in all of y.
  Eigen::VectorXcd vector(const Eigenvalue& e, Eigen::Index column) const {
    Eigen::VectorXcd y = Eigen::VectorXcd::Zero(A_.rows());
    for (std::size_t k = 0; k < kept_.size(); ++k)
      y[kept_[k]] = e.vectors(static_cast<Eigen::Index>(k), column);
    if (std::abs(e.value) <= e.uncertainty) return y;
    // λ y_j = Σ A_jk y_k, of the coordinates left out last first
    for (auto it = left_out_.rbegin(); it != left_out_.rend(); ++it)
      if (it->is_cyclic) y[it->place] = (A_.row(it->place).cast<std::complex<double>>() * y)(0) / e.value;
    return y;
  }
  // A motion that goes on by itself: along the first cyclic coordinate.
  Eigen::VectorXcd free_vector() const {
    Eigen::VectorXcd y = Eigen::VectorXcd::Zero(A_.rows());
    for (const LeftOut& one : left_out_)
      if (one.is_cyclic) {
        y[one.place] = 1;
        break;
      }
    return y;
  }

 private:
  struct LeftOut {
    Eigen::Index place;
    bool is_cyclic;  // its column vanishes; else its row
  };

  bool leave_out(const Eigen::MatrixXd& none) {
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      bool column = true, row = true;
      for (const Eigen::Index other : kept_) {
        column = column && none(other, kept_[k]) > 0;
        row = row && none(kept_[k], other) > 0;
      }
      if (!column && !row) continue;
      left_out_.push_back({kept_[k], column});
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    }
    return false;
  }

  Eigen::MatrixXd A_;
  std::vector<Eigen::Index> kept_;
  std::vector<LeftOut> left_out_;
  std::vector<Eigenvalue> eigenvalues_;
};

Eigen::VectorXd units(const LocalMotion& motion) { return motion.unit().cwiseProduct(motion.scale()); }

double fastest(const system::System& system, const State& s) {
  double rate = 0;
  for (std::size_t i = 0; i < s.v.size(); ++i)
    rate = std::max(rate, std::abs(s.v[i]) / system.coordinate_scale()[i]);
  return rate;
}

// The largest distance of an eigenvalue of one from the nearest of the other.
double distance(const std::vector<Eigenvalue>& one, const std::vector<Eigenvalue>& other) {
  double farthest = 0;
  for (const Eigenvalue& a : one) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Eigenvalue& b : other)
      nearest = std::min(nearest, std::abs(a.value - b.value) - a.uncertainty - b.uncertainty);
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

Report differs_later(double time, const std::vector<std::string>& spinning = {}) {
  return not_steady(
      fmt::format("the motion is not steady: its linear equations are others {:.3g} s later. Modes need a "
                  "position of rest, or a "
                  "motion in which joints turn and bodies travel straight at constant speed{}",
                  time,
                  spinning.empty()
                      ? ""
                      : fmt::format(". '{}' spins without a joint: this is covered if its moments of inertia "
                                    "across the spin are equal, or if nothing ties its rotation to its "
                                    "displacement",
                                    spinning.front())));
}

// Linearized there: along the motion, after this time.
Linearization linearized_later(const std::shared_ptr<const system::System>& system,
                               const Mechanism& mechanism, const State& about, double time,
                               std::unique_ptr<LocalMotion>& there) {
  State later = about;
  std::vector<double> way(about.v.size());
  for (std::size_t i = 0; i < way.size(); ++i) way[i] = time * about.v[i];
  system->retract(later.q, way);
  later.t += time;
  LocalMotion motion(system, later);
  Eigen::VectorXd y = motion.origin();
  Linearization failed;
  failed.report = motion.report().accepted() ? motion.place(y, later) : motion.report();
  if (!failed.report.accepted()) return failed;
  there = std::make_unique<LocalMotion>(system, later);
  return linearize(*there, mechanism);
}

// Whether two matrices agree, in units of what counts as one.
bool same(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other, double size) {
  return one.size() == 0 || (one - other).cwiseAbs().maxCoeff() <= kSameEigenvalues * size;
}

// Whether the motion looks the same further on. Bodies that spin are then seen in standing axes, if the
// equations are constant in these.
Report settle(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
              const LocalMotion& here, Vibration& out) {
  const double time = kFurther / fastest(*system, here.about());
  std::unique_ptr<LocalMotion> there;
  const Linearization later = linearized_later(system, mechanism, here.about(), time, there);
  if (!later.report.accepted()) return later.report;
  if (later.drift > kSteadyPart) return differs_later(time);
  const TurningAxes axes(here);
  if (!axes.any() || here.position_columns() != there->position_columns() ||
      here.velocity_columns() != there->velocity_columns()) {
    const Deflated now(out.linear, units(here)), further(later, units(*there));
    double largest = 0;
    for (const Eigenvalue& e : now.eigenvalues()) largest = std::max(largest, std::abs(e.value));
    if (distance(now.eigenvalues(), further.eigenvalues()) > kSameEigenvalues * largest)
      return differs_later(time);
    out.turning = axes.bodies();
    return {};
  }
  const Eigen::VectorXd unit = units(here);
  const auto scaled = [&](const Eigen::MatrixXd& A) -> Eigen::MatrixXd {
    return unit.cwiseInverse().asDiagonal() * A * unit.asDiagonal();
  };
  const double size = std::max(scaled(out.linear.A).cwiseAbs().maxCoeff(), fastest(*system, here.about()));
  Eigen::MatrixXd T = axes.turn(time);
  if (axes.whole() && same(scaled(out.linear.A), scaled(T * later.A * T.transpose()), size)) {
    out.linear.A += axes.spin();
  } else if (same(scaled(out.linear.A), scaled(later.A), size)) {
    out.turning = axes.bodies();
    T.setIdentity();
  } else {
    return differs_later(time, axes.bodies());
  }
  const auto largest = [](const Eigen::MatrixXd& m) { return m.size() > 0 ? m.cwiseAbs().maxCoeff() : 0; };
  out.outputs_turn = !same(out.linear.B, T * later.B, largest(out.linear.B)) ||
                     !same(out.linear.C, later.C * T.transpose(), largest(out.linear.C));
  return {};
}

// States count as the joint coordinates that they are named after.
void count_as_named(const LocalMotion& motion, Linearization& linear) {
  Eigen::VectorXd direction = Eigen::VectorXd::Ones(motion.size());
  system::Terms terms = motion.system().make_terms();
  Eigen::Index k = 0;
  for (const std::vector<int>& columns : {motion.position_columns(), motion.velocity_columns()})
    for (const int column : columns)
      direction[k++] = system::coordinate_direction(motion.system(), motion.about(), column, terms);
  linear.A = direction.asDiagonal() * linear.A * direction.asDiagonal();
  linear.B = direction.asDiagonal() * linear.B;
  linear.C = linear.C * direction.asDiagonal();
}

// Free ones first, then by rising |λ|; of those with the same |λ|, as ±λ of a fall, the ones that grow first.
void sort_modes(std::vector<VibrationMode>& modes) {
  std::ranges::stable_sort(modes, [](const VibrationMode& a, const VibrationMode& b) {
    if (a.is_free() != b.is_free()) return a.is_free();
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  const auto decays = [](const VibrationMode& mode) { return mode.eigenvalue.real() < -mode.uncertainty; };
  for (auto first = std::ranges::find_if_not(modes, &VibrationMode::is_free); first != modes.end();) {
    const double least = std::abs(first->eigenvalue);
    const auto last = std::find_if(first, modes.end(), [&](const VibrationMode& mode) {
      return std::abs(mode.eigenvalue) > least + first->uncertainty + mode.uncertainty;
    });
    std::stable_sort(first, last, [&](const VibrationMode& a, const VibrationMode& b) {
      return a.grows() != b.grows() ? a.grows() : !decays(a) && decays(b);
    });
    first = last;
  }
}

}  // namespace

Vibration vibration(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
                    const State& about) {
  Vibration out;
  LocalMotion motion(system, about);
  if (motion.size() > kMostModes) {
    out.report =
        not_steady(fmt::format("the mechanism has {} states, too many for dense eigenvalues (at most {})",
                               motion.size(), kMostModes));
    return out;
  }
  out.moves = fastest(*system, about) > 0;
  out.linear = linearize(motion, mechanism);
  out.report = out.linear.report;
  if (!out.report.accepted()) return out;
  if (out.linear.drift > kSteadyPart) {
    out.report = not_steady("the mechanism accelerates here: it is neither at rest nor in steady motion");
    return out;
  }
  if (motion.size() == 0) return out;
  if (out.moves) out.report = settle(system, mechanism, motion, out);
  if (!out.report.accepted()) return out;
  const Deflated deflated(out.linear, units(motion));
  const Eigen::MatrixXd motions = body_motions(motion);
  const auto add = [&](std::complex<double> value, double uncertainty, int multiplicity,
                       const Eigen::VectorXcd& y) {
    VibrationMode mode{value, uncertainty, multiplicity, {}};
    const Eigen::VectorXcd z =
        y.head(motion.positions()).cwiseProduct(motion.unit().head(motion.positions()));
    mode.shape = shape_of(z, motions, system->length_scale());
    out.modes.push_back(std::move(mode));
  };
  if (deflated.zeros() > 0) add(0, 0, deflated.zeros(), deflated.free_vector());
  for (const Eigenvalue& e : deflated.eigenvalues()) {
    // One of each pair; an eigenvalue that is real within its uncertainty is real.
    const bool is_real = std::abs(e.value.imag()) <= e.uncertainty;
    if (!is_real && e.value.imag() < 0) continue;
    // Equal eigenvalues with as many eigenvectors are so many modes; with fewer they are one.
    const bool apart = e.eigenvectors == e.multiplicity;
    for (int k = 0; k < (apart ? e.multiplicity : 1); ++k)
      add(is_real ? std::complex<double>(e.value.real(), 0) : e.value, e.uncertainty,
          apart ? 1 : e.multiplicity, deflated.vector(e, k));
  }
  count_as_named(motion, out.linear);
  sort_modes(out.modes);
  return out;
}

}  // namespace trammel::analysis

namespace trammel {

double VibrationMode::frequency() const { return std::abs(eigenvalue.imag()) / (2 * std::numbers::pi); }

double VibrationMode::damping_ratio() const {
  const double size = std::abs(eigenvalue);
  return size > 0 ? -eigenvalue.real() / size : 0;
}

}  // namespace trammel
