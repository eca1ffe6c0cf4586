// Forces, plan and outputs of a model file.
#include <fmt/format.h>

#include <stdexcept>

#include "mechanism/force_kinds.h"
#include "mechanism/force_texts.h"
#include "mechanism/signals.h"
#include "model/writer/parts.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

class ForceWriter {
 public:
  ForceWriter(const Mechanism& m, const Force& force, PlaceWriter& places)
      : m_(m), force_(force), places_(places) {}

  Json operator()(const SpringDamper& law) {
    Json j = {{"spring", Json::array({place(law.a), place(law.b)})}};
    if (!law.law.empty()) {
      j["tension"] = law.law;
      return j;
    }
    j["stiffness"] = law.stiffness;
    j["length"] = law.length;
    j["damping"] = law.damping;
    j["preload"] = law.preload;
    return j;
  }
  Json operator()(const JointSpring& law) const {
    Json j = {{"joint-spring", law.joint}};
    const Joint* joint = m_.joint(law.joint);
    if (!law.law.empty()) {
      j[joint != nullptr && mechanism::has_angle(m_, *joint) ? "torque" : "force"] = law.law;
      return j;
    }
    j["stiffness"] = law.stiffness;
    j["free"] = law.free;
    j["damping"] = law.damping;
    j["preload"] = law.preload;
    return j;
  }
  Json operator()(const Tendon& law) const {
    Json terms = Json::object();
    for (const Tendon::Term& term : law.terms) terms[term.joint] = term.coefficient;
    return {{"tendon", terms},
            {"stiffness", law.stiffness},
            {"length", law.free},
            {"damping", law.damping},
            {"preload", law.preload}};
  }
  Json operator()(const JointFriction& law) const {
    return {{"friction", law.joint},
            {"coulomb", law.coulomb},
            {"viscous", law.viscous},
            {"transition", law.transition}};
  }
  Json operator()(const Motor& law) const {
    return {{"joint", law.joint}, {law.turns ? "torque" : "force", law.law}};
  }
  Json operator()(const DryFriction& law) const {
    const std::string own = mechanism::about(mechanism::kind_of({"", law, {}})).name;
    const bool two = law.joints.size() > 1;
    Json j = {{own, two ? Json(law.joints) : Json(law.joints.at(0))}};
    if (two) j["ratio"] = law.ratio;
    if (mechanism::is_loaded(law)) {
      j["coefficient"] = law.coefficient;
      j["static-coefficient"] = law.static_coefficient;
      if (law.radius != 0) j["radius"] = law.radius;
      if (law.length != 0) j["length"] = law.length;
      if (law.flank_angle != 0) j["flank-angle"] = law.flank_angle;
      return j;
    }
    if (!law.one_way) j["capacity"] = law.capacity;
    if (!law.static_capacity.empty()) j["static"] = law.static_capacity;
    return j;
  }
  Json operator()(const AppliedForce& law) {
    return with_axes({{"force", Json(law.components)}, {"at", place(law.at)}}, law.body_fixed);
  }
  Json operator()(const AppliedTorque& law) const {
    const Json components = m_.is_planar ? Json(law.components.at(0)) : Json(law.components);
    return with_axes({{"torque", components}, {"on", law.body}}, law.body_fixed);
  }
  Json operator()(const Bushing& law) {
    for (const Marker* m : {&law.a, &law.b})
      // 1e-9: rounding of a frame
      if (!(m_.placement(m->body).axes * m->frame.axes).isIdentity(1e-9))
        throw std::runtime_error(
            fmt::format("bushing '{}' is not at rest where its bodies are placed at the start: a model file "
                        "cannot say so; remove it, or reset before adding it",
                        force_.name));
    return {{"bushing", Json::array({law.a.body, law.b.body})},
            {"at", Json::array({place(law.a), place(law.b)})},
            {"stiffness", matrix(law.stiffness)},
            {"damping", matrix(law.damping)}};
  }
  Json operator()(const ElasticBelt& law) {
    Json j = {{"belt", Json::array({law.a.body, law.b.body})},
              {"radii", law.pulleys},
              {"centers", Json::array({place(law.a), place(law.b)})},
              {"closed", false},
              {"tension", law.law}};
    if (!m_.is_planar) j["axis"] = places_.direction(law.a, 2, force_.name + "_axis");
    return j;
  }
  Json operator()(const UserForcePtr&) const {
    throw std::runtime_error(
        fmt::format("force '{}' is written in C++: a model file cannot hold it", force_.name));
  }

 private:
  Json place(const Marker& marker) { return places_.place(marker, force_.name + "_at"); }
  static Json with_axes(Json j, bool body_fixed) {
    if (body_fixed) j["axes"] = "body";
    return j;
  }
  Json matrix(const Mat6& matrix) const {
    const std::vector<int> rows =
        m_.is_planar ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
    Json all = Json::array();
    for (const int r : rows) {
      Json row = Json::array();
      for (const int c : rows) row.push_back(matrix(r, c));
      all.push_back(row);
    }
    return all;
  }

  const Mechanism& m_;
  const Force& force_;
  PlaceWriter& places_;
};

}  // namespace

Json forces_json(const Mechanism& m, PlaceWriter& places) {
  Json all = Json::object();
  for (const Force& force : m.forces) all[force.name] = std::visit(ForceWriter(m, force, places), force.law);
  return all;
}

}  // namespace trammel::model
