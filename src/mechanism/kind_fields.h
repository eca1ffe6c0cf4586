// What the tables of joint and force kinds have in common: the keys of a kind in model files, and values that
// differ between the plane and space.
#pragma once

namespace trammel::mechanism {

// A key of the model file.
struct KindField {
  const char* key;
  // A definition of docs/trammel.schema.json ("joint place"), or JSON Schema itself ("{…}").
  const char* type;
  const char* doc;
  bool required = false;
};

inline constexpr const char* kText = R"({"type": "string"})";

template <class T>
struct PlaneAndSpace {
  T plane{}, space{};
  const T& in(bool is_planar) const { return is_planar ? plane : space; }
};

}  // namespace trammel::mechanism
