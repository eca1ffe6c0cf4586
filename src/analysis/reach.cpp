#include "analysis/reach.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "analysis/assembly_branches.h"
#include "analysis/held_freedoms.h"
#include "expressions/nearest_name.h"
#include "expressions/unknown_name.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Positions nearer to each other than this part of the spacing are one sample.
constexpr double kApartFrom = 0.75;
// Several limits at once, and curved ones, are met by so many corrections.
constexpr int kLimitSweeps = 3;
// A neighbour that projection moved by more than this part of the way came out elsewhere.
constexpr double kAstray = 0.5;
// Whether to go on is asked after so many positions: some ten milliseconds.
constexpr std::size_t kAskedEvery = 16;
// Closed, and within limits: rounding.
constexpr double kClosedSample = 1e-9, kAtLimit = 1e-9;

}  // namespace

Reach::Reach(const Simulation& simulation, const std::vector<EndStop>& stops, const std::string& point)
    : simulation_(simulation),
      system_(simulation.system()),
      projector_(system_, SolverChoice::automatic),
      terms_(system_.make_terms()) {
  const Mechanism& mechanism = simulation.mechanism();
  std::vector<std::string> known;
  std::string carrier;
  Vec3 local = Vec3::Zero();
  for (const Point& one : mechanism.points) {
    if (one.on.empty()) continue;
    const bool moves = std::ranges::find(one.on, kGround, &Marker::body) == one.on.end();
    if (moves) known.push_back(one.name);
    if (one.name != point) continue;
    carrier = moves ? one.on[0].body : kGround, local = one.on[0].frame.at;
  }
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) {
    const Body& body = mechanism.bodies[b];
    known.push_back(body.name + ".com");
    if (point == known.back()) carrier = body.name, local = body.com;
    for (const auto& [own, at] : body.points) {
      known.push_back(body.name + "." + own);
      if (point == known.back()) carrier = body.name, local = at;
    }
  }
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
    if (mechanism.bodies[b].name == carrier) {
      body_ = static_cast<int>(b);
      from_com_ = local - mechanism.bodies[b].com;
    }
  if (body_ < 0 && carrier.empty())
    throw expressions::UnknownName(
        fmt::format("there is no point '{}'; {}", point, expressions::choice_advice(point, known)));
  if (body_ < 0)
    throw std::invalid_argument(
        fmt::format("point '{}' is fixed to ground; give one of: {}", point, fmt::join(known, ", ")));
  const std::vector<system::Reading> readings = system_.readings(simulation.state(), terms_);
  for (const EndStop& stop : stops)
    for (std::size_t r = 0; r + 1 < readings.size(); ++r)
      if (readings[r].object == stop.joint && readings[r + 1].quantity == "rate")
        limits_.push_back({stop.joint, stop.lower.value_or(-INFINITY), stop.upper.value_or(INFINITY), r,
                           readings[r].unit == "rad"});
  freedoms_ = allowed_velocities(system_, simulation.state()).cols();
}

Reach::Place Reach::place_of(const State& s) const {
  Place place;
  const bool planar = simulation_.mechanism().is_planar;
  for (const Pose& pose : system_.poses(s)) {
    for (int i = 0; i < (planar ? 2 : 3); ++i) place.push_back(pose.position[i] / system_.length_scale());
    if (planar) {
      place.insert(place.end(), {pose.axes(0, 0), pose.axes(1, 0)});
    } else {
      for (const double x : pose.axes.reshaped()) place.push_back(x / std::numbers::sqrt2);
    }
  }
  return place;
}

// Its basis: of length one in the metric, and as near to `like` as can be.
void Reach::look(Sample& sample, const Eigen::MatrixXd* like) {
  const Eigen::Index n = system_.sizes().v;
  const Eigen::Map<const Eigen::VectorXd> scale(system_.coordinate_scale().data(), n);
  Eigen::MatrixXd R = allowed_velocities(system_, sample.state);
  if (like != nullptr) {
    const Eigen::MatrixXd unit = scale.cwiseInverse().asDiagonal() * R;
    R = R * (unit.transpose() * (scale.cwiseInverse().asDiagonal() * *like));
  }
  const auto along = [&](const Eigen::MatrixXd& V, Eigen::MatrixXd& motion) {
    sample.speed.resize(3, V.cols());
    sample.approach.resize(static_cast<Eigen::Index>(limits_.size()), V.cols());
    State s = sample.state;
    for (Eigen::Index k = 0; k < V.cols(); ++k) {
      std::copy(V.col(k).begin(), V.col(k).end(), s.v.begin());
      const std::vector<Pose> poses = system_.poses(s);
      motion.resize(static_cast<Eigen::Index>(6 * poses.size()), V.cols());
      for (std::size_t b = 0; b < poses.size(); ++b) {
        motion.block<3, 1>(static_cast<Eigen::Index>(6 * b), k) = poses[b].velocity / system_.length_scale();
        motion.block<3, 1>(static_cast<Eigen::Index>(6 * b) + 3, k) = poses[b].angular_velocity;
      }
      const Pose& carrier = poses[static_cast<std::size_t>(body_)];
      sample.speed.col(k) = carrier.velocity + carrier.angular_velocity.cross(carrier.axes * from_com_);
      if (limits_.empty()) continue;
      const std::vector<system::Reading> readings = system_.readings(s, terms_);
      for (std::size_t l = 0; l < limits_.size(); ++l)
        sample.approach(static_cast<Eigen::Index>(l), k) = readings[limits_[l].reading + 1].value;
    }
  };
  Eigen::MatrixXd motion;
  if (like == nullptr) {
    along(R, motion);
    const Eigen::MatrixXd gram = motion.transpose() * motion;
    const Eigen::LLT<Eigen::MatrixXd> factor(gram);
    R = factor.matrixU().solve<Eigen::OnTheRight>(R).eval();
  }
  along(R, motion);
  sample.basis = std::move(R);
  const Pose pose = system_.poses(sample.state)[static_cast<std::size_t>(body_)];
  sample.at = pose.position + pose.axes * from_com_;
  sample.limited.clear();
  if (limits_.empty()) return;
  const std::vector<system::Reading> readings = system_.readings(sample.state, terms_);
  for (const JointLimit& limit : limits_) {
    double value = readings[limit.reading].value;
    // Whole turns do not count where limits leave less than one.
    constexpr double kTurn = 2 * std::numbers::pi;
    if (limit.is_angle && limit.upper - limit.lower < kTurn)
      value -= kTurn * std::round((value - (limit.lower + limit.upper) / 2) / kTurn);
    sample.limited.push_back(value);
  }
}

bool Reach::within_limits(const Sample& sample) const {
  for (std::size_t l = 0; l < limits_.size(); ++l)
    if (sample.limited[l] < limits_[l].lower - kAtLimit || sample.limited[l] > limits_[l].upper + kAtLimit)
      return false;
  return true;
}

bool Reach::move(const Sample& from, const Eigen::VectorXd& along, Sample& to) {
  to.state = from.state;
  to.part = from.part;
  Eigen::VectorXd way = from.basis * along;
  system_.retract(to.state.q, {way.data(), static_cast<std::size_t>(way.size())});
  projector_.forget();
  const Report report = projector_.positions(to.state);
  if (!report.accepted() || !(report.violation <= kClosedSample)) return false;
  static_cast<void>(system_.accept_angles(to.state, terms_, 0));
  look(to, &from.basis);
  return true;
}

std::uint64_t Reach::cell(const Place& place, int i, int j, int k) const {
  std::uint64_t key = 0;
  const int aside[] = {i, j, k};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    double along = 0;
    for (std::size_t c = 0; c < place.size(); ++c) along += axes_[a][c] * place[c];
    const auto index = static_cast<std::int64_t>(std::floor(along / spacing_)) + aside[a] + (1 << 20);
    key = (key << 21) ^ static_cast<std::uint64_t>(index);
  }
  return key;
}

bool Reach::is_new(const Place& place) const {
  const double nearest = kApartFrom * kApartFrom * spacing_ * spacing_;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        const auto at = cells_.find(cell(place, i, j, k));
        if (at == cells_.end()) continue;
        for (const std::size_t other : at->second) {
          double distance = 0;
          for (std::size_t c = 0; c < place.size(); ++c) {
            const double difference = place[c] - places_[other][c];
            distance += difference * difference;
          }
          if (distance < nearest) return false;
        }
      }
  return true;
}

void Reach::keep(Sample sample, const Place& place) {
  cells_[cell(place, 0, 0, 0)].push_back(samples_.size());
  samples_.push_back(std::move(sample));
  places_.push_back(place);
}

// Along the basis, and between each two of it.
std::vector<Eigen::VectorXd> Reach::directions() const {
  std::vector<Eigen::VectorXd> all;
  for (Eigen::Index i = 0; i < freedoms_; ++i)
    for (const double sign : {1.0, -1.0}) {
      all.emplace_back(sign * Eigen::VectorXd::Unit(freedoms_, i));
      for (Eigen::Index j = 0; j < i; ++j)
        for (const double other : {1.0, -1.0})
          all.emplace_back(
              (sign * Eigen::VectorXd::Unit(freedoms_, i) + other * Eigen::VectorXd::Unit(freedoms_, j)) /
              std::numbers::sqrt2);
    }
  return all;
}

// Moves `along` to the limits that the coordinates, changed by approach · by, have passed.
void Reach::to_limits(const std::vector<double>& values, const Eigen::MatrixXd& approach,
                      const Eigen::VectorXd& by, Eigen::VectorXd& along) const {
  for (std::size_t l = 0; l < limits_.size(); ++l) {
    const Eigen::VectorXd rate = approach.row(static_cast<Eigen::Index>(l));
    const double value = values[l] + rate.dot(by);
    const double beyond = value - std::clamp(value, limits_[l].lower, limits_[l].upper);
    if (beyond != 0 && rate.squaredNorm() > 0) along -= beyond / rate.squaredNorm() * rate;
  }
}

void Reach::grow(std::size_t first, std::size_t most, const GoOn& go_on) {
  const std::vector<Eigen::VectorXd> around = directions();
  std::vector<double> astray(static_cast<std::size_t>(system_.sizes().v));
  for (std::size_t k = first; k < samples_.size(); ++k) {
    interrupted_ = go_on && k % kAskedEvery == 0 && !go_on(samples_.size(), k);
    if (interrupted_) {
      covered_ = false;
      return;
    }
    for (const Eigen::VectorXd& direction : around) {
      if (samples_.size() >= most) {
        covered_ = false;
        return;
      }
      // A neighbour beyond a limit is taken on the limit, aside of where it would be: so corners are met.
      Eigen::VectorXd along = spacing_ * direction;
      for (int sweep = 0; sweep < kLimitSweeps; ++sweep)
        to_limits(samples_[k].limited, samples_[k].approach, along, along);
      State guess = samples_[k].state;
      const Eigen::VectorXd way = samples_[k].basis * along;
      system_.retract(guess.q, {way.data(), static_cast<std::size_t>(way.size())});
      if (!is_new(place_of(guess))) continue;
      Sample next;
      bool closes = move(samples_[k], along, next);
      // Limits are curved in the freedoms.
      for (int i = 0; i < kLimitSweeps && closes && !within_limits(next); ++i) {
        to_limits(next.limited, next.approach, Eigen::VectorXd::Zero(freedoms_), along);
        closes = move(samples_[k], along, next);
      }
      if (!closes) continue;
      system_.difference(guess.q, next.state.q, astray);
      double far = 0;
      for (std::size_t i = 0; i < astray.size(); ++i)
        far = std::max(far, std::abs(astray[i]) / system_.coordinate_scale()[i]);
      if (far > kAstray * spacing_ || !within_limits(next)) continue;
      const Place place = place_of(next.state);
      if (!is_new(place)) continue;
      look(next, nullptr);
      if (next.basis.cols() == freedoms_) keep(std::move(next), place);
    }
  }
}

void Reach::explore(double spacing, std::size_t most, long starts, std::uint64_t seed, const GoOn& go_on) {
  spacing_ = spacing;
  std::mt19937_64 random(seed);
  const std::size_t size = place_of(simulation_.state()).size();
  for (int a = 0; a < 3; ++a) {
    Place axis(size);
    double square = 0;
    for (double& x : axis) {
      x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      square += x * x;
    }
    for (double& x : axis) x /= std::sqrt(square);
    axes_.push_back(std::move(axis));
  }
  RandomStarts others(simulation_, seed);
  State s = simulation_.state();
  for (long k = 0; k <= starts && samples_.size() < most && !interrupted_; ++k) {
    if (k > 0 && !others.next(s)) continue;
    Sample one;
    one.state = s;
    std::fill(one.state.v.begin(), one.state.v.end(), 0.0);
    const Place place = place_of(s);
    if (!is_new(place)) continue;
    look(one, nullptr);
    if (one.basis.cols() != freedoms_ || !within_limits(one)) continue;
    one.part = parts_++;
    const std::size_t first = samples_.size();
    keep(std::move(one), place);
    grow(first, most, go_on);
  }
}

}  // namespace trammel::analysis
