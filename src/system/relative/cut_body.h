// A body at which a loop is opened becomes two halves that a fixed joint holds together.
//
// García de Jalón & Bayo (1994), 5.3: loops are opened at joints or by cutting a body. Each half has half the
// mass and inertia, in the same place; the first joint of the body stays with it, the others go to its other
// half.
#pragma once

#include <span>
#include <string>

#include "trammel/mechanism.h"

namespace trammel::system {

// Cuts those of the names that are bodies. The other halves follow all bodies, their joints all joints.
Mechanism cut_bodies(const Mechanism& mechanism, std::span<const std::string> names);

// The body that a name means: a half is the body it was cut from.
std::string uncut(const std::string& body);
// A joint that holds two halves together.
bool is_cut(const std::string& joint);

}  // namespace trammel::system
