#include "live/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "live/copies.h"
#include "live/part_json.h"
#include "live/typed_number.h"
#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/numbers.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"

namespace trammel::live {
namespace {

template <class T>
T& find_part(std::vector<T>& all, const std::string& name, const char* what) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == name; });
  if (at == all.end()) throw std::invalid_argument(fmt::format("there is no {} '{}'", what, name));
  return *at;
}

std::string name_in(const Json& edit) { return JsonFields(edit, edit["do"], {"do", "name"}).text("name"); }

// Removes what fits, and tells of it.
template <class T, class Fits>
void remove_if(std::vector<T>& all, Draft& draft, const char* what, Fits&& fits) {
  std::erase_if(all, [&](const T& one) {
    if (!fits(one)) return false;
    draft.notes.push_back(fmt::format("{} '{}' went with it", what, one.name));
    return true;
  });
}

// Bodies that nothing holds any longer are free on purpose.
void set_free(Draft& draft, const std::vector<Marker>& markers) {
  for (const Marker& m : markers)
    for (Body& body : draft.model.bodies)
      if (body.name == m.body) body.free = true;
}

// Drivers, stops, forces and couplers of a joint that is gone.
void remove_users_of_joint(Draft& draft, const std::string& name) {
  Mechanism& m = draft.model;
  remove_if(m.drivers, draft, "driver",
            [&](const Driver& d) { return d.kind == Driver::Kind::joint && d.of == name; });
  remove_if(m.stops, draft, "stop", [&](const EndStop& s) { return s.joint == name; });
  remove_if(m.forces, draft, "force", [&](const Force& f) { return mechanism::acts_on(f, name); });
  remove_if(m.joints, draft, "joint", [&](const Joint& j) {
    return mechanism::about(j.kind).of == mechanism::JointOf::joints &&
           std::find(j.of.begin(), j.of.end(), name) != j.of.end();
  });
}

// What a plan says of a joint or body that is gone, and names of coordinates, which may be gone with it.
void leave_out_of_plan(Plan& plan, const std::string& name) {
  for (auto* list : {&plan.penalty_of, &plan.omega_of, &plan.mu_of, &plan.modular.rho_of}) list->erase(name);
  std::erase(plan.open, name);
  plan.independent_coordinates.clear();
}

void drop_joint(Draft& draft, const std::string& name) {
  Mechanism& m = draft.model;
  const Joint gone = find_part(m.joints, name, "joint");
  std::erase_if(m.joints, [&](const Joint& j) { return j.name == name; });
  // A point that bodies share is a joint: it stays with the first of them.
  for (Point& point : m.points)
    if (gone.kind == Joint::Kind::pin && point.name == name && point.on.size() > 1) point.on.resize(1);
  for (const Marker& marker : gone.markers) m.plan.penalty_of.erase(marker.body);
  leave_out_of_plan(m.plan, name);
  set_free(draft, gone.markers);
  remove_users_of_joint(draft, name);
}

void remove_joint(const Json& edit, Draft& draft) { drop_joint(draft, name_in(edit)); }

void add_joint(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "add-joint", {"do", "joint"});
  draft.model.joints.push_back(joint_from(fields.need("joint"), draft));
}

void retype_joint(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "retype-joint", {"do", "name", "kind", "axis", "value"});
  const std::string name = fields.text("name");
  Joint& joint = find_part(draft.model.joints, name, "joint");
  if (joint.markers.size() != 2)
    throw std::invalid_argument(
        fmt::format("joint '{}' joins {} bodies; a kind of joint has two", name, joint.markers.size()));
  joint.kind = joint_kind(fields.text("kind"));
  std::optional<Vec3> axis;
  if (fields.has("axis")) {
    axis = draft.frame(joint.markers[0].body).axes * fields.vector("axis");
    if (axis->norm() == 0) fields.refuse("axis", "a direction");
    axis->normalize();
  }
  orient(joint, {axis, std::nullopt}, draft);
  joint.offset = 0;
  joint.held.reset();
  joint.speed.reset();
  joint.value =
      fields.number("value", joint.kind == Joint::Kind::distance
                                 ? (draft.world(joint.markers[0]) - draft.world(joint.markers[1])).norm()
                                 : joint.value);
  // A point and a joint may have one name only where the joint is the point's own.
  if (draft.model.point(name) != nullptr && joint.kind != Joint::Kind::pin) {
    joint.name = draft.free_name(name + "_" + mechanism::to_string(joint.kind));
    std::replace(joint.name.begin(), joint.name.end(), '-', '_');
    draft.notes.push_back(fmt::format("the joint is now called '{}', for '{}' is a point", joint.name, name));
  }
  draft.name = joint.name;
  if (draft.name != name) {
    for (Point& point : draft.model.points)
      if (point.name == name && point.on.size() > 1) point.on.resize(1);
    remove_users_of_joint(draft, name);
    leave_out_of_plan(draft.model.plan, name);
  }
}

void add_body(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "add-body", {"do", "body"});
  draft.model.bodies.push_back(body_from(fields.need("body"), draft));
}

bool is_on(const Force& force, const std::string& body) {
  if (const auto* law = std::get_if<SpringDamper>(&force.law))
    return law->a.body == body || law->b.body == body;
  if (const auto* law = std::get_if<Bushing>(&force.law)) return law->a.body == body || law->b.body == body;
  if (const auto* law = std::get_if<ElasticBelt>(&force.law))
    return law->a.body == body || law->b.body == body;
  if (const auto* law = std::get_if<AppliedForce>(&force.law)) return law->at.body == body;
  if (const auto* law = std::get_if<AppliedTorque>(&force.law)) return law->body == body;
  return false;
}

// The same place on another body that has the point too.
std::optional<Marker> on_another_body(const Mechanism& m, const Marker& marker) {
  const Mat3 axes = m.placement(marker.body).axes * marker.frame.axes;
  for (const Point& point : m.points) {
    const auto own = std::ranges::find(point.on, marker.body, &Marker::body);
    if (own == point.on.end() || own->frame.at != marker.frame.at) continue;
    for (const Marker& other : point.on)
      if (other.body != marker.body)
        return Marker{other.body, {other.frame.at, m.placement(other.body).axes.transpose() * axes}};
  }
  return std::nullopt;
}

// What is written on a point that other bodies have stays with the point, unless that leaves a joint or force
// between a body and itself.
void hand_over(Mechanism& m, const std::string& body) {
  const auto move = [&](Marker& marker, const std::vector<Marker>& others) {
    if (marker.body != body) return;
    const auto other = on_another_body(m, marker);
    if (other && std::ranges::count(others, other->body, &Marker::body) == 0) marker = *other;
  };
  for (Joint& joint : m.joints)
    if (joint.kind != Joint::Kind::pin)
      for (Marker& marker : joint.markers) move(marker, joint.markers);
  for (Driver& driver : m.drivers)
    for (Marker& marker : driver.markers) move(marker, driver.markers);
  for (Force& force : m.forces) {
    if (auto* law = std::get_if<SpringDamper>(&force.law)) move(law->a, {law->b}), move(law->b, {law->a});
    if (auto* law = std::get_if<Bushing>(&force.law)) move(law->a, {law->b}), move(law->b, {law->a});
    if (auto* law = std::get_if<AppliedForce>(&force.law)) move(law->at, {});
  }
}

void remove_body(const Json& edit, Draft& draft) {
  Mechanism& m = draft.model;
  const std::string name = name_in(edit);
  find_part(m.bodies, name, "body");
  hand_over(m, name);
  std::vector<std::string> gone;
  for (Joint& joint : m.joints) {
    const std::vector<Marker> before = joint.markers;
    std::erase_if(joint.markers, [&](const Marker& marker) { return marker.body == name; });
    if (joint.markers.size() == before.size()) continue;
    set_free(draft, joint.markers);
    if (joint.markers.size() < 2) gone.push_back(joint.name);
  }
  for (const std::string& joint : gone) {
    drop_joint(draft, joint);
    draft.notes.push_back(fmt::format("joint '{}' went with it", joint));
  }
  const auto on_body = [&](const Marker& marker) { return marker.body == name; };
  remove_if(m.drivers, draft, "driver", [&](const Driver& d) {
    return (d.kind == Driver::Kind::body_angle && d.of == name) ||
           std::any_of(d.markers.begin(), d.markers.end(), on_body);
  });
  for (const Force& force : m.forces)
    if (const auto* s = std::get_if<SpringDamper>(&force.law); s && is_on(force, name))
      set_free(draft, {s->a, s->b});
  remove_if(m.forces, draft, "force", [&](const Force& f) { return is_on(f, name); });
  for (Point& point : m.points) std::erase_if(point.on, on_body);
  std::erase_if(m.points, [](const Point& point) { return point.on.empty(); });
  std::erase_if(m.bodies, [&](const Body& body) { return body.name == name; });
  for (Subsystem& subsystem : m.subsystems) std::erase(subsystem.bodies, name);
  std::erase_if(m.subsystems, [](const Subsystem& s) {
    return std::ranges::all_of(s.bodies, [](const std::string& body) { return body == kGround; });
  });
  leave_out_of_plan(m.plan, name);
}

template <class T>
void remove_part(std::vector<T>& all, const Json& edit, const char* what) {
  const std::string name = name_in(edit);
  find_part(all, name, what);
  std::erase_if(all, [&](const T& x) { return x.name == name; });
}

void add_force(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "add-force", {"do", "force"});
  draft.model.forces.push_back(force_from(fields.need("force"), draft));
}

void remove_force(const Json& edit, Draft& draft) {
  std::vector<std::string> touched;
  const std::string name = name_in(edit);
  for (const Body& body : draft.model.bodies)
    if (is_on(find_part(draft.model.forces, name, "force"), body.name)) touched.push_back(body.name);
  remove_part(draft.model.forces, edit, "force");
  for (const std::string& body : touched) set_free(draft, {{body, {}}});
}

void add_driver(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "add-driver", {"do", "driver"});
  draft.model.drivers.push_back(driver_from(fields.need("driver"), draft));
}

void remove_driver(const Json& edit, Draft& draft) {
  const Driver gone = find_part(draft.model.drivers, name_in(edit), "driver");
  remove_part(draft.model.drivers, edit, "driver");
  set_free(draft, gone.markers);
  set_free(draft, {{gone.of, {}}});
}

void set_gravity(const Json& edit, Draft& draft) {
  if (draft.model.generalized)
    throw std::invalid_argument("a model with coordinates of its own has no gravity but its formulas'");
  draft.model.gravity = JsonFields(edit, "set-gravity", {"do", "value"}).vector("value");
  if (draft.model.is_planar) draft.model.gravity.z() = 0;
}

double positive_step(double step) {
  if (!(step > 0)) throw std::invalid_argument(fmt::format("a step must be positive, not {}", step));
  return step;
}

void set_step(const Json& edit, Draft& draft) {
  draft.model.plan.step = positive_step(JsonFields(edit, "set-step", {"do", "value"}).number("value"));
}

void set_plan(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "set-plan",
                          {"do", "coordinates", "formulation", "integrator", "step", "tolerance"});
  change_plan(fields, draft.model.plan);
}

// A number, or what a person types for one.
double number_in(const JsonFields& fields, const Mechanism& model, const std::string& unit) {
  return fields.need("value").is_string() ? typed_number(model, fields.text("value"), unit)
                                          : fields.number("value");
}

// The reason, as of a line of the file, is told with the value that it comes from.
void change_parameter(Mechanism& model, const std::string& name, double value) {
  try {
    model.set_parameter(name, value);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{} = {:g}: {}", name, value, error.what()));
  }
}

void set_number(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "set-value", {"do", "path", "value"});
  const std::string path = fields.text("path");
  constexpr std::string_view kParameters = "parameters.";
  // What depends on it follows.
  if (path.starts_with(kParameters))
    return change_parameter(draft.model, path.substr(kParameters.size()), number_in(fields, draft.model, ""));
  const std::optional<std::string> unit = mechanism::unit_of(draft.model, path);
  if (!unit && fields.need("value").is_string())
    return mechanism::set_value(draft.model, path, fields.text("value"));
  const double value = number_in(fields, draft.model, unit.value_or(""));
  mechanism::set_value(draft.model, path, path == "plan.step" ? positive_step(value) : value);
  if (mechanism::is_start(path))
    draft.notes.push_back("this counts at the start: reset, and the motion begins with it");
}

void set_parameter(const Json& edit, Draft& draft) {
  const JsonFields fields(edit, "set-parameter", {"do", "name", "value"});
  change_parameter(draft.model, fields.text("name"), number_in(fields, draft.model, ""));
}

using Apply = void (*)(const Json&, Draft&);
const std::map<std::string, Apply> kEdits = {
    {"add-joint", add_joint},       {"remove-joint", remove_joint},   {"retype-joint", retype_joint},
    {"add-body", add_body},         {"remove-body", remove_body},     {"add-force", add_force},
    {"remove-force", remove_force}, {"add-driver", add_driver},       {"remove-driver", remove_driver},
    {"set-gravity", set_gravity},   {"set-step", set_step},           {"set-plan", set_plan},
    {"set-value", set_number},      {"set-parameter", set_parameter}, {"copy-bodies", copy_bodies},
};

}  // namespace

bool is_model_edit(const std::string& what) { return kEdits.contains(what); }

void apply_edit(const Json& edit, Draft& draft) { kEdits.at(edit.at("do").get<std::string>())(edit, draft); }

std::string describe_edit(const Json& edit) {
  std::string text;
  for (const char* key : {"do", "name", "path"})
    if (edit.contains(key) && edit[key].is_string())
      text += (text.empty() ? "" : " ") + edit[key].get<std::string>();
  for (const char* key : {"joint", "body", "force", "driver"})
    if (edit.contains(key) && edit[key].is_object() && edit[key].contains("name") &&
        edit[key]["name"].is_string())
      text += " " + edit[key]["name"].get<std::string>();
  return text;
}

namespace {

// What is in use, where it fits a formulation that a person chooses, else what does.
std::string fitting_integrator(const std::string& formulation, IntegratorKind in_use) {
  if (formulation == kAutomatic) return kAutomatic;
  const FormulationKind kind = simulation::formulation_named(formulation);
  return name_of(simulation::fits(simulation::entry_of(kind), simulation::entry_of(in_use))
                     ? in_use
                     : simulation::usual_integrator(kind));
}

}  // namespace

void change_plan(const JsonFields& fields, Plan& plan) {
  const Plan before = plan;
  plan.coordinates = fields.text("coordinates", plan.coordinates);
  plan.formulation = fields.text("formulation", plan.formulation);
  // What was in use may not fit: then what does, and a person may choose another.
  if (plan.formulation != before.formulation) {
    plan.integrator = fitting_integrator(plan.formulation, simulation::resolve(before).integrator);
    plan.reactions = Plan().reactions;
  }
  if (plan.coordinates != before.coordinates) plan.independent_coordinates.clear();
  plan.integrator = fields.text("integrator", plan.integrator);
  plan.tolerance = fields.number("tolerance", plan.tolerance);
  if (!simulation::controls_error(plan)) plan.step = simulation::landing_interval(before);
  plan.step = fields.number("step", plan.step);
}

}  // namespace trammel::live
