// What both tables of joint kinds are written with: joint_kinds.cpp and machine_kinds.cpp.
#pragma once

#include <vector>

#include "mechanism/joint_kinds.h"

namespace trammel::mechanism {

inline constexpr PlaneAndSpace<bool> kBoth{true, true}, kPlane{true, false}, kSpace{false, true};

template <class T>
constexpr PlaneAndSpace<T> both(T x) {
  return {x, x};
}

// Keys that several kinds have.
inline constexpr KindField kBodies{"", "two bodies", "The two bodies.", true};
inline constexpr KindField kAt{
    "at", "joint place",
    "Where the joint is: a place in the world at the start, a point, or one point on each body.", true};
inline constexpr const char* kPlace =
    R"({"anyOf": [{"$ref": "#/definitions/vector"}, {"$ref": "#/definitions/point reference"}]})";
inline constexpr const char* kTwoDirections =
    R"({"type": "array", "items": {"$ref": "#/definitions/direction"}, "minItems": 2, "maxItems": 2})";

inline KindField named(const char* key, KindField field) {
  field.key = key;
  return field;
}

// The machine elements: what follows the joints in the order of Joint::Kind.
std::vector<JointInfo> machine_kinds();

}  // namespace trammel::mechanism
