#include "system/natural/angle_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/spans.h"

namespace trammel::system {
namespace {

// By so much an angle may turn between two looks: in the plane two thirds of half a turn, for speeds may be
// higher within a step than at its ends. In space a vector may come closer to the axis on its way, where the
// angle turns faster: from within 27° of the plane of x and y (kInPlane) it does not come nearer than 35° to
// the axis in half a radian.
template <int D>
constexpr double kUnseen = D == 2 ? 2.0 : 0.5;  // rad
constexpr double kMostTurn = 2.5;               // rad: half a turn, less what rates change within a step
constexpr double kFarTurn = 0.5;                // rad, in one step: then rates are worth knowing
constexpr double kInPlane = 0.8;                // squared cosine

template <int D>
double weight_of(const Slot<D>& slot, int free_elements) {
  double sum = 0;
  for (const auto& term : slot.form.terms)
    if (term.element < free_elements) sum += std::hypot(term.weight.alpha, term.weight.beta);
  return sum;
}

}  // namespace

template <int D>
void AngleTurns<D>::choose(std::span<const Measure<D>> measures, std::span<const int> angles, bool watched) {
  watched_ = watched;
  for (const int k : angles) {
    const Measure<D>& m = measures[static_cast<std::size_t>(k)];
    const auto weight = [&](std::size_t slot) { return weight_of(m.slots()[slot], m.free_elements()); };
    angles_.push_back({k, weight(2), std::max(weight(0), weight(1))});
  }
}

template <int D>
typename AngleTurns<D>::Look AngleTurns<D>::look(const Reach& angle, const Measure<D>& measure,
                                                 const Elements<D>& x) const {
  const math::Vec<D> u = measure.slot(0, x), w = measure.slot(1, x), z = measure.slot(2, x);
  const double uu = std::min(u.squaredNorm(), w.squaredNorm()), zz = z.squaredNorm();
  const double c = u.dot(z), s = w.dot(z);
  const bool bounded = D == 2 || c * c + s * s >= kInPlane * uu * zz;
  return {std::atan2(s, c) + measure.offset(),
          bounded ? angle.z / std::sqrt(zz) + angle.x / std::sqrt(uu) : INFINITY};
}

template <int D>
int AngleTurns<D>::accept(std::span<const Measure<D>> measures, const Elements<D>& x, const Elements<D>& v,
                          double h, std::vector<double>& memory) const {
  const std::size_t n = angles_.size();
  double &moved = memory[n], &allowed = memory[n + 1], &speed = memory[n + 2], &rate = memory[n + 3];
  math::Pair largest{};  // component
  math::by_pairs(static_cast<std::size_t>(D * v.free_elements), [&](std::size_t k, auto width) {
    largest = math::larger_of(largest, math::size_of(math::widened(math::load<decltype(width)>(v.free + k))));
  });
  const double fastest = std::sqrt(D) * std::max(largest[0], largest[1]);
  const double path = h * std::max(fastest, speed), unseen = moved;
  speed = fastest;
  moved += path;
  // The next step may be as long.
  if (moved + path < allowed && !watched_) return -1;

  moved = 0;
  // Unknown after a step in which angles turned little; steps do not grow so much that it would matter.
  const double last = unseen == 0 ? rate : 0.0;
  rate = 0;
  double widest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Measure<D>& m = measures[static_cast<std::size_t>(angles_[k].measure)];
    const auto [raw, turn] = look(angles_[k], m, x);
    widest = std::max(widest, turn);
    const bool bounded = std::isfinite(turn);
    const double before = unseen == 0 ? 0.0 : bounded ? unseen * turn : kUnseen<D>;
    const double now = path * turn > kFarTurn ? std::abs(m.rate(x, v)) : 0.0;
    rate = std::max(rate, now);
    if (!(before + path * turn <= kMostTurn) && before + h * std::max(last, now) > kMostTurn)
      return angles_[k].measure;
    memory[k] = with_turns(raw, memory[k]);
  }
  allowed = kUnseen<D> / widest;
  return -1;
}

template class AngleTurns<2>;
template class AngleTurns<3>;

}  // namespace trammel::system
