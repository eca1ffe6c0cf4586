#include "analysis/equilibrium_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/asking.h"
#include "analysis/equilibrium_kind.h"
#include "analysis/path_follower.h"

namespace trammel::analysis {
namespace {

// Of the arc, in units of what counts as one and of the parameter's range.
constexpr double kFirstArc = 0.01, kLongestArc = 0.05, kShortestArc = 1e-7;
// Newton's iterations of a point: more, and the next step is shorter.
constexpr int kFewCorrections = 4;
// Limit points, changes of stability and the end are located where what vanishes there is below this part of
// what it is on both sides.
constexpr double kLocated = 1e-9;
constexpr int kMostTries = 25;
// A change of stability this near to a limit point is that of the limit point.
constexpr double kSamePlace = 1e-5;
// How far from the last point that was found a place may be told by the tangent.
constexpr double kByTangent = 1e-4;

// How far along the arc.
struct Place {
  double arc = 0;
  PathPoint point;
};

// Where a function of the points between the arcs vanishes, by regula falsi; nothing where it cannot be
// found.
std::optional<Place> locate(PathFollower& follower, double arc, double at_start, double at_end,
                            const std::function<double(PathPoint&)>& f) {
  if (!std::isfinite(at_start) || !std::isfinite(at_end) || (at_start > 0) == (at_end > 0))
    return std::nullopt;
  double a = 0, fa = at_start, b = arc, fb = at_end;
  const double small = kLocated * std::max(std::abs(fa), std::abs(fb));
  Place place;
  for (int k = 0; k < kMostTries && std::abs(b - a) > kShortestArc * kShortestArc; ++k) {
    place.arc = b - fb * (b - a) / (fb - fa);
    int corrections = 0;
    if (!follower.go(place.arc, place.point, corrections).accepted()) {
      // Paths cross here; the tangent of the point before leads to it.
      if (std::abs(place.arc - follower.last_arc()) > kByTangent ||
          !follower.go_beside(place.arc, place.point).accepted())
        return std::nullopt;
      static_cast<void>(f(place.point));
      break;
    }
    const double value = f(place.point);
    if (!std::isfinite(value)) return std::nullopt;
    if (std::abs(value) < small) break;
    if ((value > 0) == (fb > 0)) {
      b = place.arc, fb = value, fa *= 0.5;  // Illinois
    } else {
      a = b, fa = fb, b = place.arc, fb = value;
    }
  }
  return place;
}

// Where the parameter turns back.
std::optional<Place> locate_turn(PathFollower& follower, double arc) {
  const double at_end = follower.slope();
  std::optional<Place> place =
      locate(follower, arc, follower.first_slope(), at_end, [&](PathPoint&) { return follower.slope(); });
  if (!place) return place;
  follower.finish(place->point);
  place->point.is_limit = true;
  return place;
}

bool is_unstable(const PathPoint& point) { return point.at.kind == EquilibriumKind::unstable; }

// Where the stability changes between two points.
std::optional<Place> locate_change(PathFollower& follower, double arc, const PathPoint& from,
                                   const PathPoint& to) {
  if (is_unstable(from) == is_unstable(to) || from.at.eigenvalues.size() != to.at.eigenvalues.size())
    return std::nullopt;
  const int zeros = std::min(from.at.zeros, to.at.zeros);
  const bool flutters = !from.at.symmetric || !to.at.symmetric;
  const auto margin = [&](const PathPoint& point) {
    return point.at.eigenvalues.size() == from.at.eigenvalues.size()
               ? stability_margin(point.at, zeros, flutters)
               : NAN;
  };
  std::optional<Place> place = locate(follower, arc, margin(from), margin(to), [&](PathPoint& point) {
    follower.finish(point);
    return margin(point);
  });
  if (!place) return place;
  place->point.is_change = true;
  place->point.at.kind = EquilibriumKind::neutral;
  return place;
}

// A point that happens to lie where the stability changes.
void mark_change(std::vector<PathPoint>& points, const PathPoint& next) {
  PathPoint& here = points.back();
  const bool vanishes = here.at.zeros > next.at.zeros && !next.at.eigenvalues.empty();
  if (!vanishes || here.is_limit || here.at.kind != EquilibriumKind::neutral) return;
  here.is_change = points.size() == 1 || points[points.size() - 2].at.kind != next.at.kind;
}

class Path {
 public:
  Path(PathFollower& follower, double to, int most_points, const GoOn& go_on, FollowedPath& out)
      : follower_(follower), to_(to), most_points_(most_points), asking_(go_on), out_(out) {}

  // Until the parameter passes `to`, or as far as the path goes.
  void follow() {
    while (static_cast<int>(out_.points.size()) < most_points_) {
      if (!asking_.goes_on()) {
        ended_ = "there it was interrupted";
        return;
      }
      if (!step()) return;
    }
    ended_ = fmt::format(
        "that is the most points it may have (--points); allow more, or follow it over a "
        "shorter range");
  }
  // Why it does not come to the end.
  const std::string& ended() const { return ended_; }

 private:
  bool step() {
    Report& report = out_.report;
    const PathPoint here = out_.points.back();
    report = follower_.set_out(here, before_.size() > 0 ? &before_ : nullptr);
    if (!report.accepted()) {
      ended_ =
          "there the mechanism is in a singular position, or a force has no finite value; follow it over "
          "values on one side of this one";
      return false;
    }
    PathPoint next;
    int corrections = 0;
    while (!(report = follower_.go(arc_, next, corrections)).accepted() && arc_ > kShortestArc) arc_ /= 4;
    if (!report.accepted()) {
      ended_ =
          "no equilibrium was found next to it. A force may jump there, or the mechanism come to a singular "
          "position; smooth the force, or follow the path from the other side";
      return false;
    }
    const bool turns = (follower_.slope() > 0) != (follower_.first_slope() > 0);
    const bool ends = (next.value - to_) * (here.value - to_) <= 0;
    before_ = follower_.direction();
    double arc = arc_;
    std::optional<Place> turn;
    if (ends) arc = land(here, next);
    if (turns && !ends) turn = locate_turn(follower_, arc);
    follower_.finish(next);
    add_between(arc, turn, here, next);
    out_.points.push_back(std::move(next));
    if (corrections <= kFewCorrections) arc_ = std::min(1.5 * arc_, kLongestArc);
    return !ends;
  }

  // The point at the end of the range, and how far along the arc it is.
  double land(const PathPoint& here, PathPoint& next) {
    const std::optional<Place> end = locate(follower_, arc_, here.value - to_, next.value - to_,
                                            [&](PathPoint& point) { return point.value - to_; });
    if (end) next = end->point;
    next.value = to_;
    next.system = follower_.system_at(to_);
    return end ? end->arc : arc_;
  }

  // Limit point and change of stability between two points, in their order.
  void add_between(double arc, std::optional<Place> turn, const PathPoint& here, PathPoint& next) {
    mark_change(out_.points, next);
    std::optional<Place> change;
    // A zero at either end is the change itself.
    if (here.at.zeros == next.at.zeros) change = locate_change(follower_, arc, here, next);
    if (change && turn && std::abs(change->arc - turn->arc) < kSamePlace) change.reset();
    if (change && turn && change->arc < turn->arc) std::swap(change, turn);
    for (std::optional<Place>* place : {&turn, &change})
      if (*place) out_.points.push_back(std::move((*place)->point));
    next.is_change = next.value == to_ && next.at.zeros > here.at.zeros && is_unstable(here);
  }

  PathFollower& follower_;
  double to_;
  int most_points_;
  Asking asking_;
  FollowedPath& out_;
  double arc_ = kFirstArc;
  Eigen::VectorXd before_;
  std::string ended_;
};

}  // namespace

FollowedPath follow_equilibria(const Mechanism& mechanism, const std::string& parameter, double from,
                               double to, Seek seek, int most_points, const GoOn& go_on) {
  FollowedPath path;
  if (from == to)
    throw std::invalid_argument("a path of equilibria needs two different values of the parameter");
  PathFollower follower(mechanism, parameter, from, to);
  Path way(follower, to, most_points, go_on, path);
  try {
    PathPoint first = follower.begin(seek, path.report);
    if (!path.report.accepted()) return path;
    path.points.push_back(std::move(first));
    way.follow();
  } catch (const std::invalid_argument& error) {
    // The model cannot have a value that lies ahead.
    path.report.outcome = Outcome::refused;
    path.report.message = error.what();
    return path;
  }
  if (path.points.back().value == to) return path;
  if (path.report.accepted()) path.report.outcome = Outcome::not_converged;
  const std::size_t count = path.points.size();
  path.report.message = fmt::format(
      "the path of equilibria does not come to {} = {:.6g}: it ends after {} point{} at {:.6g}; {}",
      parameter, to, count, count == 1 ? "" : "s", path.points.back().value, way.ended());
  return path;
}

}  // namespace trammel::analysis
