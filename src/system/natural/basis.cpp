#include "system/natural/basis.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <stdexcept>

#include "linalg/dense.h"
#include "system/natural/materials.h"

namespace trammel::system {
namespace {

// Two places of a body this close, relative to where they are, are one: rounding of a placement, not a
// design. So are those that are as close as rounding of places in the world: a massless body between joints
// that all meet in its origin has a size of 1e-16 m otherwise, and directions of rounding in its basis.
constexpr double kSamePlace = 1e-9, kRoundedPlace = 1e-14;
// A direction is taken into a basis if at least this part of it is new: keeps coefficients of order ten.
constexpr double kNewDirection = 0.1;
// A point is taken into a basis only if it is this part of the body's size away from the origin.
constexpr double kFarPoint = 1e-3;

// `far`: of the body's origin from the world's, m.
bool same_place(const BodyNode& node, bool is_point, const Vec3& local, double far) {
  const double close = is_point ? kRoundedPlace * far : 0;
  return node.is_point == is_point &&
         (node.local - local).norm() <= std::max(close, kSamePlace * local.norm());
}

}  // namespace

template <int D>
Basis<D>::Basis(const Mechanism& mechanism, Sharing sharing) : mechanism_(mechanism), sharing_(sharing) {
  bodies_.resize(mechanism.bodies.size() + 1);
  nodes_of_.resize(bodies_.size());
  far_.resize(bodies_.size(), 0);
  bodies_[kGroundBody].name = kGround;
  index_[kGround] = kGroundBody;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& source = mechanism.bodies[i];
    NaturalBody<D>& body = bodies_[i + 1];
    body.name = source.name;
    body.kind = source.kind;
    body.mass = source.mass;
    const int index = static_cast<int>(i) + 1;
    index_[source.name] = index;
    far_[i + 1] = source.placement.at.norm();
    if (source.kind != Body::Kind::rigid) node(index, true, Vec3::Zero());
    if (source.kind == Body::Kind::rod) node(index, true, {source.length, 0, 0});
  }
}

// A body's size is the largest distance of its places from its centre of mass, or its radius of gyration if
// that is larger; the mechanism's is that of its largest body, or its extent if it has only point masses.
//
// A radius of gyration far beyond all places is no length of the mechanism: 1 kg.m2 of 1e-9 kg makes one of
// 30 km. It counts up to ten times the extent of the places, or up to 1 m where they all coincide.
template <int D>
void Basis<D>::measure_sizes() {
  constexpr double kExtents = 10, kNoExtent = 1;  // m
  std::vector<Vec3> places;
  for (const BodyNode& node : nodes_)
    if (node.is_point) places.push_back(world(node));
  double extent = 0;
  for (const Vec3& place : places) extent = std::max(extent, (place - places.front()).norm());
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Body& source = mechanism_.bodies[b - 1];
    double size = source.length, gyration = 0;
    for (int n : nodes_of_[b])
      if (const BodyNode& node = nodes_[static_cast<std::size_t>(n)]; node.is_point)
        size = std::max(size, (node.local - source.com).norm());
    if (source.mass > 0 && source.kind == Body::Kind::rigid)
      gyration = std::sqrt(source.inertia.trace() / source.mass);
    bodies_[b].size = std::max(size, gyration);
    const double most = extent > 0 ? kExtents * std::max(extent, size) : std::max(kNoExtent, size);
    length_scale_ = std::max({length_scale_, size, std::min(gyration, most)});
  }
  if (length_scale_ == 0) length_scale_ = extent > 0 ? extent : 1;
}

template <int D>
int Basis<D>::body_index(const std::string& name) const {
  const auto at = index_.find(name);
  if (at != index_.end()) return at->second;
  throw std::invalid_argument(fmt::format("there is no body named '{}'", name));
}

template <int D>
int Basis<D>::node(int body, bool is_point, const Vec3& local) {
  if (const int known = find_node(body, is_point, local); known >= 0) return known;
  const int index = static_cast<int>(nodes_.size());
  BodyNode added;
  added.body = body;
  added.is_point = is_point;
  added.local = local;
  nodes_.push_back(added);
  parent_.push_back(index);
  members_.push_back({index});
  nodes_of_[static_cast<std::size_t>(body)].push_back(index);
  exact_.emplace(ExactPlace{body, is_point, local.x(), local.y(), local.z()}, index);
  return index;
}

// The node of a place: by its very numbers, or, on a body with few places, by being within rounding of one.
template <int D>
int Basis<D>::find_node(int body, bool is_point, const Vec3& local) const {
  const auto exact = exact_.find(ExactPlace{body, is_point, local.x(), local.y(), local.z()});
  if (exact != exact_.end()) return exact->second;
  const std::vector<int>& own = nodes_of_[static_cast<std::size_t>(body)];
  // Ground of a large mechanism has thousands of places, all given in numbers: looking through them would be
  // quadratic.
  constexpr std::size_t kFew = 200;
  if (own.size() > kFew) return -1;
  for (int n : own)
    if (same_place(nodes_[static_cast<std::size_t>(n)], is_point, local,
                   far_[static_cast<std::size_t>(body)]))
      return n;
  return -1;
}

template <int D>
int Basis<D>::root(int n) const {
  while (parent_[static_cast<std::size_t>(n)] != n) n = parent_[static_cast<std::size_t>(n)];
  return n;
}

template <int D>
bool Basis<D>::unite(int a, int b, int joint) {
  if (sharing_ == Sharing::none) return false;
  const int ra = root(a), rb = root(b);
  if (ra != rb) {
    auto &to = members_[static_cast<std::size_t>(ra)], &from = members_[static_cast<std::size_t>(rb)];
    for (int n : to)
      for (int k : from)
        if (nodes_[static_cast<std::size_t>(n)].body == nodes_[static_cast<std::size_t>(k)].body)
          return false;
    parent_[static_cast<std::size_t>(rb)] = ra;
    to.insert(to.end(), from.begin(), from.end());
  }
  unions_.push_back({joint, {a, b}});
  for (int n : {a, b})
    if (nodes_[static_cast<std::size_t>(n)].joint < 0) nodes_[static_cast<std::size_t>(n)].joint = joint;
  return true;
}

template <int D>
Vec3 Basis<D>::world(const BodyNode& node) const {
  const Frame frame = mechanism_.placement(bodies_[static_cast<std::size_t>(node.body)].name);
  const Vec3 turned = frame.axes * node.local;
  return node.is_point ? Vec3(frame.at + turned) : turned;
}

template <int D>
int Basis<D>::new_element(bool is_point, bool fixed, const Vec3& initial) {
  initial_.push_back(initial);
  element_is_point_.push_back(is_point);
  element_fixed_.push_back(fixed);
  return static_cast<int>(initial_.size()) - 1;
}

template <int D>
void Basis<D>::choose() {
  measure_sizes();
  element_of_class_.assign(nodes_.size(), -1);
  for (int n : nodes_of_[kGroundBody]) {
    BodyNode& node = nodes_[static_cast<std::size_t>(n)];
    node.basis = true;
    element_of_class_[static_cast<std::size_t>(root(n))] = new_element(node.is_point, true, node.local);
  }
  for (int b = 1; b < static_cast<int>(bodies_.size()); ++b) {
    if (sharing_ == Sharing::none)
      choose_own(b);
    else
      choose_body(b);
  }
  number_elements();
  for (std::size_t b = 1; b < bodies_.size(); ++b) fill_inertia(bodies_[b], mechanism_.bodies[b - 1]);
  collect_places();
}

// How many independent directions the nodes of a body span (space only).
template <int D>
int Basis<D>::size_of_span(int b) const {
  const NaturalBody<D>& body = bodies_[static_cast<std::size_t>(b)];
  Eigen::MatrixXd all(3, 0);
  const auto push = [&](const Vec3& x) {
    all.conservativeResize(3, all.cols() + 1);
    all.col(all.cols() - 1) = x;
  };
  std::optional<Vec3> origin;
  for (int n : nodes_of_[static_cast<std::size_t>(b)]) {
    const BodyNode& node = nodes_[static_cast<std::size_t>(n)];
    if (!node.is_point) {
      push(node.local);
    } else if (origin) {
      push((node.local - *origin) / body.size);
    } else {
      origin = node.local;
    }
  }
  if (all.cols() == 0) return 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(all);
  qr.setThreshold(1e-8);
  return static_cast<int>(qr.rank());
}

template <int D>
bool Basis<D>::accept_direction(NaturalBody<D>& body, const Vec3& direction) const {
  if (D == 2 && body.rank() == 1) return false;
  if (body.rank() == 3) return false;
  Vec3 rest = direction;
  if (body.rank() > 0) {
    const Eigen::MatrixXd& d = body.directions;
    rest -= d * linalg::least_squares(d, direction);
  }
  if (rest.norm() < kNewDirection * direction.norm()) return false;
  body.directions.conservativeResize(3, body.rank() + 1);
  body.directions.col(body.rank() - 1) = direction;
  return true;
}

template <int D>
void Basis<D>::choose_body(int b) {
  NaturalBody<D>& body = bodies_[static_cast<std::size_t>(b)];
  body.directions.resize(3, 0);
  const Body& source = mechanism_.bodies[static_cast<std::size_t>(b) - 1];
  const Frame placement = mechanism_.placement(body.name);

  // Shared with ground, shared with others, private; points before vectors.
  std::vector<int> candidates = nodes_of_[static_cast<std::size_t>(b)];
  const auto rank_of = [&](int n) {
    const int e = element_of_class_[static_cast<std::size_t>(root(n))];
    const bool fixed = e >= 0 && element_fixed_[static_cast<std::size_t>(e)];
    const bool shared = nodes_[static_cast<std::size_t>(n)].joint >= 0;
    return 2 * (fixed ? 0 : shared ? 1 : 2) + (nodes_[static_cast<std::size_t>(n)].is_point ? 0 : 1);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](int x, int y) { return rank_of(x) < rank_of(y); });

  const auto take = [&](int n) {
    BodyNode& node = nodes_[static_cast<std::size_t>(n)];
    int& e = element_of_class_[static_cast<std::size_t>(root(n))];
    if (e < 0) e = new_element(node.is_point, false, world(node));
    node.basis = true;
    body.elements.push_back(e);
    body.is_point.push_back(node.is_point);
  };

  // Origin: the first point, or else the centre of mass.
  const auto first = std::find_if(candidates.begin(), candidates.end(),
                                  [&](int n) { return nodes_[static_cast<std::size_t>(n)].is_point; });
  if (first != candidates.end()) {
    body.origin = nodes_[static_cast<std::size_t>(*first)].local;
    take(*first);
    candidates.erase(first);
  } else {
    body.origin = source.com;
    body.elements.push_back(new_element(true, false, placement.at + placement.axes * source.com));
    body.is_point.push_back(true);
  }

  // Directions among the nodes.
  for (int n : candidates) {
    const BodyNode& node = nodes_[static_cast<std::size_t>(n)];
    const Vec3 direction = node.is_point ? Vec3(node.local - body.origin) : node.local;
    if (node.is_point && direction.norm() <= kFarPoint * body.size) continue;
    if (accept_direction(body, direction)) take(n);
  }

  // Unit vectors of its own for what is still missing.
  const bool rigid = source.kind == Body::Kind::rigid;
  const int wanted = D == 2 ? (source.kind == Body::Kind::point_mass ? 0 : 1) : rigid ? 3 : size_of_span(b);
  while (body.rank() < wanted) {
    Vec3 direction = Vec3::UnitX();
    if (body.rank() > 0) {
      const Eigen::MatrixXd q = body.directions.householderQr().householderQ();
      direction = q.col(body.rank());
    }
    const bool accepted = accept_direction(body, direction);
    if (!accepted) throw std::logic_error("Basis: no direction completes the body");
    body.elements.push_back(new_element(false, false, placement.axes * direction));
    body.is_point.push_back(false);
  }
  invert(body);
}

// Its centre of mass and its own axes. A rod that nothing needs across has its axis alone.
template <int D>
void Basis<D>::choose_own(int b) {
  NaturalBody<D>& body = bodies_[static_cast<std::size_t>(b)];
  const Body& source = mechanism_.bodies[static_cast<std::size_t>(b) - 1];
  const Frame placement = mechanism_.placement(body.name);
  int rank = D == 2 ? 1 : 3;
  if (source.kind == Body::Kind::point_mass) rank = 0;
  if (source.kind == Body::Kind::rod && D == 3 && size_of_span(b) <= 1) rank = 1;
  body.origin = source.com;
  body.directions = Eigen::MatrixXd::Identity(3, rank);
  body.elements.push_back(new_element(true, false, placement.at + placement.axes * source.com));
  body.is_point.push_back(true);
  for (int k = 0; k < rank; ++k) {
    body.elements.push_back(new_element(false, false, placement.axes.col(k)));
    body.is_point.push_back(false);
  }
  invert(body);
}

template <int D>
void Basis<D>::invert(NaturalBody<D>& body) const {
  body.inverse = body.rank() > 0 ? linalg::pseudo_inverse(body.directions) : Eigen::MatrixXd(0, 3);
}

// Free elements first, in order of their making; fixed ones after them.
template <int D>
void Basis<D>::number_elements() {
  const std::size_t count = initial_.size();
  std::vector<int> order;
  for (std::size_t e = 0; e < count; ++e)
    if (!element_fixed_[e]) order.push_back(static_cast<int>(e));
  free_elements_ = static_cast<int>(order.size());
  for (std::size_t e = 0; e < count; ++e)
    if (element_fixed_[e]) order.push_back(static_cast<int>(e));
  std::vector<int> number(count);
  std::vector<Vec3> initial(count);
  std::vector<bool> is_point(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto from = static_cast<std::size_t>(order[k]);
    number[from] = static_cast<int>(k);
    initial[k] = initial_[from];
    is_point[k] = element_is_point_[from];
  }
  initial_ = initial;
  element_is_point_ = is_point;
  for (int& e : element_of_class_)
    if (e >= 0) e = number[static_cast<std::size_t>(e)];
  for (auto& body : bodies_)
    for (int& e : body.elements) e = number[static_cast<std::size_t>(e)];
  // Named points say where they are: better than a rod's end when its length is not yet right.
  for (const Point& point : mechanism_.points)
    for (const Marker& marker : point.on) {
      const int n = find_node(body_index(marker.body), true, marker.frame.at);
      const int e = n < 0 ? -1 : element_of_class_[static_cast<std::size_t>(root(n))];
      if (e >= 0 && e < free_elements_) initial_[static_cast<std::size_t>(e)] = point.at;
    }
}

template <int D>
void Basis<D>::collect_places() {
  std::vector<int> place_of(nodes_.size(), -1);
  for (const auto& [joint, pair] : unions_) {
    const int r = root(pair.first);
    int& p = place_of[static_cast<std::size_t>(r)];
    if (p < 0) {
      p = static_cast<int>(places_.size());
      places_.emplace_back();
      places_.back().is_point = nodes_[static_cast<std::size_t>(r)].is_point;
      places_.back().element = element_of_class_[static_cast<std::size_t>(r)];
      places_.back().nodes = members_[static_cast<std::size_t>(r)];
    }
    auto& meetings = places_[static_cast<std::size_t>(p)].meetings;
    auto at =
        std::find_if(meetings.begin(), meetings.end(), [j = joint](const auto& x) { return x.joint == j; });
    if (at == meetings.end()) at = meetings.insert(meetings.end(), {joint, {}});
    for (int n : {pair.first, pair.second}) {
      const int body = nodes_[static_cast<std::size_t>(n)].body;
      if (std::find(at->bodies.begin(), at->bodies.end(), body) == at->bodies.end())
        at->bodies.push_back(body);
    }
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n].group = root(static_cast<int>(n));
}

template class Basis<2>;
template class Basis<3>;

}  // namespace trammel::system
