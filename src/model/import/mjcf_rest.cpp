// What of an MJCF file has no part in the model, and why.
#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

struct IgnoredElements {
  const char* names;
  const char* why;
  bool matters = false;
};

constexpr std::array<IgnoredElements, 9> kIgnoredElements = {{
    {"visual statistic texture skin material hfield model light camera", "how MuJoCo shows the model"},
    {"size lengthrange", "of MuJoCo's memory and compiler"},
    {"custom sensor", "it has no influence on the motion"},
    {"keyframe", "the model starts where all joints have their `ref`"},
    {"contact", "contact between bodies is not simulated"},
    {"extension plugin", "plugins of MuJoCo are not known", true},
    {"deformable", "flexible bodies are not known", true},
    {"default", "of default classes"},
    {"mesh", "a surface that no mass needs and nothing shows"},
}};

struct IgnoredAttributes {
  const char* elements;  // empty: all
  const char* names;
  const char* why;
  bool matters = false;
};

constexpr const char* kSoft = "how MuJoCo softens constraints: those of Trammel are exact";
constexpr const char* kContact = "contact between bodies is not simulated";
constexpr const char* kShown = "how MuJoCo shows it";

constexpr std::array<IgnoredAttributes, 17> kIgnoredAttributes = {{
    {"", "user group", "it has no influence on the motion"},
    {"",
     "solref solimp solreflimit solimplimit solreffriction solimpfriction margin o_margin o_solref o_solimp "
     "o_friction",
     kSoft},
    {"", "rgba material", kShown},
    {"geom pair", "contype conaffinity condim priority friction solmix gap surfacevel adhesion", kContact},
    {"geom", "fluidshape fluidcoef", "forces of a fluid around the bodies are not simulated"},
    {"geom", "fitscale hfield", kShown},
    {"joint", "actuatorgravcomp", "gravity compensation acts on the body, not on a drive"},
    {"joint", "pos axis limited range ref springref springdamper actuatorfrcrange actuatorfrclimited",
     "a joint without a coordinate has none"},
    {"joint freejoint", "align", "the choice of a free body's axes"},
    {"body", "sleep simple", "of MuJoCo's solver"},
    {"site", "type size", kShown},
    {"spatial fixed tendon", "width springlength", kShown},
    {"compiler", "texturedir discardvisual usethread fusestatic saveinertial alignfree fitaabb conflict",
     "of MuJoCo's compiler"},
    {"option",
     "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance magnetic "
     "integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations "
     "sdf_iterations sdf_initpoints wind density viscosity collision apirate mpr_tolerance "
     "mpr_iterations actuatorgroupdisable",
     "of MuJoCo's solver"},
    {"flag",
     "contact clampctrl warmstart filterparent refsafe sensor midphase eulerdamp autoreset nativeccd "
     "island multiccd override energy fwdinv invdiscrete sleep diagexact passive",
     "of MuJoCo's solver"},
    {"mesh", "content_type normal texcoord smoothnormal maxhullvert", kShown},
    {"general motor position velocity intvelocity damper cylinder muscle adhesion",
     "nsample interp delay lengthrange cranklength inheritrange actdim actearly actrange actlimited",
     "of MuJoCo's actuators: not known here", true},
}};

bool is_in(const char* list, const std::string& name) {
  std::istringstream words(list);
  std::string word;
  while (words >> word)
    if (word == name) return true;
  return false;
}

void note_attribute(const std::string& element, XmlAttribute& a) {
  if (a.note.outcome) return;
  for (const IgnoredAttributes& row : kIgnoredAttributes)
    if ((*row.elements == '\0' || is_in(row.elements, element)) && is_in(row.names, a.name)) {
      a.note = {Treatment::ignored, row.why, row.matters};
      return;
    }
}

void note_elements(XmlNode& node) {
  for (XmlAttribute& a : node.attributes) note_attribute(node.name, a);
  if (!node.note.outcome)
    for (const IgnoredElements& row : kIgnoredElements)
      if (is_in(row.names, node.name)) node.note = {Treatment::ignored, row.why, row.matters};
  for (XmlNode& child : node.children) note_elements(child);
}

bool is_used(const XmlAttribute& a) { return a.note.outcome == Treatment::used; }

// What a class has for elements that do not ask for it.
void note_classes(XmlNode& node) {
  for (XmlNode& child : node.children) {
    if (child.name == "default") {
      note_classes(child);
      continue;
    }
    if (!child.note.outcome)
      child.note = std::ranges::any_of(child.attributes, is_used)
                       ? XmlNote{Treatment::used, "", false}
                       : XmlNote{Treatment::ignored, "no element of this class asks for it", false};
    for (XmlAttribute& a : child.attributes)
      if (!a.note.outcome) a.note = {Treatment::ignored, "no element of this class asks for it", false};
  }
}

}  // namespace

void note_mjcf_rest(Mjcf& mjcf) {
  note_elements(mjcf.file.root);
  for (XmlNode* node : mjcf.file.root.all("default")) note_classes(*node);
}

}  // namespace trammel::model
