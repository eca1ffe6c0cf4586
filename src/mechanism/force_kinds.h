// Force kinds: one table of everything that the program knows of a kind of force apart from its law.
//
// Readers, the JSON Schema, docs/model-format.md, live edits, the scene and the viewer read this table. A new
// kind is one type in Force::law, one value of ForceKind, one entry here, its lowering, its reading and
// writing. `trammel describe forces` prints the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechanism/kind_fields.h"
#include "trammel/mechanism.h"

namespace trammel::mechanism {

enum class ForceKind {
  joint_spring,
  spring,
  tendon,
  friction,
  dry_friction,
  clutch,
  one_way_clutch,
  bushing,
  belt,
  motor,
  force,
  torque,
  user
};

// A number that a page asks for when it adds the force between two points.
struct AskedNumber {
  const char *key, *unit;
  double value;  // proposed
};

struct ForceInfo {
  ForceKind kind;
  const char* name;                     // in the scene and in edits
  const char* doc;                      // one sentence
  const char* acts;                     // on what
  const char* drawn = "nothing";        // how it is drawn (viewer/src/render/loads.ts, spans.ts)
  bool offered = false;                 // a page may add it between two points
  std::vector<AskedNumber> asked = {};  // then
  std::vector<KindField> fields = {};   // keys of the model file, the kind's own first; none: only from C++
  // Its own key in the model file; only with `fields`.
  const char* key() const { return fields.front().key; }
};

// In the order of ForceKind.
const std::vector<ForceInfo>& force_kinds();
const ForceInfo& about(ForceKind kind);
const ForceInfo* find_force_kind(std::string_view name);
const ForceInfo* find_force_key(std::string_view key);  // by its own key in model files
ForceKind kind_of(const Force& force);

}  // namespace trammel::mechanism
