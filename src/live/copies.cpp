#include "live/copies.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/markers.h"
#include "mechanism/signals.h"

namespace trammel::live {
namespace {

// x' = turn x + by in the world, x' = local x in the axes of a body. A mirror image has its own y axis
// turned round, so that axes stay right-handed: R(2φ) L R(θ) L = R(2φ − θ), L = diag(1, −1, 1).
struct Image {
  Mat3 turn = Mat3::Identity(), local = Mat3::Identity();
  Vec3 by = Vec3::Zero();
  double twice = 0;  // rad, 2φ
  bool mirrored = false;

  Vec3 place(const Vec3& x) const { return turn * x + by; }
};

Image image_from(const JsonFields& fields, bool planar) {
  Image image;
  if (!fields.has("mirror")) {
    image.by = fields.vector("by");
    if (planar) image.by.z() = 0;
    return image;
  }
  if (!planar) fields.refuse("mirror", "a mechanism in the plane");
  const JsonFields mirror(fields.need("mirror"), "mirror", {"through", "along"});
  const Vec3 along = mirror.vector("along"), through = mirror.vector("through");
  if (along.head<2>().norm() == 0) mirror.refuse("along", "a direction in the plane");
  image.twice = 2 * std::atan2(along.y(), along.x());
  image.local = Vec3(1, -1, 1).asDiagonal();
  image.turn = Eigen::AngleAxisd(image.twice, Vec3::UnitZ()).toRotationMatrix() * image.local;
  image.by = through - image.turn * through;
  image.by.z() = 0;
  image.mirrored = true;
  return image;
}

// The parts that are copied, under their new names.
class Copier {
 public:
  Copier(Draft& draft, Image image) : draft_(draft), image_(std::move(image)) {}

  void bodies(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const Body* body = draft_.model.body(name);
      if (body == nullptr) throw std::invalid_argument(fmt::format("there is no body '{}'", name));
      if (!bodies_.contains(name)) copied_.bodies.push_back(of_body(*body));
    }
  }

  void points() {
    for (const Point& point : draft_.model.points) {
      Point copy = point;
      std::erase_if(copy.on, [&](const Marker& m) { return m.body != kGround && !bodies_.contains(m.body); });
      const auto is_copied = [](const Marker& m) { return m.body != kGround; };
      if (!std::ranges::any_of(copy.on, is_copied)) continue;
      copy.name = named(point.name, joints_);
      copy.at = image_.place(point.at);
      if (copy.velocity) copy.velocity = image_.turn * *copy.velocity;
      for (Marker& m : copy.on) move(m);
      copied_.points.push_back(std::move(copy));
    }
  }

  void joints() {
    for (const Joint& joint : draft_.model.joints) {
      const bool coupled = mechanism::about(joint.kind).of == mechanism::JointOf::joints;
      if (coupled ? !all_copied(joint.of) || !joint.law.empty() : !between(joint.markers)) continue;
      Joint copy = joint;
      copy.name = joints_.contains(joint.name) ? joints_.at(joint.name) : named(joint.name, joints_);
      for (Marker& m : copy.markers) move(m);
      for (std::string& of : copy.of)
        if (coupled) of = joints_.at(of);
      if (image_.mirrored && mechanism::has_angle(draft_.model, joint)) {
        copy.offset = -copy.offset;
        if (copy.held) copy.held = -*copy.held;
        if (copy.speed) copy.speed = -*copy.speed;
      }
      copied_.joints.push_back(std::move(copy));
    }
  }

  void forces() {
    for (const Force& force : draft_.model.forces) {
      Force copy = force;
      if (!renamed(copy)) continue;
      std::map<std::string, std::string> own;
      copy.name = named(force.name, own);
      copied_.forces.push_back(std::move(copy));
    }
  }

  void drivers() {
    for (const Driver& driver : draft_.model.drivers) {
      const auto& names = driver.kind == Driver::Kind::joint ? joints_ : bodies_;
      if (!driver.markers.empty() || !names.contains(driver.of)) continue;
      Driver copy = driver;
      std::map<std::string, std::string> own;
      copy.name = named(driver.name, own);
      copy.of = names.at(driver.of);
      for (std::string& text : copy.equals)
        if (image_.mirrored && driver.of_speed) text = "-(" + text + ")";
      // The angle of a mirrored body at the start is another: only speeds can be copied.
      if (image_.mirrored && !driver.of_speed)
        draft_.notes.push_back(fmt::format("driver '{}' was not copied", driver.name));
      else
        copied_.drivers.push_back(std::move(copy));
    }
  }

  void finish() {
    const auto add = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    Mechanism& m = draft_.model;
    draft_.name = copied_.bodies.empty() ? "" : copied_.bodies[0].name;
    add(m.bodies, copied_.bodies);
    add(m.points, copied_.points);
    add(m.joints, copied_.joints);
    add(m.forces, copied_.forces);
    add(m.drivers, copied_.drivers);
  }

 private:
  // A name that neither the model nor another copy has.
  std::string named(const std::string& name, std::map<std::string, std::string>& names) {
    std::string stem = name;
    while (stem.size() > 1 && std::isdigit(static_cast<unsigned char>(stem.back())) != 0) stem.pop_back();
    if (stem.ends_with("_")) stem.pop_back();
    for (int k = 2;; ++k) {
      std::string wanted = fmt::format("{}_{}", stem, k);
      if (draft_.is_taken(wanted) || std::ranges::count(taken_, wanted) > 0) continue;
      taken_.push_back(wanted);
      return names[name] = wanted;
    }
  }

  Body of_body(const Body& body) {
    Body copy = body;
    copy.name = named(body.name, bodies_);
    const Mat3& L = image_.local;
    copy.placement = {image_.place(body.placement.at), image_.turn * body.placement.axes * L};
    if (image_.mirrored) copy.angle = image_.twice - body.angle;
    copy.com = L * body.com;
    copy.free = true;
    for (auto& [name, at] : copy.points) at = L * at;
    for (auto& [name, n] : copy.vectors) n = L * n;
    const auto reflect = [&](Frame& place) { place = {L * place.at, L * place.axes * L}; };
    if (copy.shape) reflect(copy.shape->place);
    for (DrawnShape& drawn : copy.drawn) reflect(drawn.shape.place);
    if (copy.velocity) copy.velocity = image_.turn * *copy.velocity;
    if (copy.angular_velocity && image_.mirrored) copy.angular_velocity = -*copy.angular_velocity;
    if (copy.held_angle && image_.mirrored) copy.held_angle = image_.twice - *copy.held_angle;
    return copy;
  }

  void move(Marker& m) const {
    if (m.body == kGround) {
      m.frame = {image_.place(m.frame.at), image_.turn * m.frame.axes * image_.local};
      return;
    }
    m.body = bodies_.at(m.body);
    m.frame = {image_.local * m.frame.at, image_.local * m.frame.axes * image_.local};
  }

  // Of copied bodies and ground alone, and of one of them at least.
  bool between(const std::vector<Marker>& markers) const {
    const auto copied = [&](const Marker& m) { return bodies_.contains(m.body); };
    return std::ranges::any_of(markers, copied) &&
           std::ranges::all_of(markers, [&](const Marker& m) { return m.body == kGround || copied(m); });
  }

  bool all_copied(const std::vector<std::string>& joints) const {
    return std::ranges::all_of(joints, [&](const std::string& j) { return joints_.contains(j); });
  }

  // False for a force that stays where it is. A law that is an expression names parts that are not copied.
  bool renamed(Force& force) {
    if (auto* law = std::get_if<SpringDamper>(&force.law)) {
      if (!between({law->a, law->b}) || !law->law.empty()) return false;
      move(law->a);
      move(law->b);
      return true;
    }
    if (auto* law = std::get_if<JointSpring>(&force.law)) return law->law.empty() && joint_of(law->joint);
    if (auto* law = std::get_if<JointFriction>(&force.law)) return joint_of(law->joint);
    return false;
  }

  bool joint_of(std::string& joint) const {
    const auto at = joints_.find(joint);
    if (at == joints_.end()) return false;
    joint = at->second;
    return true;
  }

  Draft& draft_;
  Image image_;
  Mechanism copied_;
  std::vector<std::string> taken_;
  std::map<std::string, std::string> bodies_, joints_;  // new names by the old ones
};

}  // namespace

void copy_bodies(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "copy-bodies", {"do", "bodies", "by", "mirror"});
  if (draft.model.generalized) fields.refuse("bodies", "a model with bodies");
  Copier copier(draft, image_from(fields, draft.model.is_planar));
  copier.bodies(fields.texts("bodies"));
  copier.points();
  copier.joints();
  copier.forces();
  copier.drivers();
  copier.finish();
}

}  // namespace trammel::live
