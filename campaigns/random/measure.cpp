#include "measure.h"

#include <cmath>

namespace trammel::campaigns::random {
namespace {

// A point or direction of a body, with its first two derivatives at constant v and ω.
struct Moving {
  Vector3d at, rate, bias;
};

Moving point_of(const BodyMotion& m, const Vector3d& local) {
  const Vector3d r = m.R * local, turn = m.w.cross(r);
  return {m.x + r, m.v + turn, m.w.cross(turn)};
}

Moving direction_of(const BodyMotion& m, const Vector3d& local) {
  const Vector3d u = m.R * local, turn = m.w.cross(u);
  return {u, turn, m.w.cross(turn)};
}

// The velocity of a, minus that of b, where both touch at q, along w: q and w move with q̇ and ẇ.
Reading slip_at(const BodyMotion& a, int ia, const BodyMotion& b, int ib, const Vector3d& q,
                const Vector3d& q_rate, const Vector3d& w, const Vector3d& w_rate) {
  Reading out;
  const Vector3d ra = q - a.x, rb = q - b.x;
  const Vector3d relative = a.v + a.w.cross(ra) - b.v - b.w.cross(rb);
  const Vector3d change = a.w.cross(q_rate - a.v) - b.w.cross(q_rate - b.v);
  out.rate = w.dot(relative);
  out.bias = w_rate.dot(relative) + w.dot(change);
  out.add(ia, w, ra.cross(w));
  out.add(ib, -w, -rb.cross(w));
  out.place = q;
  return out;
}

struct Disk {
  double k, k_rate, f;     // n·z and sqrt(1 − k²)
  Vector3d rho, rho_rate;  // from the centre to the lowest point
};

Disk disk_of(const Moving& n, const Moving& z, double radius) {
  Disk d{};
  d.k = n.at.dot(z.at);
  d.k_rate = n.rate.dot(z.at) + n.at.dot(z.rate);
  d.f = std::sqrt(1 - d.k * d.k);
  const double f_rate = -d.k * d.k_rate / d.f;
  const Vector3d up = n.at - d.k * z.at;
  d.rho = -radius * up / d.f;
  d.rho_rate = -radius * ((n.rate - d.k_rate * z.at - d.k * z.rate) / d.f - up * (f_rate / (d.f * d.f)));
  return d;
}

}  // namespace

void Reading::add(int body, const Vector3d& force, const Vector3d& torque) {
  if (body == kGroundBody) return;
  for (int k = 0; k < count; ++k) {
    if (sides[k].body != body) continue;
    sides[k].force += force;
    sides[k].torque += torque;
    return;
  }
  sides[count++] = {body, force, torque};
}

bool Measure::of_positions() const {
  return kind != Kind::slip && kind != Kind::wheel_slip && kind != Kind::disk_slip && kind != Kind::pursuit;
}

namespace {

Reading read_along(const Measure& s, const BodyMotion& A, const BodyMotion& B, const BodyMotion& C) {
  Reading out;
  const Moving p = point_of(A, s.pa), q = point_of(B, s.pb), w = direction_of(C, s.dir);
  const Vector3d d = p.at - q.at, d_rate = p.rate - q.rate;
  out.value = w.at.dot(d);
  out.rate = w.rate.dot(d) + w.at.dot(d_rate);
  out.bias = w.bias.dot(d) + 2 * w.rate.dot(d_rate) + w.at.dot(p.bias - q.bias);
  out.add(s.a, w.at, (p.at - A.x).cross(w.at));
  out.add(s.b, -w.at, -(q.at - B.x).cross(w.at));
  out.add(s.c, Vector3d::Zero(), w.at.cross(d));
  return out;
}

Reading read_dot(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  Reading out;
  const Moving u = direction_of(A, s.ua), w = direction_of(B, s.ub);
  out.value = u.at.dot(w.at);
  out.rate = u.rate.dot(w.at) + u.at.dot(w.rate);
  out.bias = u.bias.dot(w.at) + 2 * u.rate.dot(w.rate) + u.at.dot(w.bias);
  out.add(s.a, Vector3d::Zero(), u.at.cross(w.at));
  out.add(s.b, Vector3d::Zero(), w.at.cross(u.at));
  return out;
}

Reading read_distance(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  Reading out;
  const Moving p = point_of(A, s.pa), q = point_of(B, s.pb);
  const Vector3d d = p.at - q.at, d_rate = p.rate - q.rate;
  out.value = d.norm();
  const Vector3d n = d / out.value;
  out.rate = n.dot(d_rate);
  out.bias = n.dot(p.bias - q.bias) + (d_rate.squaredNorm() - out.rate * out.rate) / out.value;
  out.add(s.a, n, (p.at - A.x).cross(n));
  out.add(s.b, -n, -(q.at - B.x).cross(n));
  return out;
}

Reading read_angle(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  Reading out;
  const Moving z = direction_of(B, s.dir);
  const Vector3d x = A.R * s.ua, x0 = B.R * s.ub;
  out.value = std::atan2(x.dot(z.at.cross(x0)), x.dot(x0));
  out.rate = z.at.dot(A.w - B.w);
  out.bias = z.rate.dot(A.w - B.w);
  out.add(s.a, Vector3d::Zero(), z.at);
  out.add(s.b, Vector3d::Zero(), -z.at);
  return out;
}

// n·(centre − p_b) − r sqrt(1 − (n·z)²)
Reading read_disk_height(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  Measure above = s;
  above.c = s.b, above.dir = s.ub;
  Reading out = read_along(above, A, B, B);
  const Reading k = read_dot(s, A, B);
  const double f = std::sqrt(1 - k.value * k.value), slope = k.value / f;
  out.value -= s.radius * f;
  out.rate += s.radius * slope * k.rate;
  out.bias += s.radius * (slope * k.bias + k.rate * k.rate / (f * f * f));
  for (int i = 0; i < k.count; ++i)
    out.add(k.sides[i].body, Vector3d::Zero(), s.radius * slope * k.sides[i].torque);
  out.place = point_of(A, s.pa).at + disk_of(direction_of(B, s.ub), direction_of(A, s.ua), s.radius).rho;
  return out;
}

Reading read_pursuit(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  Reading out;
  const Moving p = point_of(A, s.pa), q = point_of(B, s.pb);
  const Vector3d d = q.at - p.at, d_rate = q.rate - p.rate;
  const double length = d.norm();
  const Vector3d t = d / length, t_rate = (d_rate - t * t.dot(d_rate)) / length;
  const Vector3d n = Vector3d::UnitZ().cross(t), n_rate = Vector3d::UnitZ().cross(t_rate);
  out.rate = n.dot(p.rate);
  out.bias = n_rate.dot(p.rate) + n.dot(p.bias);
  out.add(s.a, n, (p.at - A.x).cross(n));
  out.place = p.at;
  return out;
}

// Along the normal at the foot point, which moves along the curve with the point.
Reading read_curve(const Measure& s, const BodyMotion& A, const BodyMotion& B) {
  const Moving p = point_of(A, s.pa);
  const Vector3d local = B.R.transpose() * (p.at - B.x);
  const Spline::Point on = s.spline.at(s.spline.foot(local));
  const double speed = on.d.norm();
  const Vector3d t = on.d / speed, n = Vector3d::UnitZ().cross(t);
  const Vector3d relative = B.R.transpose() * (p.rate - B.v - B.w.cross(p.at - B.x));
  const double foot_rate = t.dot(relative) / speed;
  const Vector3d t_rate = (on.dd - t * t.dot(on.dd)) / speed * foot_rate;
  const Vector3d w = B.R * n, w_rate = B.w.cross(w) + B.R * Vector3d::UnitZ().cross(t_rate);
  Reading out = slip_at(A, s.a, B, s.b, p.at, p.rate, w, w_rate);
  out.value = n.dot(local - on.c);
  return out;
}

}  // namespace

Reading Measure::read(const std::vector<BodyMotion>& bodies) const {
  const auto of = [&](int i) -> const BodyMotion& {
    return i < 0 ? bodies.back() : bodies[static_cast<std::size_t>(i)];
  };
  const BodyMotion &A = of(a), &B = of(b);
  switch (kind) {
    case Kind::along:
      return read_along(*this, A, B, of(c));
    case Kind::dot:
      return read_dot(*this, A, B);
    case Kind::distance:
      return read_distance(*this, A, B);
    case Kind::angle:
      return read_angle(*this, A, B);
    case Kind::disk_height:
      return read_disk_height(*this, A, B);
    case Kind::pursuit:
      return read_pursuit(*this, A, B);
    case Kind::curve:
      return read_curve(*this, A, B);
    default:
      break;
  }
  // Slips: of a point, or of where a wheel, ball or disk touches.
  const Moving p = point_of(A, pa), n = direction_of(B, ub), w = direction_of(of(c), dir);
  if (kind == Kind::slip) return slip_at(A, a, B, b, p.at, p.rate, w.at, w.rate);
  if (kind == Kind::wheel_slip)
    return slip_at(A, a, B, b, p.at - radius * n.at, p.rate - radius * n.rate, w.at, w.rate);
  const Disk disk = disk_of(n, direction_of(A, ua), radius);
  return slip_at(A, a, B, b, p.at + disk.rho, p.rate + disk.rho_rate, w.at, w.rate);
}

}  // namespace trammel::campaigns::random
