// <compiler> and <option> of MJCF. Of several, the last value counts.
#include <fmt/format.h>

#include <numbers>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

void read_compiler(Mjcf& mjcf, const MjcfElement& e) {
  MjcfSettings& s = mjcf.settings;
  s.degrees = e.has("angle") ? e.word("angle", {"degree", "radian"}) == "degree" : s.degrees;
  s.euler_sequence = e.text("eulerseq", s.euler_sequence);
  if (s.euler_sequence.size() != 3 || s.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
    e.refuse("eulerseq", fmt::format("eulerseq=\"{}\" is no sequence of three axes", s.euler_sequence),
             "use three of x, y, z, X, Y, Z");
    s.euler_sequence = "xyz";
  }
  s.limits_by_range = e.flag("autolimits", s.limits_by_range);
  s.least_mass = e.number("boundmass", s.least_mass);
  s.least_moment = e.number("boundinertia", s.least_moment);
  s.total_mass = std::max(0.0, e.number("settotalmass", s.total_mass));
  s.balances_inertia = e.flag("balanceinertia", s.balances_inertia);
  if (e.has("inertiafromgeom")) {
    const std::string when = e.word("inertiafromgeom", {"auto", "true", "false"});
    s.inertia_from_geoms = when == "true"    ? InertiaFromGeoms::always
                           : when == "false" ? InertiaFromGeoms::never
                                             : InertiaFromGeoms::where_none_is_given;
  }
  if (const auto groups = e.numbers("inertiagrouprange", 2, 2)) {
    s.first_inertia_group = static_cast<int>((*groups)[0]);
    s.last_inertia_group = static_cast<int>((*groups)[1]);
  }
  for (const char* key : {"assetdir", "meshdir"})
    if (const std::string* folder = e.text(key)) s.mesh_folder = *folder;
  s.strips_paths = e.flag("strippath", s.strips_paths);
  if (e.text("coordinate", "local") != "local")
    e.refuse("coordinate", "coordinate=\"global\" is no longer part of MJCF",
             "save the file again by MuJoCo 2.3.3 or older, which makes all frames local");
}

void read_flags(Mjcf& mjcf, const MjcfElement& e) {
  MjcfSettings& s = mjcf.settings;
  const auto is_on = [&](const char* what, bool otherwise) {
    return e.has(what) ? e.word(what, {"enable", "disable"}) == "enable" : otherwise;
  };
  s.springs = is_on("spring", s.springs);
  s.dampers = is_on("damper", s.dampers);
  s.limits = is_on("limit", s.limits);
  s.equalities = is_on("equality", s.equalities);
  s.friction = is_on("frictionloss", s.friction);
  s.actuation = is_on("actuation", s.actuation);
  if (!is_on("constraint", true)) s.limits = s.equalities = s.friction = false;
  if (!is_on("gravity", true)) mjcf.robot.gravity.setZero();
}

}  // namespace

double Mjcf::angle(double value) const { return settings.degrees ? value * std::numbers::pi / 180 : value; }

void read_mjcf_settings(Mjcf& mjcf) {
  for (XmlNode* node : mjcf.file.root.all("compiler")) {
    ForeignReader::use(*node);
    read_compiler(mjcf, {mjcf.reader, *node, {}});
  }
  for (XmlNode* node : mjcf.file.root.all("option")) {
    ForeignReader::use(*node);
    const MjcfElement option(mjcf.reader, *node, {});
    mjcf.robot.gravity = option.vector("gravity", mjcf.robot.gravity);
    for (const char* fluid : {"density", "viscosity"})
      if (option.number(fluid, 0) != 0)
        option.ignore(fluid, "forces of a fluid around the bodies are not simulated", true);
  }
  for (XmlNode* node : mjcf.file.root.all("option"))
    for (XmlNode* flags : node->all("flag")) {
      ForeignReader::use(*flags);
      read_flags(mjcf, {mjcf.reader, *flags, {}});
    }
}

}  // namespace trammel::model
