// What the parts of the reader of MJCF files share. Each part reads some sections of the file into the Robot.
//
// Numbers and defaults are those of MuJoCo 3; https://mujoco.readthedocs.io/en/stable/XMLreference.html
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/import/formats.h"
#include "model/import/mjcf_tree.h"

namespace trammel::model {

enum class InertiaFromGeoms { never, always, where_none_is_given };

// <compiler> and <option>.
struct MjcfSettings {
  bool degrees = true;
  std::string euler_sequence = "xyz";  // small letters: axes that turn along; capitals: fixed axes
  bool limits_by_range = true;         // autolimits
  double least_mass = 0, least_moment = 0;
  double total_mass = 0;  // 0: as it is
  bool balances_inertia = false;
  InertiaFromGeoms inertia_from_geoms = InertiaFromGeoms::where_none_is_given;
  int first_inertia_group = 0, last_inertia_group = 5;
  std::filesystem::path mesh_folder;
  bool strips_paths = false;
  // <flag>: what is not disabled
  bool springs = true, dampers = true, limits = true, equalities = true, friction = true, actuation = true;
};

// A tendon: a sum of joint coordinates, or a way over sites.
struct MjcfTendon {
  std::vector<RobotTerm> terms;
  std::vector<RobotLeg> legs;  // of a way
  double start = 0;            // its length at the start
  std::string unknown = {};    // why Trammel does not have its way; empty: it has
};

struct Mjcf {
  ForeignReader& reader;
  ForeignFile& file;
  MjcfSettings settings = {};
  MjcfClasses classes = {};
  Robot robot = {};
  std::map<std::string, int> bodies{{"world", 0}};
  std::map<std::string, int> joints = {};  // hinges and slides
  std::map<std::string, RobotPlace> sites = {};
  std::map<std::string, XmlNode*> meshes = {}, materials = {};
  std::map<std::string, MjcfTendon> tendons = {};

  double angle(double value) const;  // rad, from the file's unit
  // pos and one of quat, axisangle, xyaxes, zaxis, euler.
  Frame frame(const MjcfElement& element) const;
  Mat3 orientation(const MjcfElement& element) const;
  Mat3 from_euler(const Vec3& angles) const;
  // The elements of all sections of a name, each marked as used.
  std::vector<XmlNode*> in_sections(const std::string& section) const;
  // The file of an asset.
  std::filesystem::path asset_path(const XmlNode& node, const std::string& name) const;
  // Whether a limit, given by `limited` and a range, holds.
  bool is_limited(const MjcfElement& element, const std::string& limited, const std::string& range) const;
};

// Where elements stand: on which body, in which frame, in which default class.
struct MjcfPlace {
  int body = 0;
  Frame frame;
  std::string childclass;
  std::string suffix;  // of names, in copies of <replicate>
};

struct MjcfJoint {
  RobotJoint joint;
  bool is_free = false;
};

// The rotation that takes z to a direction, about an axis across both.
Mat3 turn_z_to(const Vec3& direction);

void read_mjcf_settings(Mjcf& mjcf);
void read_mjcf_bodies(Mjcf& mjcf);
void read_mjcf_equalities(Mjcf& mjcf);
void read_mjcf_tendons(Mjcf& mjcf);
void read_mjcf_actuators(Mjcf& mjcf);
// Elements and attributes that have no influence on the motion, or that Trammel does not have.
void note_mjcf_rest(Mjcf& mjcf);

// Its name is its type; it has no bodies yet.
MjcfJoint read_mjcf_joint(Mjcf& mjcf, XmlNode& node, const MjcfPlace& place);
// boundmass, boundinertia and balanceinertia.
void bound_mjcf_inertia(const MjcfSettings& settings, Inertial& own);
// The first coefficient of a polynomial; others that are not zero are ignored.
double first_coefficient(const MjcfElement& element, const std::string& attribute);
// A <geom> that has mass: mass, centre and inertia in world axes at the start. Null: it has none, or it is
// refused.
std::optional<Inertial> mjcf_geom_inertial(Mjcf& mjcf, const MjcfElement& geom, const Frame& around);
// The place of a geom's centre, and its size as MJCF has it.
struct MjcfGeomShape {
  Frame frame;
  Vec3 size = Vec3::Zero();
};
MjcfGeomShape mjcf_geom_shape(const Mjcf& mjcf, const MjcfElement& geom, const std::string& type);
// Adds a <geom> to what is drawn; why not, if it is not.
std::string draw_mjcf_geom(Mjcf& mjcf, const MjcfElement& geom, const MjcfPlace& place);

}  // namespace trammel::model
